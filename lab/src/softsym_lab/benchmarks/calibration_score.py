"""Error rates of verdicts from records whose truth is known, with exact binomial intervals, and those of simpler rules.

A verdict is *right* if it says of the true relative violation a what is so: ``exact`` if a is at most the tolerance it was judged by,
``soft`` if a lies between zero and the level of absence, ``absent`` above. Anchors on the same records: a threshold on the estimated
violation, and the largest gap between the candidates' violations.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.stats import beta

from softsym.inference import ABSENT_ABOVE, TOLERANCE
from softsym.inference.verdict import TestStatistics

Record = dict[str, Any]
PUBLISHED = {"SymCert (2026): false certification": 0.0, "SymCert (2026): detection": 0.48}
"""As published, on other data."""
BINS = (0.0, 0.02, 0.05, 0.1, 0.2, ABSENT_ABOVE, 0.5, 1.01)
"""Ends of the violations of the power curve."""


def clopper_pearson(count: int, of: int) -> tuple[float, float]:
    """The exact 95 % interval of a rate.

    Example:
        >>> [round(end, 3) for end in clopper_pearson(0, 100)]
        [0.0, 0.036]
    """
    low = 0.0 if count == 0 else float(beta.ppf(0.025, count, of - count + 1))
    return low, 1.0 if count == of else float(beta.ppf(0.975, count + 1, of - count))


def score(records: Sequence[Record]) -> dict[str, Any]:
    """All rates of a list of records, together and by rows and noise."""
    pairs = [_Pair(record, pair) for record in records for pair in record["pairs"]]
    broken, kept = [p for p in pairs if p.truth > 0], [p for p in pairs if p.truth == 0]
    decided = [p for p in pairs if p.verdict != "undecided"]
    return {
        "pairs": len(pairs),
        "right_of_decided": rate(decided, lambda p: p.right),
        "undecided": rate(pairs, lambda p: p.verdict == "undecided"),
        "false_exact": rate([p for p in broken if p.truth > p.allowed], lambda p: p.verdict == "exact"),
        "false_exact_above_0.05": rate(
            [p for p in broken if p.truth > TOLERANCE], lambda p: p.verdict == "exact"
        ),
        "false_refuted": rate(kept, lambda p: p.verdict in ("soft", "absent")),
        "intervals_cover": rate([p for p in pairs if p.has_interval], lambda p: p.covered),
        "intervals_cover_exact": rate([p for p in kept if p.has_interval], lambda p: p.covered),
        "exact_called_exact": rate(kept, lambda p: p.verdict == "exact"),
        "power": {
            f"{low:.2g} to {min(high, 1.0):.2g}": rate(
                [p for p in broken if low < p.truth <= high], lambda p: p.verdict in ("soft", "absent")
            )
            for low, high in itertools.pairwise(BINS)
        },
        "by_rows_and_noise": {
            f"{rows} rows, noise {noise:g}": _cell([p for p in pairs if (p.rows, p.noise) == (rows, noise)])
            for rows, noise in sorted({(p.rows, p.noise) for p in pairs})
        },
        "wrong": [p.description for p in decided if not p.right],
        "anchors": {**anchors(records), **PUBLISHED},
    }


def rate(pairs: Sequence[Any], holds: Callable[[Any], bool]) -> dict[str, Any]:
    """How often something holds, with its interval."""
    count, of = sum(map(holds, pairs)), len(pairs)
    share = count / of if of else math.nan
    return {
        "count": count,
        "of": of,
        "rate": share if of else None,
        "interval": list(clopper_pearson(count, of)) if of else None,
    }


def anchors(records: Sequence[Record]) -> dict[str, Any]:
    """False "exact" among pairs broken by more than 0.05, and exact pairs called so, by two simpler rules."""
    called: dict[str, list[tuple[_Pair, bool]]] = {"threshold": [], "largest gap": []}
    for record in records:
        pairs = [_Pair(record, pair) for pair in record["pairs"]]
        estimates = np.array([max(p.estimate, 1e-4) for p in pairs])
        order = np.sort(estimates)
        gaps = np.diff(np.log(order))
        cut = order[int(gaps.argmax())] if len(gaps) and gaps.max() > 0 else -1.0
        for pair, estimate in zip(pairs, estimates, strict=True):
            called["threshold"].append((pair, bool(estimate <= TOLERANCE)))
            called["largest gap"].append((pair, bool(estimate <= cut)))
    return {
        name: {
            "false_exact_above_0.05": rate(
                [one for one in list_ if one[0].truth > TOLERANCE], lambda one: one[1]
            ),
            "exact_called_exact": rate([one for one in list_ if one[0].truth == 0], lambda one: one[1]),
        }
        for name, list_ in called.items()
    }


class _Pair:
    """One (data set, group) pair."""

    def __init__(self, record: Record, pair: Record) -> None:
        row = pair["row"]
        self.target, self.rows, self.noise = record["target"], record["rows"], record["noise"]
        self.truth, self.verdict, self.name = pair["truth"], row["verdict"], row["name"]
        self.interval: tuple[float, float] = tuple(row["interval"])
        self.has_interval = row["errors"][1] is not None
        self.estimate = row["asymmetry"] if row["asymmetry"] is not None else 1.0
        error = row["errors"][1] if self.has_interval else 1.0
        self.allowed = TestStatistics(self.interval, 1.0 - error, self.rows, 1.0).allowed

    @property
    def right(self) -> bool:
        if self.verdict == "exact":
            return bool(self.truth <= self.allowed)
        return bool(0 < self.truth < ABSENT_ABOVE if self.verdict == "soft" else self.truth >= ABSENT_ABOVE)

    @property
    def covered(self) -> bool:
        low, high = self.interval
        return bool(low <= self.truth <= high)

    @property
    def description(self) -> str:
        return f"{self.target}, {self.rows} rows, noise {self.noise:g}, {self.name}: {self.verdict}, truth {self.truth:.3f}"


def _cell(pairs: list[_Pair]) -> dict[str, Any]:
    decided = [p for p in pairs if p.verdict != "undecided"]
    return {
        "pairs": len(pairs),
        "undecided": (len(pairs) - len(decided)) / len(pairs),
        "right_of_decided": sum(p.right for p in decided) / len(decided) if decided else None,
    }
