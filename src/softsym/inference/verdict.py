r"""The verdict: two one-sided statements about the relative violation :math:`a = |t_\perp| / |t|` of a symmetry.

- ``exact``: the upper end of its 95 % confidence interval is below the tolerance, neither the likelihood nor the randomization test refutes
  it, nor one of its subgroups, and for compact groups the statements about every element agree (:func:`confirm_exact`). Unless a person
  gives a tolerance, it is where using the symmetry exactly would add a tenth to the error that predictions have anyway,
  :math:`a^2 = 0.1` times that error's share of the variance, but at least 0.05 and at most 0.1.
- ``absent``: the lower end is above :data:`ABSENT_ABOVE`, an equivariance error of 0.2.
- ``soft``: refuted, and the upper end below that level.
- ``undecided`` otherwise: the interval straddles a boundary, the fit is too poor, or poorer than decision trees by as much as a
  violation that matters, tests disagree, or the orbit overlap is too small. The note says which, and what would decide it.

"Not refuted" is not "exact": too few rows or too much noise leave the interval wide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from softsym.inference.exactness import Exactness
from softsym.metrics.overlap import HIGH_OVERLAP, LOW_OVERLAP

Verdict = Literal["exact", "soft", "absent", "undecided"]
TOLERANCE = 0.05
"""Relative violation up to which a symmetry counts as exact however well the data are predicted: a quarter of a percent of the variance."""
LARGEST_TOLERANCE = 0.1
"""The same however poorly they are predicted: a percent of the variance."""
COST = 0.1
"""In between, by how much using the symmetry exactly may raise the error of predictions."""
ABSENT_ABOVE = math.sqrt(2.0) * 0.2
"""Relative violation from which a symmetry is absent. Violations at x and gx are independent at worst, so an equivariance
error of e, |rho f(x) - f(rho x)| over the sum of both norms, goes with a = sqrt(2) e; e = 0.2 is where the tasks' truths draw the line."""
LEVEL = 0.01
"""Chance of a false alarm of all randomization tests together."""
LIKELIHOOD_LEVEL = 1e-4
"""The same of the likelihood ratio: much smaller, because it rests on the model being right. Violations that matter are far beyond it."""
LEAST_R2 = 0.1
"""Leave-one-out R² that the fit must have."""
LEAST_RESOLUTION = 0.4
"""Share of a violation as large as the tolerance that the rows must be able to reveal."""


@dataclass(frozen=True)
class TestStatistics:
    """The test statistics that a verdict rests on.

    Args:
        interval: 95 % confidence interval of the relative violation.
        r2: Leave-one-out R², with the symmetry as far as it holds.
        rows: Number of rows that the likelihood used.
        ratio_p: p-value of the likelihood ratio against exactness, corrected for several groups.
        test_p: p-value of the randomization test, corrected for several groups; NaN if there is none.
        coverage: Orbit overlap of the inputs, 0 to 1; NaN if unknown.
        refuted_subgroup: Name of a candidate inside the group that is refuted; empty if there is none.
        tolerance: Relative violation up to which a symmetry counts as exact; None for the default.
        saw_all: Whether these are all rows.
        inputs_p: p-value of the test that the distribution of the inputs is invariant; NaN if it was not made.
        unexplained_by_gp: Relative size of what the fit leaves unexplained and trees explain.
    """

    __test__ = False  # no test case of pytest

    interval: tuple[float, float]
    r2: float
    rows: int
    ratio_p: float
    test_p: float = math.nan
    coverage: float = math.nan
    refuted_subgroup: str = ""
    tolerance: float | None = None
    saw_all: bool = True
    inputs_p: float = math.nan
    unexplained_by_gp: float = 0.0

    @property
    def allowed(self) -> float:
        """Relative violation up to which the symmetry counts as exact."""
        return allowed_violation(self.tolerance, 1.0 - self.r2)

    @property
    def by_test(self) -> bool:
        """Whether the randomization test refutes the symmetry, where it is about the symmetry."""
        return self.test_p < LEVEL and not self.coverage < HIGH_OVERLAP

    @property
    def by_inputs(self) -> bool:
        """Whether the distribution of the inputs is not invariant, so that the test may refute any symmetry."""
        return self.inputs_p < LEVEL

    @property
    def by_likelihood(self) -> bool:
        """Whether the likelihood refutes exactness."""
        return self.ratio_p < LIKELIHOOD_LEVEL


