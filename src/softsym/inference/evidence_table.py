"""The evidence on each candidate symmetry: a table that people read and programs iterate over."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from scipy.special import chdtrc

from softsym.groups import Group
from softsym.inference.detail import EvidenceDetail
from softsym.inference.kernel_selection import KernelSelection
from softsym.inference.likelihood.profile import Profile
from softsym.inference.randomization import RandomizationResult
from softsym.inference.verdict import TestStatistics, Verdict, combine_intervals, judge
from softsym.tables import CandidateTable, Column

FEW = 10
"""If the likelihood used less than one row in so many, the note says so."""


@dataclass(frozen=True)
class EvidenceRow:
    """The evidence on one candidate group.

    Args:
        name: The group's name.
        verdict: ``exact``, ``soft``, ``absent`` or ``undecided``.
        p_value: Of the randomization test, or of the likelihood ratio where there is none (``method`` says which); NaN if neither.
        log_evidence: Log marginal likelihood of exact symmetry minus that of none.
        asymmetry: Relative violation |t_perp| / |t|.
        interval: Its 95 % confidence interval.
        tolerance: The smallest tolerance at which the data support exactness: the upper end of the interval.
        coverage: Orbit overlap, 0 to 1: how similar transformed inputs are to inputs.
        errors: Leave-one-out error as a share of the variance: with the symmetry exactly, as far as it holds, not at all.
        rows: How many rows the likelihood used.
        seconds: How long it took.
        method: How the kernel was made equivariant and where the p-value comes from.
        note: What would decide it, or why to be careful; empty if there is nothing to say.
    """

    name: str
    verdict: Verdict
    p_value: float = math.nan
    log_evidence: float = math.nan
    asymmetry: float = math.nan
    interval: tuple[float, float] = (0.0, 1.0)
    tolerance: float = 1.0
    coverage: float = math.nan
    errors: tuple[float, float, float] = (math.nan, math.nan, math.nan)
    rows: int = 0
    seconds: float = 0.0
    method: str = ""
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON; what is not known is None."""
        fields = asdict(self)
        plain = {key: None if isinstance(v, float) and math.isnan(v) else v for key, v in fields.items()}
        errors = [None if math.isnan(error) else error for error in self.errors]
        return {**plain, "interval": list(self.interval), "errors": errors}

    @classmethod
    def from_dict(cls, fields: dict[str, Any]) -> EvidenceRow:
        """The inverse of :meth:`to_dict`."""
        known: dict[str, Any] = {key: math.nan if value is None else value for key, value in fields.items()}
        low, high = fields["interval"]
        exact, soft, none = (math.nan if error is None else float(error) for error in fields["errors"])
        return cls(**{**known, "interval": (float(low), float(high)), "errors": (exact, soft, none)})

    def flat(self) -> dict[str, Any]:
        """One number or text for each column of a data frame."""
        fields = self.to_dict()
        low, high = fields.pop("interval")
        exact, soft, none = fields.pop("errors")
        more = {"low": low, "high": high, "error_exact": exact, "error_soft": soft, "error_none": none}
        return {"group": fields.pop("name"), **fields, **more}


def _number(value: float) -> str:
    return "" if math.isnan(value) else "0" if value == 0 else f"{value:#.2g}"


def _whole(value: float) -> str:
    return "" if math.isnan(value) else f"{value:.0f}"


COLUMNS: tuple[Column[EvidenceRow], ...] = (
    Column("group", "Group", lambda row: row.name),
    Column("verdict", "Verdict", lambda row: row.verdict),
    Column("violation", "Violation", lambda row: row.asymmetry, _number, is_figure=True),
    Column("interval", "95 % interval", lambda row: row.interval, lambda ends: " to ".join(map(_number, ends)), is_figure=True),
    Column("p", "p-value", lambda row: row.p_value, _number, is_figure=True),
    Column("log evidence", "Log evidence", lambda row: row.log_evidence, _whole, is_figure=True),
    Column("coverage", "Coverage", lambda row: row.coverage, _number, is_figure=True),
    Column("seconds", "Seconds", lambda row: row.seconds, "{:.1f}".format, is_figure=True),
    Column("note", "Note", lambda row: row.note, is_prose=True),
)  # fmt: skip
"""Columns of the table, in text and in reports."""


