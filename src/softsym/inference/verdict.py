r"""The one rule: from the statements about a candidate to its verdict, the reason as a code, and the row of the table.

With the relative violation :math:`a = |t - P_G t| / |t|`, the statements R, C and M of :mod:`softsym.inference.statements`, and p-values
corrected for all candidates (Holm, 1979):

- ``exact``: not refuted; the upper end of M's interval is below the tolerance, for every copy of the outputs and also relative to what
  linear maps leave of them (two one-sided tests; Schuirmann, 1987); the cost of enforcing it is below the tolerance squared; and the rows
  would have revealed a violation as large as the tolerance.
- ``absent``: refuted, and the violation is at least :data:`ABSENT_ABOVE` by M's interval or by the cost.
- ``soft``: refuted, and the upper end is below that.
- ``undecided`` otherwise, with the reason and what would decide it.

Candidates are consistent with each other: a group is not exact if a candidate inside it is refuted, it is absent if one inside
it is absent, and what is exact passes to the candidates inside it.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from enum import StrEnum
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from softsym.tables import CandidateTable, Column
from softsym.typing import Array

Verdict = Literal["exact", "soft", "absent", "undecided"]
TOLERANCE = 0.05
"""Relative violation up to which a symmetry counts as exact: a quarter of a percent of the variance."""
LEVEL = 0.01
"""Chance of a false refutation of all candidates together."""
ABSENT_ABOVE = math.sqrt(2.0) * 0.2
"""Relative violation from which a symmetry is absent. Violations at x and gx are independent at worst, so an equivariance
error of e, |rho f(x) - f(rho x)| over the sum of both norms, goes with a = sqrt(2) e; e = 0.2 is where the tasks' truths draw the line."""
SMALL_LEVEL = LEVEL / 10
"""Level at which a violation below the tolerance is believed: it has to be more certain than one that matters."""
LEAST_R2 = 0.1
"""Share of the outputs that the best model must predict."""
LEAST_RESOLUTION = 0.4
"""Share of a violation as large as the tolerance that the rows must be able to reveal."""
LEAST_OVERLAP = 0.3
"""Orbit overlap below which transformed inputs are no inputs of this data set."""


class Reason(StrEnum):
    """Why a verdict is what it is."""

    NONE = "none"
    TRIVIAL = "trivial"
    NO_ROWS = "no-rows"
    POOR_FIT = "poor-fit"
    OVERLAP = "overlap"
    FEW_ROWS = "few-rows"
    SOFT_OR_ABSENT = "soft-or-absent"
    DISAGREE = "disagree"
    INCOMPLETE = "incomplete"
    BETTER_WITHOUT = "better-without"
    RESOLUTION = "resolution"
    SUBGROUP = "subgroup"
    SMALL_VIOLATION = "small-violation"


