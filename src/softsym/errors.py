"""Errors and warnings of softsym.

Every message says what was wrong, where, and what to pass instead. An :class:`InputError` is one line of bounded length whatever names,
texts and files it quotes: line ends, escapes of terminals and marks that reverse the direction of writing are shown as they are written
in Python.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError


LONGEST = 2_000  # characters of a message


class InputError(ValueError):
    r"""An argument, file or text cannot be used; the message says what to pass instead.

    Example:
        >>> str(InputError("no column 'a\nb\x1b[31m'")), len(str(InputError("x" * 100_000)))
        ("no column 'a\\nb\\x1b[31m'", 2000)
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(shorten(_escape(str(message)), LONGEST))


class BusyError(InputError):
    """Another process is writing where this one is to write; the message says who."""


class ConvergenceError(InputError):
    """An iterative solver did not converge."""


class UnclearNullSpaceWarning(UserWarning):
    """The spectrum of a constraint does not clearly separate its null space from the rest."""


class SlowSolveWarning(UserWarning):
    """An equivariant space takes minutes to solve; the message says how long."""


class CacheWarning(UserWarning):
    """A cached solution could not be read or written; the result was computed afresh and is right."""


class BrokenSymmetryWarning(UserWarning):
    """A model has layers that break a candidate's symmetry for any weights."""


class UntracedWarning(UserWarning):
    """A model has parameters or functions that are not followed; the message names them."""


class DataWarning(UserWarning):
    """Data are used in a way that users should know of, or will need much memory."""


class CheckpointWarning(UserWarning):
    """A checkpoint is damaged and the one before is used."""


class SlowTrainingWarning(UserWarning):
    """Training runs in ordinary torch operations because there is no compiled code; results are right."""


class TrainingError(RuntimeError):
    """Training ran and failed, for example on a loss that is not finite; the last good checkpoint is kept."""


def in_one_line(error: Exception) -> str:
    r"""The message of an error in one line, without control characters.

    Example:
        >>> in_one_line(ValueError("first\n  second \x1b[31m"))
        'first second \\x1b[31m'
    """
    from pydantic import ValidationError

    if isinstance(error, ValidationError):
        where, problem = first_problem(error)
        text = f"{where}: {problem}" if where else problem
    else:
        text = str(error) or type(error).__name__
    return shorten(printable(" ".join(text.split())), LONGEST)


def printable(text: str) -> str:
    r"""A text with control characters, and those that reverse the direction of writing, escaped, except line ends.

    Example:
        >>> printable("red \x1b[31m\nnext \u202e")
        'red \\x1b[31m\nnext \\u202e'
    """
    return "\n".join(map(_escape, text.split("\n")))


def _escape(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else repr(letter)[1:-1] for letter in text)


def shorten(text: str, most: int) -> str:
    """A text of at most so many characters, without its middle if it is longer.

    Example:
        >>> shorten("abcdefghijklmnop", 11)
        'abc ... nop'
    """
    half = (most - 5) // 2
    return text if len(text) <= most else f"{text[: most - 5 - half]} ... {text[-half:]}"


def first_problem(error: ValidationError) -> tuple[str, str]:
    """The field of the first problem of a pydantic model (empty for the whole), and its message."""
    first = error.errors()[0]
    return ".".join(map(str, first["loc"])), first["msg"].removeprefix("Value error, ")
