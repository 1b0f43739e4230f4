"""What solving may take: an estimate of memory and time before anything is allocated, and a limit that can be raised.

Estimates are of the order of magnitude; they are there to refuse what would fill the memory or never come back, by name.
"""

from __future__ import annotations

import contextlib
import contextvars
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

from softsym.errors import InputError, SlowSolveWarning
from softsym.groups import Group

SPEED = 1e9
"""Operations a second that one core does at least."""
SLOW = 60.0
"""Seconds from which a warning says how long it will take."""


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


@dataclass(frozen=True)
class Limit:
    """What may be taken at most."""

    gigabytes: float = 4.0
    minutes: float = 30.0


USUAL = Limit()
_limit: contextvars.ContextVar[Limit] = contextvars.ContextVar("limit", default=USUAL)


@contextlib.contextmanager
def at_most(gigabytes: float = Limit.gigabytes, minutes: float = Limit.minutes) -> Iterator[None]:
    """Lets solving inside a ``with`` block take this much memory and time before it is refused.

    Example:
        >>> import softsym as ss
        >>> with ss.spaces.at_most(gigabytes=1e-6):
        ...     ss.equivariant_maps("T(3)", "T(3)", "SL(3)")
        Traceback (most recent call last):
        ...
        softsym.errors.InputError: ... would take about ... GB ...
    """
    if not (gigabytes > 0 and minutes > 0):
        raise InputError(f"limits must be positive, got {gigabytes} gigabytes and {minutes} minutes")
    token = _limit.set(Limit(gigabytes, minutes))
    try:
        yield
    finally:
        _limit.reset(token)


def to_look_at(group: Group, size: int) -> Cost:
    """What looking at all generators together, and at so many coordinates once, takes."""
    generators = len(group.lie) + len(group.discrete)
    entries = generators * group.dim**2
    return Cost(4 * size + 6 * entries, 50 * size + 10 * generators * entries)


def check(what: str, cost: Cost) -> None:
    """Refuses what would take more than the limit, and warns of what takes long.

    Args:
        what: What is to be solved, for people.
        cost: What it takes.
    """
    limit = _limit.get()
    if cost.gigabytes > limit.gigabytes or cost.seconds > 60 * limit.minutes:
        raise InputError(
            f"{what} would take {cost}, more than the limit of {limit.gigabytes:g} GB and {limit.minutes:g} min; "
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
