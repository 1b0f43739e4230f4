"""A claim and what became of it, the cells of tables it rests on, and comparisons that several claims make."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from softsym_lab.experiments.claims.comparisons import LEVEL, Verdict, all_below
from softsym_lab.experiments.render.markdown import markdown_table, number
from softsym_lab.experiments.summary import Summary

Status = Literal["holds", "does not hold", "undecided", "not yet"]
Test = Callable[[Sequence[Summary]], tuple[bool | Verdict, str]]
"""From cells to whether it holds, or that seeds cannot tell, and the numbers that this rests on."""
APART = 0.02
"""Two equivariance errors differ if they are further apart; a smaller one is small."""


@dataclass(frozen=True)
class Claim:
    """A claim and what became of it.

    Args:
        text: The claim.
        status: Whether it holds.
        numbers: What that rests on.
        done: Runs behind it that are done.
        wanted: All runs behind it.
        where: Where the paper says it; empty for what it does not say.
    """

    text: str
    status: Status
    numbers: str
    done: int
    wanted: int
    where: str = ""

    @property
    def verdict(self) -> str:
        """The status in words."""
        return self.status if self.status != "not yet" else f"not yet: {self.done} of {self.wanted} runs"

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self) | {"verdict": self.verdict}


def judge(text: str, behind: Sequence[Summary], test: Test, where: str = "") -> Claim:
    """A claim and the cells behind it, tested once all their runs are done."""
    done, wanted = sum(len(s.values) for s in behind), sum(s.wanted for s in behind)
    if not behind or not all(s.values for s in behind):
        return Claim(text, "not yet", "", done, wanted, where)
    holds, numbers = test(behind)
    if done < wanted:
        return Claim(text, "not yet", f"so far {numbers}", done, wanted, where)
    return Claim(text, to_verdict(holds), numbers, done, wanted, where)


def to_verdict(holds: bool | Verdict) -> Verdict:
    """A truth value in words."""
    return holds if isinstance(holds, str) else "holds" if holds else "does not hold"


def computed_claim(text: str, holds: bool, numbers: str, where: str) -> Claim:
    """A claim that no run is needed for."""
    return Claim(text, "holds" if holds else "does not hold", numbers, 0, 0, where)


def by_labels(summaries: Sequence[Summary]) -> tuple[list[str], dict[tuple[str, str], Summary]]:
    """Labels of rows, and cells by the labels of row and column."""
    rows = list(dict.fromkeys(s.row.label for s in summaries))
    return rows, {(s.row.label, s.column.label): s for s in summaries}


def means(summaries: Sequence[Summary]) -> str:
    """The mean of every cell by its column."""
    return ", ".join(f"{s.column.label} {number(s.mean)}" for s in summaries)


def beats(behind: Sequence[Summary]) -> tuple[bool | Verdict, str]:
    """Whether the first cell is better than every other, seed by seed."""
    first, *others = behind
    verdict, why = all_below([(first, other) for other in others])
    return verdict, f"{means([first])}; {means(others)}; {why}"


def markdown(claims: Sequence[Claim], preset: str) -> str:
    """All claims in a table."""
    rows = [[claim.text, f"**{claim.verdict}**", claim.numbers, claim.where or "ours"] for claim in claims]
    held, failed, open_ones, undecided = (
        sum(c.status == status for c in claims) for status in ("holds", "does not hold", "undecided", "not yet")
    )
    text = (
        f"Preset `{preset}`: {held} of {len(claims)} claims hold, {failed} do not, {open_ones} are undecided with the seeds "
        f"that there are, {undecided} have runs to do. Errors are compared seed by seed (Student's test of the logarithms of their "
        f"ratios, level {LEVEL:g}); *better than every other* needs every single comparison."
    )
    header = ["claim", "verdict", "numbers", "said in"]
    return "\n\n".join(["# Claims", text, markdown_table(header, rows)])
