"""The table of verdicts on candidate groups."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from softsym.discovery.judge.reasons import NON_BLOCKING, Cause, Reason, join_reasons, parse_note
from softsym.tables import CandidateTable, Column

Finding = Literal["exact", "soft", "absent", "undecided"]
"""The words of a truth (:data:`softsym.datasets.builtin.Verdict`), and "undecided"; the note says what would decide it."""
DecidedBy = Literal["evidence", "model"]


@dataclass(frozen=True)
class Symmetry:
    """The verdict on one candidate group.

    Args:
        name: The group's text.
        verdict: ``exact``, ``soft``, ``absent`` or ``undecided``.
        error: Equivariance error of the model, |rho f(x) - f(rho x)| over the sum of both norms, averaged.
        error_interval: Where the error lies with 95 % certainty, over seeds and samples.
        strength: For networks the final strength of the penalty, a geometric mean over seeds; for closed-form models the share of the
            target function's variance that is equivariant; NaN if unknown.
        residual: Violation by the model: squared distance of the weights from the group's equivariant space, unweighted, as a share of
            their squared norm; for closed-form models the rest of the target function's variance.
        excess: The error beyond what a good model's own mistakes explain: an estimate of the data's own equivariance error.
        layers: Distance of each layer's weights from that space, as a share of their norm.
        reasons: Why the verdict is not certain; none if it is.
        p_value: Of the exact randomization test, or of the likelihood ratio where there is none; NaN if neither was made.
        log_evidence: Log marginal likelihood of exact symmetry minus that of none; NaN if unknown.
        violation: Relative violation |t_perp| / |t| of the target function, as the evidence estimates it; NaN if unknown.
        violation_interval: Its 95 % interval.
        tolerance: The smallest tolerance at which the data support exactness; NaN if unknown.
        coverage: Orbit overlap, 0 to 1: how much transformed data look like data; NaN if unknown.
        decided_by: Whether the evidence or the model's own violation decided.
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
    p_value: float = math.nan
    log_evidence: float = math.nan
    violation: float = math.nan
    violation_interval: tuple[float, float] = (math.nan, math.nan)
    tolerance: float = math.nan
    coverage: float = math.nan
    decided_by: DecidedBy = "model"

    @property
    def group(self) -> str:
        """The group's text."""
        return self.name

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the error."""
        return self.error_interval

    @property
    def note(self) -> str:
        """What would decide it, or why to be careful, in words; empty if there is nothing to say."""
        return join_reasons(self.reasons)

    @property
    def is_conclusive(self) -> bool:
        """Whether data and fit suffice for a verdict."""
        return self.verdict != "undecided" and all(reason.cause in NON_BLOCKING for reason in self.reasons)

    @property
    def is_within_fit(self) -> bool:
        """Whether the verdict holds up to violations smaller than the model's own errors."""
        return any(reason.cause is Cause.FIT for reason in self.reasons)

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON; what is not known is None."""
        fields: dict[str, Any] = {**asdict(self), "note": self.note}
        del fields["reasons"]
        reasons = [{"code": reason.cause.name.lower(), "text": reason.text} for reason in self.reasons]
        return {key: _plain(value) for key, value in fields.items()} | {"reasons": reasons}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> Symmetry:
        """The inverse of :meth:`to_dict`; files without codes of reasons have them in the note."""
        rest = {
            key: _unknown(value) for key, value in fields.items() if key not in ("note", "layers", "reasons")
        }
        reasons = (
            tuple(Reason(Cause[each["code"].upper()], each["text"]) for each in fields["reasons"])
            if "reasons" in fields
            else parse_note(fields["note"])
        )
        return cls(**rest, layers=dict(fields.get("layers", {})), reasons=reasons)

    def flat(self) -> dict[str, Any]:
        """One number or text for each column of a data frame."""
        (low, high), (least, most) = self.error_interval, self.violation_interval
        fields = {
            "group": self.name, "verdict": self.verdict, "error": self.error, "error_low": low, "error_high": high,
            "p_value": self.p_value, "log_evidence": self.log_evidence, "violation": self.violation, "violation_low": least,
            "violation_high": most, "tolerance": self.tolerance, "coverage": self.coverage, "excess": self.excess,
            "strength": self.strength, "residual": self.residual, "decided_by": self.decided_by, "note": self.note,
        }  # fmt: skip
        return fields | {f"distance {layer}": value for layer, value in self.layers.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(end) for end in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def _unknown(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(math.nan if end is None else float(end) for end in value)
    return math.nan if value is None else value


def _number(value: float) -> str:
    return "" if math.isnan(value) else "0" if value == 0 else f"{value:#.2g}"


def _strength(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.0f}" if value >= 100 else f"{value:.3g}"


COLUMNS: tuple[Column[Symmetry], ...] = (
    Column("group", "Group", lambda row: row.name),
    Column("verdict", "Verdict", lambda row: row.verdict),
    Column("error", "Error", lambda row: row.error, _number, is_figure=True),
    Column("interval", "95 % interval", lambda row: row.error_interval, lambda ends: " to ".join(map(_number, ends)), is_figure=True),
    Column("p", "p-value", lambda row: row.p_value, _number, is_figure=True),
    Column("strength", "Strength", lambda row: row.strength, _strength, is_figure=True),
    Column("residual", "Residual", lambda row: row.residual, _number, is_figure=True),
    Column("note", "Note", lambda row: row.note, is_prose=True),
)  # fmt: skip
"""What a table of symmetries shows, wherever it is shown."""


class Symmetries(CandidateTable[Symmetry]):
    """The table of all candidate groups: iterable, indexed by place or by the group's name.

    Example:
        >>> table = Symmetries([Symmetry("O(2)@z", "exact", 0.002, (0.001, 0.003), 1.0, 1e-4, p_value=0.62)])
        >>> table["O(2)@z"].verdict
        'exact'
        >>> print(table)
        group   verdict  error   interval          p     strength  residual  note
        O(2)@z  exact    0.0020  0.0010 to 0.0030  0.62  1         0.00010
    """

    title = "Symmetries"
    columns = COLUMNS

    def certain(self) -> dict[str, Finding]:
        """Verdicts by group that are conclusive."""
        return {row.name: row.verdict for row in self._rows if row.is_conclusive}