@dataclass(frozen=True)
class EvidenceRow:
    """The evidence on one candidate group.

    Args:
        name: The group's name.
        verdict: ``exact``, ``soft``, ``absent`` or ``undecided``.
        reason: Why, as a code.
        note: What would decide it, or what to know about it; empty if there is nothing to say.
        violation: Relative violation |t - P t| / |t|.
        interval: Its 95 % confidence interval, for all candidates together.
        p_value: Of the test of equivariance, corrected for all candidates; NaN if there is none.
        cost: 95 % confidence interval of the share of the variance that enforcing the group costs on held-out rows.
        certified: Certified tolerance: an upper limit of the violation without any model of it; NaN if unknown.
        tolerance: The smallest tolerance at which the data support exactness, if violations are as smooth as the kernels: the upper end of
            the interval, which where nothing is decided reaches to the certified tolerance.
        overlap: Orbit overlap of the inputs, 0 to 1, the least over cosets and circles.
        log_evidence: Log likelihood with the symmetry minus that without.
        errors: Shares of the variance that predictions leave on held-out rows: with the symmetry exactly, as far as it holds, without.
        rows: How many rows were used.
        seconds: How long it took.
        method: Features of the equivariant part.
    """

    name: str
    verdict: Verdict
    reason: Reason = Reason.NONE
    note: str = ""
    violation: float = math.nan
    interval: tuple[float, float] = (0.0, 1.0)
    p_value: float = math.nan
    cost: tuple[float, float] = (math.nan, math.nan)
    certified: float = math.nan
    tolerance: float = 1.0
    overlap: float = math.nan
    log_evidence: float = math.nan
    errors: tuple[float, float, float] = (math.nan, math.nan, math.nan)
    rows: int = 0
    seconds: float = 0.0
    method: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON; what is not known is None."""
        fields = {key: _plain(value) for key, value in asdict(self).items()}
        fields["asymmetry"], fields["coverage"] = fields.pop("violation"), fields.pop("overlap")
        return fields

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> EvidenceRow:
        """The inverse of :meth:`to_dict`."""
        known: dict[str, Any] = dict(fields)
        known["violation"], known["overlap"] = known.pop("asymmetry"), known.pop("coverage")
        known["reason"] = Reason(known["reason"])
        for key in ("interval", "cost", "errors"):
            known[key] = tuple(math.nan if end is None else float(end) for end in known[key])
        unknown: dict[str, Any] = {key: math.nan for key, value in known.items() if value is None}
        return cls(**{**known, **unknown})

    def flat(self) -> dict[str, Any]:
        """One number or text for each column of a data frame."""
        fields = {key: _plain(value) for key, value in asdict(self).items()}
        for key, ends in (
            ("interval", ("low", "high")),
            ("cost", ("cost_low", "cost_high")),
            ("errors", ("error_exact", "error_soft", "error_none")),
        ):
            fields |= dict(zip(ends, fields.pop(key), strict=True))
        return {"group": fields.pop("name"), **fields}


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(each) for each in value]
    if isinstance(value, Reason):
        return str(value)
    return None if isinstance(value, float) and math.isnan(value) else value


def format_number(value: float) -> str:
    """Two digits; a dash for what is not known."""
    return "-" if math.isnan(value) else "0" if value == 0 else f"{value:#.2g}"


COLUMNS: tuple[Column[EvidenceRow], ...] = (
    Column("group", "Group", lambda row: row.name),
    Column("verdict", "Verdict", lambda row: row.verdict),
    Column("violation", "Violation", lambda row: row.violation, format_number, is_figure=True),
    Column(
        "95 % interval",
        "95 % interval",
        lambda row: row.interval,
        lambda ends: " to ".join(map(format_number, ends)),
        is_figure=True,
    ),
    Column("cost", "Cost of enforcing", lambda row: row.cost[1], lambda v: _share(v), is_figure=True),
    Column("certified", "Certified tolerance", lambda row: row.certified, format_number, is_figure=True),
    Column("p", "p-value", lambda row: row.p_value, format_number, is_figure=True),
    Column("overlap", "Orbit overlap", lambda row: row.overlap, format_number, is_figure=True),
    Column("note", "Note", lambda row: row.note, is_prose=True),
)
"""Columns of the table, in text and in reports."""


def _share(value: float) -> str:
    """An upper limit of a share of the variance."""
    return "-" if math.isnan(value) else f"< {max(value, 1e-6):.2g}"


class EvidenceTable(CandidateTable[EvidenceRow]):
    """The table of all candidates: iterable, indexed by place or by the group's name.

    Args:
        rows: One for each candidate.
        details: For each candidate's name the curves behind its row.
        seconds: Wall time of the whole table.

    Example:
        >>> numbers = {"violation": 0.0, "interval": (0.0, 0.01), "cost": (0.0, 0.001), "certified": 0.06, "p_value": 0.62, "overlap": 0.95}
        >>> table = EvidenceTable([EvidenceRow("O(2)@z", "exact", **numbers)])
        >>> table["O(2)@z"].verdict
        'exact'
        >>> print(table)
        group   verdict  violation  95 % interval  cost     certified  p     overlap  note
        O(2)@z  exact    0          0 to 0.010     < 0.001  0.060      0.62  0.95
    """

    title = "Evidence"
    columns = COLUMNS

    def __init__(
        self,
        rows: Sequence[EvidenceRow] = (),
        details: Mapping[str, EvidenceDetail] | None = None,
        seconds: float = 0.0,
    ) -> None:
        super().__init__(rows)
        self.details, self.seconds = dict(details or {}), seconds


def _numbers(values: ArrayLike = ()) -> Array:
    return np.asarray(values, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class EvidenceDetail:
    """Curves behind one row of the table; empty where there is none.

    Args:
        shares: Relative sizes of a violation, rising from 0, shape (k,).
        log_likelihoods: Log likelihood at each, relative to the highest, so at most 0, shape (k,).
        draws: Mean losses of transformed rows in the randomization test, shape (m,).
        observed: Mean loss of the rows as they are; NaN if there is no test.

    Example:
        >>> detail = EvidenceDetail([0.0, 0.5], [0.0, -12.5], [1.25, 1.5], 1.0)
        >>> EvidenceDetail.from_dict(detail.to_dict()) == detail
        True
    """

    shares: Any = field(default_factory=_numbers)
    log_likelihoods: Any = field(default_factory=_numbers)
    draws: Any = field(default_factory=_numbers)
    observed: float = math.nan

    def __post_init__(self) -> None:
        for name in ("shares", "log_likelihoods", "draws"):
            object.__setattr__(self, name, _numbers(getattr(self, name)))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, EvidenceDetail) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((self.shares.tobytes(), self.draws.tobytes()))

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers, for JSON; what is not known is None."""
        names = ("shares", "log_likelihoods", "draws")
        return {name: getattr(self, name).tolist() for name in names} | {"observed": _plain(self.observed)}

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> EvidenceDetail:
        """The inverse of :meth:`to_dict`."""
        return cls(**{key: math.nan if value is None else value for key, value in fields.items()})