def judge(statistics: TestStatistics) -> tuple[Verdict, str]:
    """The verdict and a note.

    Example:
        >>> judge(TestStatistics((0.0, 0.01), r2=0.98, rows=300, ratio_p=1.0, test_p=0.4, coverage=0.9))
        ('exact', '')
        >>> judge(TestStatistics((0.0, 0.2), r2=0.5, rows=100, ratio_p=1.0, test_p=0.4, coverage=0.9))[0]
        'undecided'
    """
    low, high = statistics.interval
    if statistics.coverage < LOW_OVERLAP:
        return "undecided", (
            f"transformed inputs lie where there are no inputs (orbit overlap {statistics.coverage:.2f}); "
            "inputs spread over the group's orbits would decide it"
        )
    if statistics.r2 < LEAST_R2:
        share = max(0.0, statistics.r2)
        return (
            "undecided",
            f"the fit explains only {share:.0%} of the outputs; more rows or less noise would decide it",
        )
    if low >= ABSENT_ABOVE and statistics.by_likelihood:
        return "absent", ""
    if statistics.unexplained_by_gp > statistics.allowed:
        return "undecided", (
            f"decision trees predict better than the fit, and a violation of {statistics.unexplained_by_gp:.2g} may hide in what it leaves "
            "unexplained; inputs of like sizes, or their logarithms, may help"
        )
    if statistics.by_likelihood and high < ABSENT_ABOVE:
        small = f"broken, but by at most {high:.1%}" if high <= statistics.allowed else ""
        return "soft", small
    if statistics.by_likelihood:
        return (
            "undecided",
            f"broken by {low:.2g} to {high:.2g}: soft or absent; {_rows_needed(statistics, (high - low) / 2, ABSENT_ABOVE / 4)}",
        )
    if high > statistics.allowed:
        words = "the test refutes it, but" if statistics.by_test else "not refuted, but"
        return (
            "undecided",
            f"{words} a violation of {high:.2g} is possible; {_rows_needed(statistics, high, statistics.allowed)}",
        )
    if statistics.by_test and statistics.by_inputs:
        return "undecided", (
            f"where there are data a violation is at most {high:.1%}, but the distribution of inputs is not invariant, so the test "
            f"refutes it (p = {statistics.test_p:.2g}); inputs spread over the group's orbits would decide it"
        )
    if statistics.by_test:
        return (
            "undecided",
            f"the test refutes it (p = {statistics.test_p:.2g}), the likelihood does not; more rows would decide it",
        )
    if statistics.test_p < LEVEL:
        return "undecided", (
            f"the test refutes it (p = {statistics.test_p:.2g}) where orbit overlap is partial ({statistics.coverage:.2f}): of the "
            "symmetry or of the inputs; inputs spread over the orbits would decide it"
        )
    if statistics.refuted_subgroup:
        return "undecided", f"its subgroup {statistics.refuted_subgroup} is refuted"
    careful = []
    if high > TOLERANCE:
        careful.append(
            f"a violation of {high:.2g} is possible; using it would hardly add to the error of predictions"
        )
    if statistics.coverage < HIGH_OVERLAP:
        careful.append(f"as far as orbits overlap with the inputs (orbit overlap {statistics.coverage:.2f})")
    return "exact", "; ".join(careful)


