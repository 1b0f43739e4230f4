"""What the records of proposals add up to, with Wilson's intervals."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Any

from softsym.inference import TOLERANCE

Record = dict[str, Any]
USUAL = (1_000, 0.02)
"""Rows and noise at which the dimension has to be right."""
Z = 1.96


def wilson(right: int, n: int) -> dict[str, Any]:
    """A rate with its 95 % interval.

    Example:
        >>> wilson(9, 10)
        {'count': 9, 'of': 10, 'rate': 0.9, 'interval': [0.596, 0.982]}
    """
    if not n:
        return {"count": 0, "of": 0, "rate": None, "interval": None}
    p, z2 = right / n, Z**2 / n
    middle, half = (p + z2 / 2) / (1 + z2), Z * math.sqrt(p * (1 - p) / n + z2 / (4 * n)) / (1 + z2)
    interval = [round(max(0.0, middle - half), 3), round(min(1.0, middle + half), 3)]
    return {"count": right, "of": n, "rate": round(p, 4), "interval": interval}


def score(records: Sequence[Record]) -> dict[str, Any]:
    """The shares that are promised, from records alone."""
    usual = [one for one in records if (one["rows"], one["noise"]) == USUAL]
    right = [one for one in usual if _is_right(one)]
    angles = [one["angle"] for one in right if one["dimension"]]
    everywhere = [one for one in records if _is_right(one) and one["dimension"]]
    settings = sorted({(one["rows"], one["noise"]) for one in records})
    return {
        "sets": len(records),
        "dimension_right_at_1000_rows_2_percent": wilson(len(right), len(usual)),
        "angle_median_degrees": round(statistics.median(angles), 4) if angles else None,
        "angle_largest_degrees": round(max(angles), 4) if angles else None,
        "angle_largest_degrees_in_all_sets": round(max((one["angle"] for one in everywhere), default=0.0), 4),
        "sets_with_a_false_generator": wilson(sum(one["violation"] > TOLERANCE for one in records), len(records)),
        "sets_with_a_wrong_name": wilson(sum(map(_is_misnamed, records)), len(records)),
        "dimension_right_by_rows_and_noise": {
            f"{n} rows, {noise:.0%} noise": wilson(
                *_counts([one for one in records if (one["rows"], one["noise"]) == (n, noise)])
            )
            for n, noise in settings
        },
        "seconds_median": round(statistics.median(one["seconds"] for one in usual), 2) if usual else None,
        "seconds_largest": round(max(one["seconds"] for one in usual), 2) if usual else None,
        "wrong_at_1000_rows_2_percent": [_words(one) for one in usual if not _is_right(one)],
        "false": [_words(one) for one in records if one["violation"] > TOLERANCE],
    }


def _is_right(one: Record) -> bool:
    return bool(one["found"] == one["dimension"])


def _is_misnamed(one: Record) -> bool:
    """Whether the whole algebra was found and got the name of another one; "unnamed" is no wrong name."""
    return _is_right(one) and one["name_found"] != one["name"] and not one["name_found"].startswith("unnamed")


def _counts(records: Sequence[Record]) -> tuple[int, int]:
    return sum(map(_is_right, records)), len(records)


def _words(one: Record) -> str:
    what = f"{one['target']}, frame {one['frame']}, {one['rows']} rows, {one['noise']:.0%} noise"
    return f"{what}: {one['found']} instead of {one['dimension']}, violation {one['violation']:.3f}"
