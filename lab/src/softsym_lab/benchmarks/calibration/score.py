"""Error rates of verdicts from records, by stratum, each with Wilson's interval, and those of two simpler rules on the same rows.

The truth of a pair is the violation over the orbits of the inputs, of the worst output block; of near-identity targets also
what it is after the best equivariant linear map. Violations just at a boundary (2 %) count for neither side.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import Any

Record = dict[str, Any]
TOLERANCE, SURELY_PRESENT, ABSENT_ABOVE = 0.05, 0.2, math.sqrt(2.0) * 0.2
"""A violation that counts as exact, one that must not be called absent, and one from which a symmetry is absent."""
BOUNDARY, SLACK = 1.02, 1.01
"""Violations at a boundary up to this factor count for neither side; truths are known up to the other."""
SPACINGS = 4.0
"""Wavelengths of a violation that rows can resolve, in median spacings."""
BINS = (0.0, 0.03, 0.07, 0.15, 0.3, 0.5, 1.01)
"""Ends of the violations of the power curve."""
SURELY_BROKEN = 0.1
"""Of groups without Haar probability, a violation over a bounded set of elements that is surely one."""


def wilson(count: int, total: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's 95 % interval of a rate.

    Example:
        >>> [round(end, 3) for end in wilson(0, 100)]
        [0.0, 0.037]
    """
    if not total:
        return 0.0, 1.0
    p, q = count / total, z * z / total
    middle, half = p + q / 2, z * math.sqrt(p * (1 - p) / total + q / (4 * total))
    return max(0.0, (middle - half) / (1 + q)), min(1.0, (middle + half) / (1 + q))


class Pair:
    """One candidate of one data set."""

    def __init__(self, record: Record, pair: Record) -> None:
        row, truths = pair["row"], pair["truths"]
        self.record, self.row, self.truths, self.candidate = record, row, truths, pair["candidate"]
        self.verdict: str = row["verdict"]
        self.interval: tuple[float, float] = tuple(row["interval"])
        self.is_compact: bool = pair["is_compact"]
        self.truth = max(truths["orbit"], truths["worst"])
        if record["residual"]:
            self.truth = max(self.truth, truths["residual_worst"])
        self.rules, self.own = pair.get("rules") or {}, pair.get("own") or {}

    @property
    def is_exact(self) -> bool:
        """Whether the symmetry holds."""
        return self.truth == 0

    @property
    def is_resolvable(self) -> bool:
        """Whether the rows can show the violation."""
        wavelength = self.record["wavelength"]
        return wavelength is None or wavelength >= SPACINGS * self.record["spacing"]

    @property
    def is_above_tolerance(self) -> bool:
        """Whether the violation is above the tolerance of 0.05."""
        return self.truth > (TOLERANCE * BOUNDARY if self.is_compact else SURELY_BROKEN)

    @property
    def is_above_printed(self) -> bool:
        """Whether it is above the tolerance and above the upper end that was printed."""
        return self.is_above_tolerance and self.truth > BOUNDARY * max(TOLERANCE, self.interval[1])

    @property
    def is_below_absence(self) -> bool:
        """Whether it is too small to be called absent."""
        return self.is_exact or (self.is_compact and self.truth < SURELY_PRESENT / BOUNDARY)

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval to judge, of a truth that is known."""
        return (self.is_compact or self.is_exact) and self.row["violation"] is not None

    def covers(self, *names: str) -> bool:
        """Whether the interval holds one of the truths of these names, by default those that differ by scales of outputs alone."""
        low, high = self.interval
        names = names or (
            "orbit",
            "worst",
            "pooled",
            *(("residual", "residual_worst") if self.record["residual"] else ()),
        )
        return any(low <= max(ends) * SLACK + 1e-9 and min(ends) <= high * SLACK for ends in map(self._values, names))

    def _values(self, name: str) -> tuple[float, ...]:
        """A truth of the inputs' distribution, and of the inputs at hand where it was recorded."""
        return (self.truths[name], self.own[name]) if self.own else (self.truths[name],)

    @property
    def is_certified(self) -> bool:
        """Whether the certified tolerance is above what the symmetry costs on the inputs at hand: it claims nothing beyond them."""
        return bool(self.row["certified"] * 1.02 >= min(self.truths["orbit"], self.truths["data"], self.truths["cost"]))

    @property
    def is_right(self) -> bool:
        """Whether a decided verdict says what is so, boundaries given the benefit of the doubt."""
        if self.verdict == "exact":
            return not self.is_above_tolerance
        if self.verdict == "absent":
            return not self.is_below_absence
        whole = max(
            self.truths["orbit"], self.truths["worst"]
        )  # "soft" may be said of the whole, not of a residual alone
        return not self.is_exact and whole < 1.5 * ABSENT_ABOVE

    @property
    def description(self) -> str:
        """One line."""
        r = self.record
        return (
            f"{r['stratum']}: {r['target']}, level {r['level']:g}, {r['rows']} rows, noise {r['noise']:g}, seed {r['seed']}"
            f"{', ' + r['change'] if r['change'] else ''}, {self.candidate}: {self.verdict}, truth {self.truth:.3f} "
            f"(data {self.truths['data']:.3f}, cost {self.truths['cost']:.3f}), interval {self.interval[0]:.3f} to {self.interval[1]:.3f}"
        )