class EvidenceTable(CandidateTable[EvidenceRow]):
    """The table of all candidates: iterable, indexed by place or by the group's name.

    Args:
        rows: One for each candidate.
        details: For each candidate's name the curves behind its row.
        seconds: Wall time of the whole table.

    Example:
        >>> table = EvidenceTable([EvidenceRow("O(2)@z", "exact", 0.62, 665.0, 0.0, (0.0, 0.01), 0.01, 0.95)])
        >>> table["O(2)@z"].verdict
        'exact'
        >>> print(table)
        group   verdict  violation  interval    p     log evidence  coverage  seconds  note
        O(2)@z  exact    0          0 to 0.010  0.62  665           0.95      0.0
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


def ratio_p_value(found: Profile) -> float:
    """Of the likelihood ratio against exact symmetry: a half-half mixture of zero and chi^2(1)."""
    return 1.0 if found.against <= 0 else 0.5 * float(chdtrc(1, 2.0 * found.against))


def make_row(
    group: Group,
    found: Profile | None,
    selection: KernelSelection,
    *,
    ratio_p: float | None = None,
    test: RandomizationResult | None = None,
    test_p: float = math.nan,
    coverage: float = math.nan,
    refuted_subgroup: str = "",
    tolerance: float | None = None,
    seconds: float = 0.0,
    rows: int | None = None,
    inputs_p: float = math.nan,
    unexplained_by_gp: float = 0.0,
) -> EvidenceRow:
    """The row of one group, with its verdict.

    Args:
        group: The group.
        found: The profile of the likelihood; None if there is none.
        selection: Data and kernels.
        ratio_p: p-value of the likelihood ratio, corrected for several groups; not corrected if None.
        test: The randomization test; None if there is none.
        test_p: Its p-value, corrected.
        coverage: Orbit overlap of the inputs.
        refuted_subgroup: A candidate inside the group that is refuted.
        tolerance: Up to which violation a symmetry counts as exact; None for the default.
        seconds: How long it took.
        rows: How many rows the likelihood used; as many as usual if None.
        inputs_p: p-value of the test that the distribution of inputs is invariant.
        unexplained_by_gp: Relative size of what the fit leaves unexplained and trees explain.
    """
    p_value = math.nan if test is None else test.p_value
    if found is None:
        reason = selection.notes.get(group.name, "the outputs do not vary")
        return EvidenceRow(group.name, "undecided", p_value, coverage=coverage, seconds=seconds, note=reason)
    rows = selection.rows_of(group) if rows is None else rows
    method = selection.candidates[group.name].method
    if rows < len(selection.X):
        method = f"{method}, {rows:,} of {len(selection.X):,} rows"
    if selection.weights is not None or selection.exponent == 0:
        method = f"{method}, noise by weight^-{selection.exponent:g}"
    if test is None:
        p_value, method = ratio_p_value(found), f"{method}; p of the likelihood ratio"
    statistics = TestStatistics(
        found.interval, 1.0 - found.errors[1], rows, ratio_p_value(found) if ratio_p is None else ratio_p,
        test_p, coverage, refuted_subgroup, tolerance, saw_all=rows == len(selection.X), inputs_p=inputs_p,
        unexplained_by_gp=unexplained_by_gp,
    )  # fmt: skip
    effect = None if test is None else test.effect
    interval = combine_intervals(
        found.interval, effect, refuted=statistics.by_likelihood, tested=statistics.by_test
    )
    if found.is_trivial:
        verdict: Verdict = "undecided"
        note = "it acts trivially on these data: every map has this symmetry"
    else:
        verdict, note = judge(replace(statistics, interval=interval))
    if rows * FEW < len(selection.X):
        note = "; ".join([*filter(None, [note]), f"judged by a random {rows:,} of {len(selection.X):,} rows"])
    asymmetry = min(max(found.asymmetry, interval[0]), interval[1])
    return EvidenceRow(
        group.name, verdict, p_value, found.log_evidence, asymmetry, interval, interval[1],
        coverage, found.errors, rows, seconds, method, note,
    )  # fmt: skip


def make_detail(found: Profile | None, test: RandomizationResult | None = None) -> EvidenceDetail:
    """The curves that a report draws about one group.

    Args:
        found: The profile of the likelihood; None if there is none.
        test: The randomization test; None if there is none.
    """
    nothing = EvidenceDetail()
    shares, heights = (
        (nothing.shares, nothing.log_likelihoods) if found is None else (found.shares, found.values)
    )
    draws, observed = (nothing.draws, nothing.observed) if test is None else (test.draws, test.observed)
    return EvidenceDetail(shares, heights - heights.max(initial=-math.inf), draws, observed)
