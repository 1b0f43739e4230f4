"""Splitting the text forms of groups and representations into tokens.

Both little languages have the same alphabet: names, whole numbers, brackets and operators. A parser reads a :class:`Tokens` from
left to right and fails with the offending token and its place.
"""

from __future__ import annotations

import ast
import contextlib
import itertools
import re
from collections.abc import Collection
from typing import Any, NoReturn

from softsym.errors import InputError

MAX_DEPTH = 100
MAX_DIGITS = 12  # longer whole numbers are refused
SHOWN = 60  # characters of a text that an error shows on either side of the problem
# Letters of other alphabets are marks that no parser expects: they must not end the text silently.
_TOKEN = re.compile(r"\s*(?:(?P<name>[A-Za-z_][A-Za-z0-9_]*)|(?P<number>[0-9]+)|(?P<mark>\S))")
_BRACKET = re.compile(r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[()\[\]]""")  # or a quoted name, which may hold some
_STEP = {"(": 1, "[": 1, ")": -1, "]": -1}
_UNREADABLE = (SyntaxError, ValueError, TypeError, MemoryError, RecursionError)
"""What Python's own parser raises, the last two for what is nested too deeply."""


class Tokens:
    """A text as tokens, read from left to right."""

    def __init__(self, text: str, what: str) -> None:
        steps = (_STEP[letter] for letter in text if letter in _STEP)
        depth = max(itertools.accumulate(steps, lambda depth, step: max(depth + step, 0)), default=0)
        if depth > MAX_DEPTH:
            raise InputError(f"{what} text has brackets in {depth} brackets; at most {MAX_DEPTH} are read")
        self.text, self.what, self.place = text, what, 0
        self.kinds = 0  # of particles so far
        self.limit = len(text.rstrip())

    def peek(self) -> str:
        """The next token, or an empty string at the end."""
        match = _TOKEN.match(self.text, self.place)
        return "" if match is None or self.place >= self.limit else match.group().strip()

    def take(self) -> str:
        """Reads the next token."""
        token = self.peek()
        match = _TOKEN.match(self.text, self.place)
        if match is not None and token:
            self.place = match.end()
        return token

    def accept(self, token: str) -> bool:
        """Reads the next token if it is the given one."""
        if self.peek() != token:
            return False
        self.take()
        return True

    def expect(self, token: str) -> None:
        """Reads the given token or fails."""
        if not self.accept(token):
            self.fail(f"expected {token!r}")

    def integer(self) -> int:
        """Reads a whole number or fails."""
        digits = self.peek()
        if not digits.isdigit() or not digits.isascii():
            self.fail("expected a whole number")
        if len(digits) > MAX_DIGITS:
            self.fail(f"a number of {len(digits):,} digits is too long")
        return int(self.take())

    def integers(self, closing: str) -> list[int]:
        """Reads whole numbers between commas up to a closing bracket."""
        if self.accept(closing):
            return []
        numbers = [self.integer()]
        while self.accept(","):
            numbers.append(self.integer())
        self.expect(closing)
        return numbers

    def call(self, keywords: Collection[str] = ()) -> tuple[Any, dict[str, Any]] | None:
        """Reads the Python call of one literal, and of literals by keywords, that begins here; it is never run. None if there is none."""
        end = self._end_of_brackets()
        with contextlib.suppress(*_UNREADABLE):
            parsed = ast.parse(self.text[self.place : end].strip(), mode="eval").body
            if isinstance(parsed, ast.Call):
                self.place = end
                (only,) = parsed.args
                named = {str(item.arg): ast.literal_eval(item.value) for item in parsed.keywords}
                return (ast.literal_eval(only), named) if set(named) <= set(keywords) else None
        return None

    def numbers(self, closing: str) -> Any:
        """Reads a tuple or list of numbers, or of lists of them, up to its closing bracket."""
        end = self._end_of_brackets()
        if self.text[end - 1 : end] == closing:
            with contextlib.suppress(*_UNREADABLE):
                values = ast.literal_eval(self.text[self.place : end].strip())
                self.place = end
                return values
        raise self._error("expected numbers")

    def _end_of_brackets(self) -> int:
        """Where the brackets that begin here are all closed, or here."""
        depth = 0
        for mark in _BRACKET.finditer(self.text, self.place, self.limit):
            depth += _STEP.get(mark.group(), 0)
            if depth <= 0 and mark.group() in _STEP:
                return mark.end()
        return self.place

    def bracketed(self) -> str:
        """Reads a pair of round brackets and returns what stands between them, inner brackets included."""
        self.expect("(")
        depth, start = 1, self.place
        while depth:
            if self.place >= self.limit:
                self.fail("expected ')'")
            depth += {"(": 1, ")": -1}.get(self.text[self.place], 0)
            self.place += 1
        return self.text[start : self.place - 1]

    def finish(self) -> None:
        """Fails unless everything has been read."""
        if self.peek():
            self.fail("did not expect more")

    def fail(self, problem: str) -> NoReturn:
        """Raises an error that names the token and its place."""
        raise self._error(problem)

    def _error(self, problem: str) -> InputError:
        token = repr(shorten(self.peek())) if self.peek() else "the end"
        return InputError(
            f"{self.what} {shorten(self.text, self.place)!r}: {problem} at {token} (position {self.place})"
        )


def shorten(text: str, place: int = 0) -> str:
    """A text for an error message: long ones only around a place.

    Example:
        >>> shorten("x" * 200) == "x" * 60 + "..."
        True
    """
    start, end = max(0, place - SHOWN), place + SHOWN
    return f"{'...' if start else ''}{text[start:end]}{'...' if len(text) > end else ''}"