def score(records: Sequence[Record]) -> dict[str, Any]:
    """All rates, by stratum and together."""
    strata: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        strata[record["stratum"]].append(record)
    return {name: rates(some) for name, some in strata.items()} | {"all": rates(records)}


def rates(records: Sequence[Record]) -> dict[str, Any]:
    """The rates of some records."""
    pairs = [Pair(record, pair) for record in records for pair in record["pairs"]]
    above = [p for p in pairs if p.is_above_tolerance]
    seen, unseen = [p for p in above if p.is_resolvable], [p for p in above if not p.is_resolvable]
    exact, broken = [p for p in pairs if p.is_exact], [p for p in pairs if not p.is_exact]
    decided = [p for p in pairs if p.verdict != "undecided"]
    certified = [p for p in pairs if p.row["certified"] is not None and p.is_compact]
    rules: dict[str, Callable[[Pair], bool]] = {
        "verdict": lambda p: p.verdict == "exact",
        "threshold": lambda p: p.rules["estimate"] <= TOLERANCE,
        "certificate": lambda p: p.rules["certificate"] <= TOLERANCE,
        "certificate 0.28": lambda p: p.rules["certificate"] <= ABSENT_ABOVE,
    }
    compared = [p for p in pairs if p.rules]
    return {
        "cases": len(records),
        "errors": [f"{r['target']}, {r['rows']} rows: {r['error']}" for r in records if "error" in r],
        "pairs": len(pairs),
        "seconds": round(sum(r.get("seconds", 0.0) for r in records), 1),
        "right_of_decided": rate(decided, lambda p: p.is_right),
        "undecided": rate(pairs, lambda p: p.verdict == "undecided"),
        "undecided_exact": rate(exact, lambda p: p.verdict == "undecided"),
        "false_exact": rate(seen, lambda p: p.verdict == "exact"),
        "false_exact_above_printed": rate([p for p in seen if p.is_above_printed], lambda p: p.verdict == "exact"),
        "false_exact_unresolvable": rate(unseen, lambda p: p.verdict == "exact"),
        "false_refuted": rate(exact, lambda p: p.verdict in ("soft", "absent")),
        "false_absent": rate([p for p in pairs if p.is_below_absence], lambda p: p.verdict == "absent"),
        "exact_called_exact": rate(exact, lambda p: p.verdict == "exact"),
        "covers": rate([p for p in pairs if p.has_interval], lambda p: p.covers()),
        "covers_exact": rate([p for p in exact if p.has_interval], lambda p: p.covers()),
        "covers_broken": rate([p for p in broken if p.has_interval], lambda p: p.covers()),
        "covers_broken_any": rate(
            [p for p in broken if p.has_interval], lambda p: p.covers(*(name for name in p.truths))
        ),
        "lower_end_holds": rate(
            [p for p in broken if p.has_interval], lambda p: p.interval[0] <= max(p.truths.values()) * 1.02
        ),
        "upper_end_holds": rate(
            [p for p in broken if p.has_interval],
            lambda p: p.interval[1] * 1.02 >= min(p.truths["orbit"], p.truths["data"], p.truths["pooled"]),
        ),
        "certified_covers": rate(certified, lambda p: p.is_certified),
        "certified_covers_unresolvable": rate([p for p in certified if not p.is_resolvable], lambda p: p.is_certified),
        "cost_covers": rate(
            [p for p in pairs if p.row["cost"][0] is not None and p.is_compact],
            lambda p: (
                p.row["cost"][0] <= p.truths["cost"] ** 2 * 1.05 + 1e-6
                and p.truths["cost"] ** 2 <= p.row["cost"][1] * 1.05 + 1e-6
            ),
        ),
        "power": {
            f"{low:g} to {min(high, 1.0):g}": rate(
                [p for p in broken if low < p.truth <= high and p.is_compact], lambda p: p.verdict in ("soft", "absent")
            )
            for low, high in itertools.pairwise(BINS)
        },
        "rules": {
            name: {
                "false_exact": rate([p for p in compared if p.is_above_tolerance], holds),
                "exact_called_exact": rate([p for p in compared if p.is_exact], holds),
            }
            for name, holds in rules.items()
        },
        "wrong": [p.description for p in decided if not p.is_right],
    }


