"""Reasons why a verdict is not certain, with codes, and their text as a note."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

INCONCLUSIVE = "inconclusive: "


class Cause(Enum):
    """Codes of reasons: the name is stored, the value is the beginning of the text."""

    FIT = "as far as the fit can tell"
    """A violation smaller than the model's own mistakes would not have been seen. The verdict stands."""
    ROWS = "only "
    HELD_OUT = "too few rows to hold any out"
    EXPLAINED = "the model explains only "
    COVERAGE = "transformed data lie where there are no data"
    INTERVAL = "the interval of the error also allows "
    BASELINE = "a model without symmetries predicts better"
    SUBGROUP = "its subgroup "
    TRIVIAL = "acts trivially on inputs and outputs"
    """Every map is equivariant to such a group."""
    OTHER = ""
    """A note of the evidence."""


OLDER_TEXTS = {"moved data lie where there are no data": Cause.COVERAGE}
"""Beginnings of texts in older files."""
NON_BLOCKING = (Cause.FIT, Cause.OTHER)
"""Reasons that leave a verdict as it is."""


@dataclass(frozen=True)
class Reason:
    """One reason why a verdict is not certain.

    Args:
        cause: The code.
        text: The reason in words.
    """

    cause: Cause
    text: str

    @classmethod
    def read(cls, text: str) -> Reason:
        """The reason that a text gives.

        Example:
            >>> Reason.read("only 40 training rows").cause
            <Cause.ROWS: 'only '>
        """
        beginnings = OLDER_TEXTS | {cause.value: cause for cause in Cause}
        return cls(next(cause for start, cause in beginnings.items() if text.startswith(start)), text)


def join_reasons(reasons: Sequence[Reason]) -> str:
    """All reasons as one text; empty if there is none.

    Example:
        >>> join_reasons([Reason.read("only 40 training rows"), Reason.read("too few rows to hold any out")])
        'only 40 training rows; too few rows to hold any out'
    """
    return "; ".join(reason.text for reason in reasons)


def parse_note(note: str) -> tuple[Reason, ...]:
    """The reasons of a note: the inverse of :func:`join_reasons`. In older files they follow the word *inconclusive*.

    Example:
        >>> [reason.cause.name for reason in parse_note("inconclusive: only 40 training rows; too few rows to hold any out")]
        ['ROWS', 'HELD_OUT']
    """
    text = note.removeprefix(INCONCLUSIVE)
    first = Reason.read(text)
    if not text or first.cause is Cause.OTHER:
        return (first,) if text else ()
    return tuple(map(Reason.read, text.split("; ")))