@dataclass(frozen=True)
class Findings:
    """What a verdict rests on.

    Args:
        p_value: Of the test of equivariance, corrected for all candidates; NaN where features cannot follow all equivariant functions, and
            nothing can be averaged.
        interval: Of the relative violation.
        largest: Upper end of the largest violation of any copy of the outputs, relative to what is left after linear maps.
        cost: Interval of the difference of squared errors with and without the symmetry, over the variance.
        resolution: Share of a violation as large as the tolerance that the rows would reveal.
        unexplained: Share of the variance that the best model leaves on held-out rows.
        rows: How many rows there are.
        overlap: Orbit overlap; NaN if unknown.
        tolerance: Relative violation up to which a symmetry counts as exact.
        unresolved: Share of the squared signal that no model predicts; part of the violation where exactness is refuted.
        least: Lower limit of the violation from the scores of the test.
        row_groups: How many row groups there are, if fewer than rows.
        gain: Lower limit of what a model without the group gains on held-out rows, over the variance that linear maps leave.
        certified: Certified tolerance.
    """

    p_value: float
    interval: tuple[float, float]
    largest: float
    cost: tuple[float, float]
    resolution: float
    unexplained: float
    rows: int
    overlap: float = 1.0
    tolerance: float = TOLERANCE
    unresolved: float = 0.0
    least: float = 0.0
    row_groups: int | None = None
    gain: float = 0.0
    certified: float = 0.0

    @property
    def is_refuted(self) -> bool:
        """Whether exactness is refuted; a violation below the tolerance has to cost something, because no regression is free of bias."""
        if self.largest <= self.tolerance:
            return self.p_value < SMALL_LEVEL and self.cost[0] > 0
        return self.p_value < LEVEL

    @property
    def low(self) -> float:
        """The least violation: by the model, or by the scores; zero where exactness is not refuted."""
        return max(self.interval[0], self.least) if self.is_refuted else 0.0

    @property
    def high(self) -> float:
        """The largest violation; where more is left unexplained than the least violation, all of that may be part of it."""
        hidden = self.unresolved if self.is_refuted else 0.0
        costly = self.cost[1] if self.gain > 0 else 0.0
        error = self.certified**2 if self.is_refuted and self.unexplained > self.low**2 else 0.0
        return min(1.0, math.sqrt(max(self.interval[1] ** 2 + hidden, self.low**2, costly, error)))


