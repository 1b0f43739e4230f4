"""Limits on memory and time of a computation, which users can change around a piece of code."""

from __future__ import annotations

import contextlib
import contextvars
from collections.abc import Iterator
from dataclasses import dataclass

from softsym.errors import InputError


@dataclass(frozen=True)
class Limit:
    """Memory and time that a computation may take."""

    gigabytes: float = 4.0
    minutes: float = 30.0


DEFAULT = Limit()
_limit: contextvars.ContextVar[Limit] = contextvars.ContextVar("limit", default=DEFAULT)


def limit() -> Limit:
    """The current limit."""
    return _limit.get()


@contextlib.contextmanager
def at_most(gigabytes: float = Limit.gigabytes, minutes: float = Limit.minutes) -> Iterator[None]:
    """Sets the memory and time that a space or group inside a ``with`` block may take before it is refused.

    Generators of a group may take a twentieth of the memory, because solving with them needs several copies.

    Example:
        >>> import softsym as ss
        >>> with ss.spaces.at_most(gigabytes=1e-6):
        ...     ss.equivariant_maps("T(3)", "T(3)", "SL(3)")
        Traceback (most recent call last):
        ...
        softsym.errors.InputError: ... would take about ... GB...
    """
    if not (gigabytes > 0 and minutes > 0):
        raise InputError(f"limits must be positive, got {gigabytes} gigabytes and {minutes} minutes")
    token = _limit.set(Limit(gigabytes, minutes))
    try:
        yield
    finally:
        _limit.reset(token)