def confirm_exact(found: Exactness, p_value: float, allowed: float) -> tuple[Verdict, str]:
    """The verdict about a candidate that the likelihood calls exact, from the statements about every element of its group.

    Args:
        found: The statements.
        p_value: Of their score test, corrected for several groups.
        allowed: Relative violation up to which the symmetry counts as exact.

    Example:
        >>> confirm_exact(Exactness(0.4, (0.0, 0.01), (-0.001, 0.0), 0.9, 300), 0.4, 0.05)
        ('exact', '')
        >>> confirm_exact(Exactness(1e-9, (0.14, 0.17), (0.02, 0.03), 0.8, 300), 1e-9, 0.05)[0]
        'soft'
    """
    low, high = found.interval
    if is_refuted_by_scores(found, p_value, allowed):
        broken = f"broken by {low:.2g} to {high:.2g} at Haar elements (score test, p = {p_value:.1g})"
        if low >= ABSENT_ABOVE:
            return "absent", broken
        if high < ABSENT_ABOVE:
            return "soft", broken
        return "undecided", f"{broken}: soft or absent; more rows would decide it"
    if high > allowed:
        return "undecided", (
            f"not refuted, but a violation of {high:.2g} at Haar elements is possible; more rows or less noise would decide it"
        )
    if found.cost[0] > 0.0 and found.cost[1] > allowed**2:
        return "undecided", (
            f"a model without it predicts held-out rows better, by {max(0.0, found.cost[0]):.2%} to {found.cost[1]:.2%} "
            "of the variance; more rows would decide it"
        )
    if found.resolution < LEAST_RESOLUTION:
        return "undecided", (
            f"these rows would reveal {found.resolution:.0%} of a violation of {allowed:.2g}; "
            "more rows, or inputs spread over the orbits, would decide it"
        )
    return "exact", ""


def is_refuted_by_scores(found: Exactness, p_value: float, allowed: float) -> bool:
    """Whether the score test refutes exactness; a violation that does not matter must be more certain than one that does."""
    return p_value < (LEVEL if found.interval[1] > allowed else LIKELIHOOD_LEVEL)


def allowed_violation(tolerance: float | None, unexplained: float) -> float:
    """Relative violation up to which a symmetry counts as exact.

    Args:
        tolerance: What a person gave; None for the default.
        unexplained: Share of the variance that predictions leave.
    """
    if tolerance is not None:
        return tolerance
    return min(LARGEST_TOLERANCE, max(TOLERANCE, math.sqrt(COST * max(0.0, unexplained))))


def combine_intervals(
    interval: tuple[float, float], effect: tuple[float, float] | None, *, refuted: bool, tested: bool
) -> tuple[float, float]:
    """The interval of the violation from the likelihood and from the test.

    It excludes zero where the likelihood refutes exactness, and only there. Where the test refutes it, the interval takes in what the
    predictor sees of the violation; where both do, that is the least it can be.

    Args:
        interval: From the likelihood.
        effect: From the test; None if there is none.
        refuted: Whether the likelihood refutes exactness.
        tested: Whether the test does, on inputs that cover the group's orbits.

    Example:
        >>> combine_intervals((0.01, 0.1), None, refuted=False, tested=False)
        (0.0, 0.1)
        >>> combine_intervals((0.01, 0.1), (0.3, 0.4), refuted=True, tested=True)
        (0.3, 0.4)
    """
    low, high = interval
    if effect is not None and tested:
        low, high = max(low, effect[0]), max(high, effect[1])
    return low if refuted else 0.0, high


def _rows_needed(statistics: TestStatistics, width: float, wanted: float) -> str:
    """About how many rows would do, if intervals shrink with the square root of their number."""
    rows = statistics.rows * (width / wanted) ** 2
    digits = 10 ** max(0, math.floor(math.log10(max(rows, 1.0))))
    needed = f"{math.ceil(max(rows, 1.2 * statistics.rows) / digits) * digits:,} rows would decide it"
    if statistics.saw_all:
        return f"about {needed}"
    return f"a likelihood of about {needed}, it used {statistics.rows:,}"