def judge(found: Findings) -> tuple[Verdict, Reason, str]:
    """The verdict, the reason and a note.

    Example:
        >>> judge(Findings(0.4, (0.0, 0.01), 0.02, (-0.001, 0.001), 0.9, 0.02, 300))[:2]
        ('exact', <Reason.NONE: 'none'>)
        >>> judge(Findings(1e-9, (0.1, 0.2), 0.2, (0.01, 0.04), 0.9, 0.02, 300))[0]
        'soft'
        >>> judge(Findings(0.4, (0.0, 0.2), 0.2, (-0.01, 0.01), 0.9, 0.02, 100))[1]
        <Reason.FEW_ROWS: 'few-rows'>
    """
    if 1.0 - found.unexplained < LEAST_R2:
        share = max(0.0, 1.0 - found.unexplained)
        note = f"models predict only {share:.0%} of the outputs; more rows or less noise would decide it"
        return "undecided", Reason.POOR_FIT, note
    if found.is_refuted:
        return _judge_refuted(found)
    reason, note = _find_doubt(found)
    if reason is Reason.NONE:
        return "exact", reason, note
    if math.isnan(found.p_value) and reason is not Reason.BETTER_WITHOUT:
        note = "not all functions with this symmetry can be modelled here, so that it cannot be refuted"
        return "undecided", Reason.INCOMPLETE, note
    return "undecided", reason, note


def _judge_refuted(found: Findings) -> tuple[Verdict, Reason, str]:
    low, high = found.low, found.high
    if low >= ABSENT_ABOVE:
        return "absent", Reason.NONE, ""
    if high >= ABSENT_ABOVE:
        note = f"broken by {low:.2g} to {high:.2g}: soft or absent; more rows would decide it"
        return "undecided", Reason.SOFT_OR_ABSENT, note
    if high <= found.tolerance:
        return "soft", Reason.SMALL_VIOLATION, f"broken, but by at most {high:.1%}"
    return "soft", Reason.NONE, ""


def _find_doubt(found: Findings) -> tuple[Reason, str]:
    """Why a group that is not refuted is not exact either, and what would decide it; no reason if it is exact."""
    tolerance, (low, high) = found.tolerance, found.interval
    if found.overlap < LEAST_OVERLAP:
        return Reason.OVERLAP, (
            f"transformed inputs lie where there are no inputs (orbit overlap {found.overlap:.2f}); "
            "inputs spread over the group's orbits would decide it"
        )
    if found.p_value < SMALL_LEVEL:
        return Reason.DISAGREE, (
            f"the test sees a violation (p = {found.p_value:.2g}) of at most {found.high:.2g} that costs nothing on held-out rows; "
            "either it is that small, or the models are too coarse"
        )
    if low > tolerance:
        return Reason.DISAGREE, (
            f"the model sees a violation of {low:.2g} to {high:.2g}, which the test on held-out rows "
            f"does not confirm (p = {found.p_value:.2g}); more rows would decide it"
        )
    largest = max(found.largest, high)
    if largest > tolerance:
        return Reason.FEW_ROWS, (
            f"not refuted, but a violation of {min(1.0, largest):.2g} is possible; {_rows_needed(found)}"
        )
    least, cost = found.cost
    if found.gain > tolerance**2 or (cost > tolerance**2 and least > 0):
        return Reason.BETTER_WITHOUT, (
            f"a model without it predicts held-out rows better, by {least:.2%} to {cost:.2%} of the variance; "
            "more rows would decide it"
        )
    if cost > tolerance**2:
        return Reason.FEW_ROWS, f"enforcing it may cost {cost:.2%} of the variance; {_rows_needed(found)}"
    if found.resolution < LEAST_RESOLUTION:
        return Reason.RESOLUTION, (
            f"these rows would reveal {found.resolution:.0%} of a violation of {tolerance:.2g}; "
            "more rows, or inputs spread over the orbits, would decide it"
        )
    return Reason.NONE, ""


