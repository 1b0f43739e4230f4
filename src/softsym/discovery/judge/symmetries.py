"""What was found about each candidate symmetry: a small table that people read and programs iterate over."""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

from softsym.errors import InputError
from softsym.tasks.task import Verdict

if TYPE_CHECKING:
    import pandas
    import polars
    from rich.console import Group

HEADS = ("group", "verdict", "error", "interval", "strength", "residual", "note")


@dataclass(frozen=True)
class Symmetry:
    """What was found about one candidate group.

    Args:
        name: The group's text.
        verdict: ``exact``, ``soft`` or ``absent``.
        error: Equivariance error of the model, |rho f(x) - f(rho x)| over the sum of both norms, averaged.
        error_interval: Where the error lies with 95 % certainty, over seeds and samples.
        strength: Final strength of its penalty, a geometric mean over seeds.
        residual: Squared distance of the weights from the group's equivariant space, unweighted, as a share of their squared norm.
        excess: The error beyond what a good model's own mistakes explain: an estimate of the data's own equivariance error.
        layers: Distance of each layer's weights from that space, as a share of their norm.
        note: Why the verdict is not certain; empty if it is.
    """

    name: str
    verdict: Verdict
    error: float
    error_interval: tuple[float, float]
    strength: float
    residual: float
    excess: float = 0.0
    layers: dict[str, float] = field(default_factory=dict)
    note: str = ""

    @property
    def is_conclusive(self) -> bool:
        """Whether data and fit were good enough to tell."""
        return not self.note

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON."""
        return {**asdict(self), "error_interval": list(self.error_interval)}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Symmetry:
        """The inverse of :meth:`to_dict`."""
        low, high = fields["error_interval"]
        return cls(**{**fields, "error_interval": (float(low), float(high))})


class Symmetries(Sequence[Symmetry]):
    """The table of all candidate groups: iterable, indexed by place or by the group's name.

    Example:
        >>> found = Symmetries([Symmetry("O(2)@z", "exact", 0.002, (0.001, 0.003), 1.0, 1e-4)])
        >>> found["O(2)@z"].verdict
        'exact'
        >>> print(found)
        group   verdict  error   interval          strength  residual  note
        O(2)@z  exact    0.0020  0.0010 to 0.0030  1         0.00010
    """

    def __init__(self, rows: Sequence[Symmetry] = ()) -> None:
        self._rows = tuple(rows)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Symmetry]:
        return iter(self._rows)

    def __getitem__(self, which: Any) -> Any:
        if not isinstance(which, str):
            return self._rows[which]
        for row in self._rows:
            if row.name == which:
                return row
        known = ", ".join(row.name for row in self._rows) or "none"
        raise InputError(f"no candidate group {which!r}; the candidates were {known}")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Symmetries) and self._rows == other._rows

    def __hash__(self) -> int:
        return hash(tuple(row.name for row in self._rows))

    def relative(self) -> Symmetries:
        """The same table with strengths relative to the strongest group's, which has 1."""
        strongest = max((row.strength for row in self._rows), default=0.0) or 1.0
        return Symmetries([replace(row, strength=row.strength / strongest) for row in self._rows])

    def to_polars(self) -> polars.DataFrame:
        """One row per group."""
        import polars

        return polars.DataFrame([_flat(row) for row in self._rows])

    def to_pandas(self) -> pandas.DataFrame:
        """One row per group."""
        import pandas

        return pandas.DataFrame([_flat(row) for row in self._rows])

    def to_dicts(self) -> list[dict[str, Any]]:
        """Plain numbers and strings, for JSON."""
        return [row.to_dict() for row in self._rows]

    def __rich__(self) -> Group:
        from rich.console import Group
        from rich.markup import escape
        from rich.table import Table
        from rich.text import Text

        table = Table(title="Symmetries")
        for head in HEADS[:-1]:
            table.add_column(head, justify="left" if head in ("group", "verdict") else "right")
        for row in self._rows:
            table.add_row(*map(escape, _cells(row)[:-1]))
        notes = [Text(f"{row.name}: {row.note}") for row in self._rows if row.note]
        return Group(table, *notes)  # below, where a narrow window does not squeeze them

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>{head}</th>" for head in HEADS)
        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in _cells(row)) + "</tr>"
            for row in self._rows
        )
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"

    def __str__(self) -> str:
        lines = [list(HEADS), *(_cells(row) for row in self._rows)]
        widths = [max(len(line[k]) for line in lines) for k in range(len(HEADS))]
        return "\n".join(
            "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
            for line in lines
        )

    def __repr__(self) -> str:
        return f"Symmetries({', '.join(f'{row.name}: {row.verdict}' for row in self._rows)})"


def _cells(row: Symmetry) -> list[str]:
    low, high = row.error_interval
    return [
        row.name, row.verdict, f"{row.error:#.2g}", f"{low:#.2g} to {high:#.2g}", _strength(row.strength),
        f"{row.residual:#.2g}", row.note,
    ]  # fmt: skip


def _strength(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def _flat(row: Symmetry) -> dict[str, Any]:
    low, high = row.error_interval
    found = {
        "group": row.name, "verdict": row.verdict, "error": row.error, "error_low": low, "error_high": high,
        "excess": row.excess, "strength": row.strength, "residual": row.residual, "note": row.note,
    }  # fmt: skip
    return found | {f"distance {layer}": value for layer, value in row.layers.items()}
