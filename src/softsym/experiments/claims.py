"""The claims of the paper, tested on stored runs: each holds, does not hold, or cannot be told yet. One is ours, about its print."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from softsym.experiments.render.artefacts.correlation import QUANTITIES, ours_and_published
from softsym.experiments.render.tables import EMPTY, markdown_table, number
from softsym.experiments.store import RunRecord
from softsym.experiments.summary import Summary

Status = Literal["holds", "does not hold", "not yet"]
Reading = Literal["strengths", "model_errors"]
APART = 0.02
"""Two groups have an order if their data errors differ by more."""
EXACT = 1e-12
"""A data error below this is rounding."""
LEAST = {"model": 0.98, "reg": 0.61, "lambda": 0.49, "before": 0.61}
"""Least pooled correlations with the data error, in absolute value, that we call success; published are 0.989, 0.615, -0.486."""


@dataclass(frozen=True)
class Claim:
    """A claim and what became of it.

    Args:
        text: The claim.
        status: Whether it holds.
        numbers: What that rests on.
        done: Runs behind it that are done.
        wanted: All runs behind it.
    """

    text: str
    status: Status
    numbers: str
    done: int
    wanted: int

    @property
    def verdict(self) -> str:
        """The status in words."""
        return self.status if self.status != "not yet" else f"not yet: {self.done} of {self.wanted} runs"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self) | {"verdict": self.verdict}


def table1_claims(summaries: Sequence[Summary], best: str = "PER", full: str = "PER_full") -> list[Claim]:
    """The claims about Table 1."""
    rows, cell = by_labels(summaries)
    found = best_claims([s for s in summaries if s.column.label != full], best)
    for row in rows:
        found.append(judge(f"{row}: strengths order the groups as the data do", [cell[row, best]], ordered))
    for row in [row for row in rows if (row, full) in cell]:
        text = f"{row}: the full schedule gives a smaller error than stopping early"
        found.append(judge(text, [cell[row, full], cell[row, best]], _beats))
    return found


def table2_claims(summaries: Sequence[Summary]) -> list[Claim]:
    """The claims about Table 2."""
    return best_claims(summaries, "PER", "CosSim ")


def best_claims(summaries: Sequence[Summary], best: str, start: str = "") -> list[Claim]:
    """In every row of a table: one column is better than the others, and about as good as printed or better."""
    rows, cell = by_labels(summaries)
    found = []
    for row in rows:
        rivals = [s for s in summaries if s.row.label == row and s.column.label != best]
        found.append(judge(f"{start}{row}: {best} beats every baseline", [cell[row, best], *rivals], _beats))
    for row in rows:
        text = f"{start}{row}: {best} reaches the published mean plus one standard deviation"
        found.append(judge(text, [cell[row, best]], _reaches))
    return found


def by_labels(summaries: Sequence[Summary]) -> tuple[list[str], dict[tuple[str, str], Summary]]:
    """Labels of rows, and cells by the labels of row and column."""
    rows = list(dict.fromkeys(s.row.label for s in summaries))
    return rows, {(s.row.label, s.column.label): s for s in summaries}


def correlation_claims(summaries: Sequence[Summary], wanted: Mapping[str, float] = LEAST) -> list[Claim]:
    """The claims about the correlation study: least correlations, in absolute value, by quantity."""
    ours, printed = ours_and_published(summaries)
    found = []
    for name, least in wanted.items():
        text = f"correlation of {QUANTITIES[name]} with data error is at least {least:g} in absolute value"
        one, other = ours[name], printed[name]
        numbers = EMPTY if one is None else f"{one:.3f}"
        if other is not None:
            numbers += f", published {other:.3f}"
        holds = one is not None and abs(one) >= least
        found.append(judge(text, summaries, lambda _, h=holds, n=numbers: (h, n)))  # type: ignore[misc]
    return found


def printed_claims() -> list[Claim]:
    """What cannot be as it is printed; no run is needed to tell."""
    printed, coded = (_data_errors(f"inertia:{name}") for name in ("soft-printed", "soft"))
    holds = printed["O(2)@y"] < EXACT and min(coded.values()) > APART
    numbers = "; ".join(
        f"{title}: {', '.join(f'{group} {number(value)}' for group, value in errors.items())}"
        for title, errors in (("data errors as printed", printed), ("as in the published code", coded))
    )
    text = "soft: the printed perturbation is exactly symmetric about y, that of the published code about no axis"
    return [Claim(text, "holds" if holds else "does not hold", numbers, 0, 0)]


def _data_errors(text: str) -> dict[str, float]:
    from softsym.tasks.parse import task as read_task
    from softsym.training.record import data_errors

    task = read_task(text)
    return data_errors(task, task.sample(200, seed=0)[0].double())


def markdown(claims: Sequence[Claim], preset: str) -> str:
    """All claims in a table."""
    rows = [[claim.text, f"**{claim.verdict}**", claim.numbers] for claim in claims]
    held, untold = (sum(c.status == status for c in claims) for status in ("holds", "not yet"))
    text = f"Preset `{preset}`: {held} of {len(claims)} claims hold, {untold} cannot be told yet."
    return "\n\n".join(["# Claims", text, markdown_table(["claim", "verdict", "numbers"], rows)])


def judge(
    text: str, behind: Sequence[Summary], test: Callable[[Sequence[Summary]], tuple[bool, str]]
) -> Claim:
    """A claim and the cells behind it, tested once all their runs are done."""
    done, wanted = sum(len(s.values) for s in behind), sum(s.wanted for s in behind)
    if not all(s.values for s in behind):
        return Claim(text, "not yet", "", done, wanted)
    holds, numbers = test(behind)
    if done < wanted:
        return Claim(text, "not yet", f"so far {numbers}", done, wanted)
    return Claim(text, "holds" if holds else "does not hold", numbers, done, wanted)


def _beats(behind: Sequence[Summary]) -> tuple[bool, str]:
    first, *others = behind
    means = [s.mean or 0.0 for s in others]
    rivals = ", ".join(f"{s.column.label} {number(s.mean)}" for s in others)
    return (first.mean or 0.0) < min(means), f"{first.column.label} {number(first.mean)}; {rivals}"


def _reaches(behind: Sequence[Summary]) -> tuple[bool, str]:
    summary = behind[0]
    if summary.published is None:
        return False, "nothing published"
    limit = summary.published.mean + (summary.published.std or 0.0)
    return (summary.mean or 0.0) <= limit, f"{number(summary.mean)}, at most {number(limit)}"


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