def _rows_needed(found: Findings) -> str:
    """About how many rows, or row groups, would do, if intervals shrink with the square root of their number."""
    is_grouped = found.row_groups is not None
    units = found.row_groups if found.row_groups is not None else found.rows
    needed = units * max(1.2, (min(found.largest, 1.0) / found.tolerance) ** 2)
    digits = 10 ** max(0, math.floor(math.log10(max(needed, 1.0))))
    count = math.ceil(needed / digits) * digits
    return f"about {count:,} row{' groups' if is_grouped else 's'} would decide it"


def make_consistent(rows: Sequence[EvidenceRow], inside: Sequence[Sequence[int]]) -> list[EvidenceRow]:
    """The rows, consistent with each other.

    Args:
        rows: A row for each candidate.
        inside: For each candidate the indices of the candidates that are subgroups of it.
    """
    judged = list(rows)
    for k, row in enumerate(rows):
        absent = [rows[j] for j in inside[k] if rows[j].verdict == "absent"]
        refuted = [rows[j] for j in inside[k] if rows[j].verdict in ("soft", "absent")]
        if absent and row.verdict != "absent":
            other = max(absent, key=lambda each: each.interval)
            low, high = (max(ends) for ends in zip(row.interval, other.interval, strict=True))
            violation = other.violation if math.isnan(row.violation) else max(row.violation, other.violation)
            note = f"its subgroup {other.name} is absent"
            judged[k] = replace(
                row,
                verdict="absent",
                reason=Reason.SUBGROUP,
                note=note,
                violation=violation,
                interval=(low, high),
                tolerance=high,
            )
        elif refuted and row.verdict == "exact":
            other = refuted[0]
            high = max(row.interval[1], other.interval[1])
            note = f"its subgroup {other.name} is refuted"
            judged[k] = replace(
                row, verdict="undecided", reason=Reason.SUBGROUP, note=note, interval=(0.0, high), tolerance=high
            )
    for k, row in enumerate(judged):  # a larger group is broken at least as much
        most = max((judged[j] for j in inside[k]), key=lambda each: each.interval[0], default=row)
        least = most.interval[0]
        if row.verdict in ("soft", "absent") and row.interval[0] < least:
            high = row.interval[1] if row.interval[1] >= least else most.interval[1]
            note = f"broken at least as much as its subgroup {most.name}" if row.note else ""
            violation = max(row.violation, least)
            judged[k] = replace(row, violation=violation, interval=(least, high), tolerance=high, note=note)
    for k, row in enumerate(judged):
        around = [
            judged[j]
            for j in range(len(rows))
            if k in inside[j] and judged[j].verdict == "exact" and row.verdict == "undecided"
        ]
        if around and row.reason is not Reason.TRIVIAL and not row.p_value < LEVEL:
            other = min(around, key=lambda each: each.interval[1])
            high = min(row.interval[1], other.interval[1])
            judged[k] = replace(
                row,
                verdict="exact",
                reason=Reason.SUBGROUP,
                note=f"a subgroup of {other.name}, which is exact",
                violation=min(row.violation, high),
                interval=(0.0, high),
                tolerance=high,
            )
    return judged
