"""What the preset ``fast`` is for, tested on stored runs: errors no larger than at ``code`` in a fifth of the time, and as much seen.

Times are those in the ledger, whatever the machine was busy with; ``softsym bench learning`` measures the two side by side.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from softsym_lab.experiments.claims.claim import Claim, beats, by_labels, judge
from softsym_lab.experiments.claims.comparisons import Verdict, unpaired, variances
from softsym_lab.experiments.claims.synthetic import correlation_claims, ordered
from softsym_lab.experiments.render.markdown import number
from softsym_lab.experiments.summary import Summary

LEAST = {"model": 0.99, "lambda": 0.7}
"""Least correlations with the data error, in absolute value."""
SHARE = 0.2
"""Of the time that ``code`` takes."""
HOURS, CORES = 6, 2
"""All runs together, one thread each."""


def fast_claims(
    table1: Sequence[Summary], code: Sequence[Summary], correlation: Sequence[Summary], table2: Sequence[Summary]
) -> list[Claim]:
    """What must hold at ``fast``.

    Args:
        table1: Cells of Table 1.
        code: The same at ``code``.
        correlation: Cells of the correlation study.
        table2: Cells of Table 2.
    """
    return [*against_code(table1, code), *correlation_claims(correlation, LEAST), *against_mlp(table2)]


def against_code(fast: Sequence[Summary], code: Sequence[Summary], best: str = "PER") -> list[Claim]:
    """In every row of Table 1: mean, standard deviation and time against ``code``, and the order of the groups by model errors."""
    rows, ours = by_labels(fast)
    theirs = by_labels(code)[1]
    limits = {
        "mean error": partial(_at_most, what="mean"),
        "standard deviation": partial(_at_most, what="std"),
        "time": partial(_at_most, what="seconds", share=SHARE),
    }
    found = [
        judge(
            f"{row}: {what} of {best} below {'a fifth of ' if what == 'time' else ''}that at `code`",
            [ours[row, best], theirs[row, best]],
            test,
        )
        for what, test in limits.items()
        for row in rows
    ]
    by_errors = partial(ordered, by="model_errors")
    return found + [
        judge(f"{row}: model errors order the groups as the data do", [ours[row, best]], by_errors) for row in rows
    ]


def against_mlp(table2: Sequence[Summary], best: str = "PER", baseline: str = "MLP") -> list[Claim]:
    """In every row of Table 2: better than a network that knows no symmetry."""
    rows, cell = by_labels(table2)
    return [
        judge(f"CosSim {row}: {best} is better than {baseline}", [cell[row, best], cell[row, baseline]], beats)
        for row in rows
    ]


def time_claim(summaries: Sequence[Summary]) -> Claim:
    """That all tables together take no longer than they may, whatever the machine was busy with when they were run."""

    def test(behind: Sequence[Summary]) -> tuple[bool, str]:
        seconds = {record.spec: record.result.seconds for s in behind for record in s.records}
        hours = sum(seconds.values()) / CORES / 3600
        return hours <= HOURS, f"{len(seconds)} runs, {hours:.1f} h"

    return judge(f"all tables take at most {HOURS} hours on {CORES} cores", summaries, test)


def _at_most(behind: Sequence[Summary], what: str, share: float = 1.0) -> tuple[bool | Verdict, str]:
    """Whether the first cell's number is less than a share of the second's, which has other data."""
    one, other = (getattr(summary, what) for summary in behind)
    if one is None or other is None:
        return "undecided", "a single run has none"
    if what == "std":
        found = variances(behind[0].values, behind[1].values)
    elif what == "mean":
        found = unpaired(behind[0].values, behind[1].values, share)
    else:
        first, second = ([record.result.seconds for record in s.records] for s in behind)
        found = unpaired(first, second, share)
    return found.verdict(), f"{number(one)}, limit {number(share * other)}, p = {number(found.p, 2)}"
