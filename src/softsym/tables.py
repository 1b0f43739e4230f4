"""Tables from one description of their columns: as text, in a terminal, in a notebook."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Protocol, TypeVar

from softsym.errors import InputError, printable
from softsym.io import put_text

if TYPE_CHECKING:
    import pandas
    import polars
    from rich.console import Group

Row = TypeVar("Row")
VERDICT = "verdict"  # the column that a narrow terminal shows whole


@dataclass(frozen=True)
class Column(Generic[Row]):
    """One column of a table."""

    head: str  # its heading, short
    title: str  # its heading on a page
    value: Callable[[Row], Any]  # its value in a row: a text, a number, or the two ends of an interval
    text: Callable[[Any], str] = str  # formats the value
    is_figure: bool = False  # whether it is aligned to the right
    is_prose: bool = False  # whether it is a sentence, which a terminal shows below the table

    def cell(self, row: Row) -> str:
        """The text of a row, in one line and without what a terminal would obey."""
        return printable(self.text(self.value(row))).replace("\n", "\\n")


class CandidateRow(Protocol):
    """A row about one candidate group."""

    @property
    def name(self) -> str:
        """The group's name."""

    @property
    def verdict(self) -> str:
        """The verdict on the group."""

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON."""

    def flat(self) -> dict[str, Any]:
        """One number or text for each column of a data frame."""


Candidate = TypeVar("Candidate", bound=CandidateRow)


class CandidateTable(Sequence[Candidate]):
    """One row for each candidate group: iterable, indexed by place or by the group's name; concrete tables say their columns."""

    title: ClassVar[str]
    what: ClassVar[str] = "candidate group"
    """What a row is about."""
    columns: ClassVar[tuple[Column[Any], ...]]
    plotted: ClassVar[str] = "violation"
    """The number of a row that :meth:`plot` draws."""

    def __init__(self, rows: Sequence[Candidate] = ()) -> None:
        self._rows = tuple(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, which: Any) -> Any:
        if not isinstance(which, str):
            return self._rows[which]
        for row in self._rows:
            if row.name == which:
                return row
        known = ", ".join(row.name for row in self._rows) or "none"
        raise InputError(f"no {self.what} {which!r}; there are {known}")

    def __eq__(self, other: object) -> bool:
        # By values as in JSON, where unknown numbers are None and equal, unlike NaN.
        return isinstance(other, type(self)) and self.to_dicts() == other.to_dicts()

    def __hash__(self) -> int:
        return hash(tuple(row.name for row in self._rows))

    def to_polars(self) -> polars.DataFrame:
        """One row per group."""
        import polars

        return polars.DataFrame([row.flat() for row in self._rows])

    def to_pandas(self) -> pandas.DataFrame:
        """One row per group."""
        import pandas

        return pandas.DataFrame([row.flat() for row in self._rows])

    def to_dicts(self) -> list[dict[str, Any]]:
        """Plain numbers and strings, for JSON."""
        return [row.to_dict() for row in self._rows]

    def plot(self, path: str | Path | None = None) -> Any:
        """A plotly figure of :attr:`plotted` of each row, with intervals if there are any; a path gets it as ``.html``."""
        from plotly.graph_objects import Figure, Scatter

        values = [float(getattr(row, self.plotted)) for row in self._rows]
        ends = [getattr(row, "interval", (math.nan, math.nan)) for row in self._rows]
        bars = {
            "array": [max(high - value, 0.0) for value, (_, high) in zip(values, ends, strict=True)],
            "arrayminus": [max(value - low, 0.0) for value, (low, _) in zip(values, ends, strict=True)],
        }
        labels = [html.escape(f"{printable(row.name)} {row.verdict}".strip()) for row in self._rows]
        points = Scatter(x=values, y=labels, mode="markers", error_x={"type": "data", "symmetric": False, **bars})
        title = {"text": self.title, "xanchor": "left", "x": 0.02}
        figure = Figure(points, {"title": title, "xaxis_title": self.plotted.replace("_", " ")})
        figure.update_yaxes(autorange="reversed", automargin=True)
        if path is not None:
            put_text(Path(path), figure.to_html(include_plotlyjs=True))
        return figure

    def __rich__(self) -> Group:
        """Square brackets are no markup, nothing is cut in a narrow terminal, and sentences come below the table."""
        from rich.console import Group
        from rich.table import Table
        from rich.text import Text

        table = Table(title=self.title)
        shown = [column for column in self.columns if not column.is_prose]
        for column in shown:
            longest = max((len(column.cell(row)) for row in self._rows), default=0)
            width = max(longest, len(column.head)) if column.head == VERDICT else None
            side: Literal["left", "right"] = "right" if column.is_figure else "left"
            table.add_column(column.head, justify=side, overflow="fold", no_wrap=bool(width), min_width=width)
        for row in self._rows:
            table.add_row(*(Text(column.cell(row)) for column in shown))
        first, prose = self.columns[0], [column for column in self.columns if column.is_prose]
        pairs = [(first.cell(row), column.cell(row)) for row in self._rows for column in prose]
        return Group(table, *(Text(f"{name}: {sentence}") for name, sentence in pairs if sentence))

    def _cells(self) -> list[list[str]]:
        """The headings, then the cells of every row."""
        heads = [column.head for column in self.columns]
        return [heads, *([column.cell(row) for column in self.columns] for row in self._rows)]

    def _repr_html_(self) -> str:
        heads, *rows = [[html.escape(cell) for cell in cells] for cells in self._cells()]
        head = "".join(f"<th>{cell}</th>" for cell in heads)
        body = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>" for cells in rows)
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def __str__(self) -> str:
        lines = self._cells()
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{row.name}: {row.verdict}' for row in self._rows)})"
