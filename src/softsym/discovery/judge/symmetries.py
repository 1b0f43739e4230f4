"""What was found about each candidate symmetry: a small table that people read and programs iterate over."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

from softsym.discovery.judge.reasons import Cause, Reason, note_of, reasons_in
from softsym.tables import CandidateTable, Column

Finding = Literal["exact", "soft", "absent", "undecided"]
"""The words of a truth (:data:`softsym.tasks.task.Verdict`), and one for groups that no data can tell anything about."""


@dataclass(frozen=True)
class Symmetry:
    """What was found about one candidate group.

    Args:
        name: The group's text.
        verdict: ``exact``, ``soft``, ``absent``, or ``undecided`` for a group that moves nothing.
        error: Equivariance error of the model, |rho f(x) - f(rho x)| over the sum of both norms, averaged.
        error_interval: Where the error lies with 95 % certainty, over seeds and samples.
        strength: Final strength of its penalty, a geometric mean over seeds.
        residual: Squared distance of the weights from the group's equivariant space, unweighted, as a share of their squared norm.
        excess: The error beyond what a good model's own mistakes explain: an estimate of the data's own equivariance error.
        layers: Distance of each layer's weights from that space, as a share of their norm.
        reasons: Why the verdict is not certain; none if it is.
    """

    name: str
    verdict: Finding
    error: float
    error_interval: tuple[float, float]
    strength: float
    residual: float
    excess: float = 0.0
    layers: dict[str, float] = field(default_factory=dict)
    reasons: tuple[Reason, ...] = ()

    @property
    def note(self) -> str:
        """Why the verdict is not certain, in words; empty if it is."""
        return note_of(self.reasons)

    @property
    def is_conclusive(self) -> bool:
        """Whether data and fit were good enough to tell."""
        return not self.reasons

    @property
    def is_within_fit(self) -> bool:
        """Whether the verdict stands, but only as far as the model's own mistakes let one see."""
        return any(reason.cause is Cause.FIT for reason in self.reasons)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON."""
        fields = {**asdict(self), "error_interval": list(self.error_interval), "note": self.note}
        del fields["reasons"]
        return fields

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Symmetry:
        """The inverse of :meth:`to_dict`."""
        low, high = fields["error_interval"]
        rest = {key: value for key, value in fields.items() if key != "note"}
        return cls(
            **{**rest, "error_interval": (float(low), float(high)), "reasons": reasons_in(fields["note"])}
        )

    def flat(self) -> dict[str, Any]:
        """One number or text for each column of a data frame."""
        low, high = self.error_interval
        fields = {
            "group": self.name, "verdict": self.verdict, "error": self.error, "error_low": low, "error_high": high,
            "excess": self.excess, "strength": self.strength, "residual": self.residual, "note": self.note,
        }  # fmt: skip
        return fields | {f"distance {layer}": value for layer, value in self.layers.items()}


def _strength(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


COLUMNS: tuple[Column[Symmetry], ...] = (
    Column("group", "Group", lambda row: row.name),
    Column("verdict", "Verdict", lambda row: row.verdict),
    Column("error", "Error", lambda row: row.error, "{:#.2g}".format, is_figure=True),
    Column("interval", "95 % interval", lambda row: row.error_interval, lambda ends: "{:#.2g} to {:#.2g}".format(*ends), is_figure=True),
    Column("strength", "Relative strength", lambda row: row.strength, _strength, is_figure=True),
    Column("residual", "Residual", lambda row: row.residual, "{:#.2g}".format, is_figure=True),
    Column("note", "Note", lambda row: row.note, is_prose=True),
)  # fmt: skip
"""What a table of symmetries shows, wherever it is shown."""


class Symmetries(CandidateTable[Symmetry]):
    """The table of all candidate groups: iterable, indexed by place or by the group's name.

    Example:
        >>> table = Symmetries([Symmetry("O(2)@z", "exact", 0.002, (0.001, 0.003), 1.0, 1e-4)])
        >>> table["O(2)@z"].verdict
        'exact'
        >>> print(table)
        group   verdict  error   interval          strength  residual  note
        O(2)@z  exact    0.0020  0.0010 to 0.0030  1         0.00010
    """

    title = "Symmetries"
    columns = COLUMNS

    def certain(self) -> dict[str, Finding]:
        """The verdicts by group that one can build on: those without doubt, and those that hold as far as the fit can tell."""
        return {row.name: row.verdict for row in self._rows if row.is_conclusive or row.is_within_fit}

    def relative(self) -> Symmetries:
        """The same table with strengths relative to the strongest group's, which has 1."""
        strongest = max((row.strength for row in self._rows), default=0.0) or 1.0
        return Symmetries([replace(row, strength=row.strength / strongest) for row in self._rows])
