"""Claims about the synthetic tasks: Tables 1 and 2, what the strengths find, and the correlation study."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from typing import Literal

from softsym_lab.experiments.claims.claim import APART, Claim, beats, by_labels, judge
from softsym_lab.experiments.claims.comparisons import LEVEL, Verdict, against, student
from softsym_lab.experiments.render.markdown import EMPTY, number
from softsym_lab.experiments.render.tables.correlation import QUANTITIES, by_seed, ours_and_published
from softsym_lab.experiments.store import RunRecord
from softsym_lab.experiments.summary import Summary

Reading = Literal["strengths", "model_errors"]
LEAST = {"model": 0.98, "reg": 0.61, "lambda": 0.49, "before": 0.61}
"""Least pooled correlations with the data error, in absolute value, that we call success; published are 0.989, 0.615, -0.486."""
CLOSE = 1 - 1e-9
"""Correlations are at most this, so that their transform is finite."""
ALIKE = 1.1
"""Networks are of similar size if the largest has at most so many times the trainable numbers of the smallest."""


def table1_claims(summaries: Sequence[Summary], best: str = "PER", full: str = "PER_full") -> list[Claim]:
    """The claims about Table 1."""
    rows, cell = by_labels(summaries)
    short = [s for s in summaries if s.column.label != full]
    found = [*best_claims(short, best, where="Table 1"), sizes_claim([s for s in short if not is_equal(s)], "Table 1")]
    for row in rows:
        text = f"{row}: strengths order the groups as the data do"
        found.append(judge(text, [cell[row, best]], ordered, "3.2, 4.1.3"))
    for row in rows:
        text = f"{row}: {best} breaks every group as much as the data do, to {APART:g}"
        found.append(judge(text, [cell[row, best]], matches, "4.1.3"))
    for row in [row for row in rows if (row, full) in cell]:
        text = f"{row}: the full schedule gives a smaller error than stopping early"
        found.append(judge(text, [cell[row, full], cell[row, best]], beats))
    return found


def table2_claims(summaries: Sequence[Summary]) -> list[Claim]:
    """The claims about Table 2."""
    published = [s for s in summaries if not is_equal(s)]
    return [*best_claims(summaries, "PER", "CosSim ", "Table 2"), sizes_claim(published, "Table 2", "CosSim ")]


def best_claims(summaries: Sequence[Summary], best: str, start: str = "", where: str = "") -> list[Claim]:
    """In every row of a table: one column is better than the others, and about as good as printed or better."""
    rows, cell = by_labels(summaries)
    found = []
    for row in rows:
        others = [s for s in summaries if s.row.label == row and s.column.label != best]
        published = [s for s in others if not is_equal(s)]
        found.append(judge(f"{start}{row}: {best} beats every baseline", [cell[row, best], *published], beats, where))
        if equal := [s for s in others if is_equal(s)]:
            text = f"{start}{row}: {best} beats every baseline that is trained in the same way on the same inputs"
            found.append(judge(text, [cell[row, best], *equal], beats))
    for row in rows:
        text = f"{start}{row}: {best} is below the published mean plus one standard deviation"
        found.append(judge(text, [cell[row, best]], _reaches, where))
    return found


def is_equal(summary: Summary) -> bool:
    """Whether a baseline is trained as PER is."""
    return any(run.preset.equal_training for run in summary.runs)


def sizes_claim(summaries: Sequence[Summary], table: str, start: str = "") -> Claim:
    """That all networks of a table have similar numbers of parameters."""

    def test(behind: Sequence[Summary]) -> tuple[bool, str]:
        sizes = [s.parameters or 0 for s in behind]
        largest = {s.column.label: size for s, size in sorted(zip(behind, sizes, strict=True), key=lambda one: one[1])}
        numbers = ", ".join(f"{label} {size:,}" for label, size in largest.items())
        return max(sizes) <= ALIKE * min(sizes), numbers

    text = f"{start}all networks of {table} have similar numbers of parameters"
    return judge(text, summaries, test, "4")


def correlation_claims(summaries: Sequence[Summary], wanted: Mapping[str, float] = LEAST) -> list[Claim]:
    """The claims about the correlation study: least correlations, in absolute value, by quantity."""
    ours, printed = ours_and_published(summaries)
    found = []
    for name, least in wanted.items():
        text = f"correlation of {QUANTITIES[name]} with data error is above {least:g} in absolute value"
        one, other, single = ours[name], printed[name], by_seed(summaries)[name]
        numbers = EMPTY if one is None else f"{one:.3f}"
        if other is not None:
            numbers += f", published {other:.3f}"
        verdict: Verdict = "undecided"
        if one is not None and single:
            apart = [math.atanh(min(abs(r), CLOSE)) - math.atanh(least) for r in single]
            p = student(apart)
            numbers += f", seeds {min(single, key=abs):.3f} to {max(single, key=abs):.3f}, p = {number(p, 2)}"
            verdict = "undecided" if p >= LEVEL else "holds" if abs(one) > least else "does not hold"
        where = "4.1.3" if wanted is LEAST else ""
        found.append(judge(text, summaries, lambda _, v=verdict, n=numbers: (v, n), where))  # type: ignore[misc]
    return found


def _reaches(behind: Sequence[Summary]) -> tuple[bool | Verdict, str]:
    summary = behind[0]
    if summary.published is None:
        return False, "nothing published"
    limit = summary.published.mean + (summary.published.std or 0.0)
    found = against(summary.values, limit)
    return found.verdict(), f"{number(summary.mean)}, limit {number(limit)}, p = {number(found.p, 2)}"


def matches(behind: Sequence[Summary]) -> tuple[bool, str]:
    """Whether model errors are those of the data, in the mean over runs."""
    results = [record.result for record in behind[0].records]
    apart = {
        group: abs(sum(r.model_errors[group] - r.data_errors[group] for r in results)) / len(results)
        for group in results[0].data_errors
    }
    return max(apart.values()) <= APART, ", ".join(f"{group} {number(gap, 2)}" for group, gap in apart.items())


def ordered(behind: Sequence[Summary], by: Reading = "strengths") -> tuple[bool, str]:
    """Whether every pair of groups in every run is in the order of the data."""
    records = behind[0].records
    right, pairs = zip(*(in_order(record, by) for record in records), strict=True)
    if not any(pairs):
        return True, "all groups hold alike, so there is nothing to order"
    return right == pairs, f"{sum(right)} of {sum(pairs)} pairs of groups in {len(records)} runs"


def in_order(record: RunRecord, by: Reading = "strengths") -> tuple[int, int]:
    """Pairs of groups in order, of all with clearly different data errors: the smaller has the larger strength or smaller model error."""
    data, sign = record.result.data_errors, 1 if by == "strengths" else -1
    found: dict[str, float] = getattr(record.result, by)
    pairs = [(a, b) for a, b in itertools.permutations(data, 2) if data[b] - data[a] > APART]
    return sum(sign * found[a] > sign * found[b] for a, b in pairs), len(pairs)
