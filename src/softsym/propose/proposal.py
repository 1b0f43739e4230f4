"""A proposal: generators, groups and the table of both."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from softsym.groups import Group
from softsym.tables import CandidateTable, Column
from softsym.typing import Array

if TYPE_CHECKING:
    from softsym.inference.verdict import Verdict


@dataclass(frozen=True)
class ProposalRow:
    """One generator, discrete element or group.

    Args:
        name: In words, such as "rotation about z".
        verdict: exact, soft, absent or undecided.
        kind: "generator", "discrete" or "group".
        generator: Its matrix, as nested tuples; of a group, none.
        eigenvalue: Of the Lie derivative of the unconstrained fit; NaN for discrete elements and groups.
        p_value: Of the group that was judged, if that holds.
        violation: Relative violation of the group that was judged.
        interval: Its 95 % confidence interval.
        group: Text of the group it generates.
        note: What to know about it.
    """

    name: str
    verdict: Verdict
    kind: str
    generator: tuple[tuple[float, ...], ...]
    eigenvalue: float
    p_value: float
    violation: float
    interval: tuple[float, float]
    group: str = ""
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON; what is not known is None."""
        fields = {key: getattr(self, key) for key in self.__dataclass_fields__}
        plain = {key: _plain(value) for key, value in fields.items()}
        return {
            **plain,
            "generator": [list(row) for row in self.generator],
            "interval": [_plain(end) for end in self.interval],
        }

    def flat(self) -> dict[str, Any]:
        """One number or text for each column of a data frame."""
        fields = self.to_dict()
        low, high = fields.pop("interval")
        return {**fields, "generator": str(fields["generator"]), "low": low, "high": high}


def _plain(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _number(value: float) -> str:
    if math.isnan(value):
        return ""
    return "0" if value == 0 else f"{value:.1e}" if abs(value) < 1e-3 else f"{value:.2g}"


class ProposalTable(CandidateTable[ProposalRow]):
    """One row for each generator and discrete element, and for each group that came close: iterable, indexed by place or by name."""

    title = "Proposed symmetries"
    what = "symmetry"
    columns = (
        Column("symmetry", "Symmetry", lambda row: row.name),
        Column("verdict", "Verdict", lambda row: row.verdict),
        Column("violation", "Violation", lambda row: row.violation, _number, is_figure=True),
        Column(
            "interval",
            "Interval",
            lambda row: row.interval,
            lambda ends: " to ".join(map(_number, ends)),
            is_figure=True,
        ),
        Column("p", "p-value", lambda row: row.p_value, _number, is_figure=True),
        Column("eigenvalue", "Eigenvalue", lambda row: row.eigenvalue, _number, is_figure=True),
        Column("note", "Note", lambda row: row.note, is_prose=True),
    )


@dataclass(frozen=True, eq=False)
class Proposal:
    """The outcome of :func:`softsym.propose`.

    Args:
        generators: Of what holds exactly, (k, d, d), orthonormal; (k, d + 1, d + 1), homogeneous, with points.
        algebra: Its name: "so(3)", "unnamed, dimension 2", or "none".
        is_compact: Whether the exact algebra is that of a compact group.
        groups: Groups that hold exactly, the largest first, then its parts.
        table: One row for each generator and discrete element, and for each group that came close.
        nearly: The rows of groups that came close: not accepted, but not far from it.
        eigenvalues: Of the unconstrained fit's Lie derivative, smallest first, without what the fit's error explains.
        explained: R² of the best fit of the selection rows.
        lattice: Pairs of places in ``groups``: the second lies inside the first.
        note: Why nothing is proposed, or what to know.
        seconds: How long it took.
    """

    generators: Array
    algebra: str
    is_compact: bool
    groups: tuple[Group, ...]
    table: ProposalTable
    nearly: tuple[ProposalRow, ...]
    eigenvalues: Array
    explained: float
    lattice: tuple[tuple[int, int], ...] = ()
    note: str = ""
    seconds: float = field(default=0.0, compare=False)

    def words(self) -> str:
        """What was found, in a few sentences."""
        k = len(self.generators)
        sentences = []
        if k:
            size = f"{k} dimension{'s' * (k > 1)}, {'compact' if self.is_compact else 'not compact'}"
            sentences.append(f"Exact continuous symmetry: {self.algebra} ({size}).")
        elif self.groups:
            sentences.append("No continuous symmetry is exact.")
        if self.groups:
            sentences.append(f"Groups to go on with: {', '.join(group.name for group in self.groups)}.")
        close = ", ".join(f"{row.name} ({row.verdict}, violation {_number(row.violation)})" for row in self.nearly)
        if not self.groups:
            sentences.append(f"Nothing sure; nearly found: {close or 'nothing'}.")
        elif close:
            sentences.append(f"Nearly: {close}.")
        if self.note:
            sentences.append(f"{self.note[0].upper()}{self.note[1:]}.")
        return " ".join(sentences)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON."""
        return {
            "schema": 1,
            "algebra": self.algebra,
            "dimension": len(self.generators),
            "is_compact": self.is_compact,
            "generators": self.generators.tolist(),
            "groups": [{"name": G.name, "text": G.text, "verdict": "exact"} for G in self.groups],
            "nearly": [row.to_dict() for row in self.nearly],
            "lattice": [list(pair) for pair in self.lattice],
            "table": self.table.to_dicts(),
            "eigenvalues": self.eigenvalues.tolist(),
            "explained": self.explained,
            "note": self.note,
            "seconds": self.seconds,
        }

    def plot(self, path: str | Path | None = None) -> Any:
        """A plotly figure of eigenvalues, axes and groups; written to a file .html, .svg or .png if a path is given."""
        from softsym.propose.plot import figure, write_figure

        if path is None:
            return figure(self)
        return write_figure(self, path)

    def __str__(self) -> str:
        return f"{self.table}\n{self.words()}"

    def __rich__(self) -> Any:
        from rich.console import Group as Together
        from rich.text import Text

        return Together(self.table, Text(self.words()))

    def _repr_html_(self) -> str:
        import html

        return f"{self.table._repr_html_()}<p>{html.escape(self.words())}</p>"