def rate(pairs: Sequence[Pair], holds: Callable[[Pair], bool]) -> dict[str, Any]:
    """How often something holds, with its interval."""
    count, total = sum(map(holds, pairs)), len(pairs)
    return {
        "count": count,
        "of": total,
        "rate": count / total if total else None,
        "interval": list(wilson(count, total)) if total else None,
    }


def score_invariance(records: Sequence[Record]) -> dict[str, Any]:
    """Of every change the share of pairs, decided before or after, with the same verdict."""
    plain = {_key(r): r for r in records if not r["change"]}
    same: dict[str, list[tuple[Pair, Pair]]] = defaultdict(list)
    for record in records:
        if record["change"] and _key(record) in plain:
            before = plain[_key(record)]
            pairs = zip(before["pairs"], record["pairs"], strict=False)
            same[record["change"]] += [(Pair(before, a), Pair(record, b)) for a, b in pairs]
    both = {
        change: [(a, b) for a, b in some if {a.verdict, b.verdict} != {"undecided"}] for change, some in same.items()
    }
    everything = [pair for some in both.values() for pair in some]
    return {
        **{change: _same(some) for change, some in both.items()},
        "all": _same(everything),
        "contradictions": _contradictions(everything),
        "different": [f"{a.description} | then {b.verdict}" for a, b in everything if a.verdict != b.verdict],
    }


def _key(record: Record) -> tuple[Any, ...]:
    return tuple(record[name] for name in ("part", "target", "level", "rows", "noise", "seed", "whole"))


def _same(pairs: Sequence[tuple[Pair, Pair]]) -> dict[str, Any]:
    return rate(pairs, lambda two: two[0].verdict == two[1].verdict)  # type: ignore[arg-type, index]


def _contradictions(pairs: Sequence[tuple[Pair, Pair]]) -> dict[str, Any]:
    """How often both are decided and differ."""
    decided = [two for two in pairs if "undecided" not in (two[0].verdict, two[1].verdict)]
    return rate(decided, lambda two: two[0].verdict != two[1].verdict)  # type: ignore[arg-type, index]


COLUMNS = {
    "false_exact": "false exact",
    "false_exact_unresolvable": "(finer)",
    "false_refuted": "false refuted",
    "false_absent": "false absent",
    "undecided": "undecided",
    "exact_called_exact": "exact found",
    "covers": "covers",
    "covers_broken": "(broken)",
    "certified_covers": "certified",
}


def summary(scores: dict[str, Any]) -> str:
    """A table of a score, one line for each stratum, then power, simpler rules, errors and wrong verdicts."""
    head = ["stratum", "pairs", "sec", *COLUMNS.values()]
    lines = [
        [name, str(one["pairs"]), f"{one['seconds']:.0f}", *(_text(one[key]) for key in COLUMNS)]
        for name, one in scores.items()
    ]
    whole = scores["all"]
    power = ", ".join(f"{key}: {_text(value)}" for key, value in whole["power"].items())
    rules = [
        f"  {name}: false exact {_text(two['false_exact'])}, exact found {_text(two['exact_called_exact'])}"
        for name, two in whole["rules"].items()
    ]
    wrong = [f"  {one}" for one in whole["wrong"]]
    low, high = whole["false_exact"]["interval"] or (0.0, 1.0)
    return "\n".join(
        [
            table([head, *lines]),
            f"false exact, all strata, 95 % interval: {low:.1%} to {high:.1%}",
            f"right of decided: {_text(whole['right_of_decided'])}",
            f'called "soft" or "absent", by violation: {power}',
            "rules:",
            *rules,
            *(
                [f"cases that failed: {len(whole['errors'])}", *(f"  {one}" for one in whole["errors"][:20])]
                if whole["errors"]
                else []
            ),
            f"wrong verdicts: {len(wrong)}",
            *wrong,
        ]
    )


def summary_of_invariance(scores: dict[str, Any]) -> str:
    """A table of a score of changes."""
    lines = [
        f"same verdict after a change of {key}: {_text(value)}" for key, value in scores.items() if key != "different"
    ]
    return "\n".join([*lines, *(f"  {one}" for one in scores["different"])])


def table(rows: Sequence[Sequence[str]]) -> str:
    """Columns of equal width."""
    widths = [max(len(row[k]) for row in rows) for k in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )


def _text(one: dict[str, Any]) -> str:
    return (
        "-"
        if not one["of"]
        else f"{one['rate']:.1%} ({one['count']}/{one['of']})"
        if one["count"]
        else f"0 (of {one['of']})"
    )
