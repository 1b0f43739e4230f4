"""Tests behind claims: seeds are paired, errors compared by their ratio, and what seeds cannot tell apart stays open.

Runs with the same seed share data, split and batches, so that their errors are compared seed by seed. Errors differ by factors, so
the test is Student's of the logarithms. *Better than every other* holds if each single comparison is significant (an
intersection-union test needs no correction); it does not hold if one of the others is better at the level divided by their number.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from scipy import stats

from softsym_lab.experiments.render.markdown import number
from softsym_lab.experiments.summary import Summary

Verdict = Literal["holds", "does not hold", "undecided"]
LEVEL = 0.05
TINY = 1e-300
ALIKE = 2.0
"""Standard deviations of seeds by which a mean may differ and still be called the same."""


@dataclass(frozen=True)
class Comparison:
    """Two sets of positive numbers compared.

    Args:
        ratio: Geometric mean of the first over that of the second.
        p: Two-sided p-value of a ratio of one; 1 where there are too few numbers.
        count: Numbers, or pairs, behind it.
    """

    ratio: float
    p: float
    count: int

    def verdict(self, level: float = LEVEL) -> Verdict:
        """Whether the first is smaller."""
        if self.p >= level:
            return "undecided"
        return "holds" if self.ratio < 1 else "does not hold"


def logs(values: Sequence[float]) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Natural logarithms; zero counts as tiny."""
    return np.log(np.maximum(np.asarray(values, dtype=np.float64), TINY))


def student(values: Sequence[float] | np.ndarray[tuple[int, ...], np.dtype[np.float64]]) -> float:
    """Two-sided p-value of a mean of zero.

    Example:
        >>> round(student([1.0, 1.1, 0.9]), 4), student([0.5, 0.5]), student([0.0, 0.0]), student([3.0])
        (0.0033, 0.0, 1.0, 1.0)
    """
    known = np.asarray(values, dtype=np.float64)
    if len(known) < 2:
        return 1.0
    deviation = known.std(ddof=1)
    if deviation <= 1e-12 * max(1e-12, float(np.abs(known).max())):
        return 0.0 if abs(float(known.mean())) > 1e-12 else 1.0
    return float(stats.ttest_1samp(known, 0.0).pvalue)


def paired(first: Summary, second: Summary) -> Comparison:
    """Two cells of the same row, over the seeds that both have."""
    return paired_values(first.by_seed, second.by_seed)


def paired_values(one: Mapping[int, float], other: Mapping[int, float]) -> Comparison:
    """Positive numbers by seed, over the seeds that both have."""
    common = [seed for seed in one if seed in other]
    if not common:
        return Comparison(1.0, 1.0, 0)
    differences = logs([one[seed] for seed in common]) - logs([other[seed] for seed in common])
    return Comparison(math.exp(float(differences.mean())), student(differences), len(common))


def unpaired(first: Sequence[float], second: Sequence[float], share: float = 1.0) -> Comparison:
    """Two sets of numbers on different data, the second times a share; Welch's test.

    Example:
        >>> unpaired([1.0, 1.1, 0.9], [4.0, 4.4, 3.6]).verdict(), unpaired([1.0, 2.0], [1.5, 1.6]).verdict()
        ('holds', 'undecided')
    """
    one, other = logs(first), logs(second) + math.log(share)
    gap = float(one.mean() - other.mean())
    count = min(len(one), len(other))
    if count < 2:
        return Comparison(math.exp(gap), 1.0, count)
    shares = [float(values.var(ddof=1)) / len(values) for values in (one, other)]
    error = math.sqrt(sum(shares))
    if error <= 1e-12:
        return Comparison(math.exp(gap), 0.0 if abs(gap) > 1e-12 else 1.0, count)
    freedom = sum(shares) ** 2 / sum(s**2 / (len(v) - 1) for s, v in zip(shares, (one, other), strict=True))
    return Comparison(math.exp(gap), 2 * float(stats.t.sf(abs(gap) / error, freedom)), count)


def variances(first: Sequence[float], second: Sequence[float]) -> Comparison:
    """Standard deviations of two sets of numbers; the F test of their variances."""
    if min(len(first), len(second)) < 2:
        return Comparison(1.0, 1.0, min(len(first), len(second)))
    one, other = (max(float(np.var(values, ddof=1)), TINY) for values in (first, second))
    tail = stats.f(len(first) - 1, len(second) - 1)
    p = 2 * min(float(tail.cdf(one / other)), float(tail.sf(one / other)))
    return Comparison(math.sqrt(one / other), min(p, 1.0), min(len(first), len(second)))


def against(values: Sequence[float], limit: float) -> Comparison:
    """Numbers against a fixed one."""
    apart = logs(values) - math.log(max(limit, TINY))
    return Comparison(math.exp(float(apart.mean())), student(apart), len(values))


def all_below(pairs: Sequence[tuple[Summary, Summary]]) -> tuple[Verdict, str]:
    """Whether the first of every pair is smaller, and the p-value that decides."""
    found = [(paired(one, other), one, other) for one, other in pairs]
    worse = [each for each in found if each[0].verdict(LEVEL / len(found)) == "does not hold"]
    open_ones = [each for each in found if each[0].verdict() != "holds"]
    if not open_ones:
        return "holds", f"p <= {_p(max(c.p for c, _, _ in found))}"
    if worse:
        return "does not hold", ", ".join(f"{_name(a, b)} {number(c.ratio)} times, p = {_p(c.p)}" for c, a, b in worse)
    return "undecided", ", ".join(f"{_name(a, b)} {number(c.ratio)} times, p = {_p(c.p)}" for c, a, b in open_ones)


def alike(cells: Sequence[Summary], usual: Summary) -> Verdict:
    """Whether every mean is within two standard deviations of seeds of the usual one's; where not, whether seeds can tell."""
    limit = ALIKE * (usual.std or 0.0)
    apart = [
        s
        for s in cells
        if s is not usual and abs((s.mean or 0.0) - (usual.mean or 0.0)) > limit + 1e-12 * (usual.mean or 0.0)
    ]
    if not apart:
        return "holds"
    is_clear = any(paired(s, usual).p < LEVEL / max(1, len(cells) - 1) for s in apart)
    return "does not hold" if is_clear else "undecided"


def _name(first: Summary, second: Summary) -> str:
    return f"{first.column.label} over {second.column.label}"


def _p(value: float) -> str:
    return "0.0001" if value < 1e-4 else number(value, 2)
