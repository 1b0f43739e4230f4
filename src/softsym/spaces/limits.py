"""What solving takes: an estimate of memory and time before anything is allocated, held against a limit that can be raised.

Estimates are of the order of magnitude; they are there to refuse what would fill the memory or never come back, by name.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass

from softsym.errors import InputError, SlowSolveWarning
from softsym.groups import Group
from softsym.limits import limit

SPEED = 1e9
"""Operations a second that one core does at least."""
SLOW = 60.0
"""Seconds from which a warning says how long it will take."""
MAX_AXES = 31
"""Tensor indices that an array of any NumPy has, beside one for a batch."""


@dataclass(frozen=True)
class Cost:
    """What a computation takes.

    Args:
        numbers: How many numbers of eight bytes are held at once.
        operations: How many of them are multiplied or added.
    """

    numbers: float
    operations: float

    @property
    def gigabytes(self) -> float:
        """Memory."""
        return 8 * self.numbers / 1e9

    @property
    def seconds(self) -> float:
        """Time on one core."""
        return self.operations / SPEED

    def __str__(self) -> str:
        return f"about {_rounded(self.gigabytes)} GB and {_time(self.seconds)}"


def to_look_at(group: Group, size: int) -> Cost:
    """What looking at all generators together, and at so many coordinates once, takes."""
    generators = len(group.lie) + len(group.discrete)
    entries = generators * group.dim**2
    return Cost(4 * size + 14 * entries, 50 * size + 10 * generators * entries)


def check_axes(what: str, rank: int) -> None:
    """Refuses tensors of more indices than an array has, which a group of R^1 does not make large."""
    if rank > MAX_AXES:
        raise InputError(f"{what} has {rank} tensor indices; at most {MAX_AXES} can be computed with")


def check(what: str, cost: Cost) -> None:
    """Refuses what would take more than the limit, and warns of what takes long.

    Args:
        what: What is to be solved, for people.
        cost: What it takes.
    """
    most = limit()
    if cost.gigabytes > most.gigabytes or cost.seconds > 60 * most.minutes:
        raise InputError(
            f"{what} would take {cost}, more than the limit of {most.gigabytes:g} GB and {most.minutes:g} min; "
            "pass smaller representations, or allow it: with softsym.spaces.at_most(gigabytes=..., minutes=...)"
        )
    if cost.seconds > SLOW:
        warnings.warn(f"{what} will take {cost}", SlowSolveWarning, stacklevel=2)


def _rounded(value: float) -> str:
    return f"{value:.2g}" if value < 1e3 else f"{value:.0e}"


def _time(seconds: float) -> str:
    units = ((1.0, 100, "s"), (60.0, 100, "min"), (3600.0, 50, "h"), (86400.0, 400, "days"))
    for size, most, name in units:
        if seconds / size < most:
            return f"{seconds / size:.2g} {name}"
    return f"{_rounded(seconds / 3.15e7)} years"
