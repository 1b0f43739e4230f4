"""Splitting the text forms of groups and representations into tokens.

Both little languages have the same alphabet: names, whole numbers, brackets and operators. A parser reads a :class:`Tokens` from
left to right and fails with the offending token and its place.
"""

from __future__ import annotations

import ast
import re
from typing import NoReturn

from softsym.errors import InputError

MAX_DEPTH = 100
_TOKEN = re.compile(r"\s*(?:(?P<name>[A-Za-z_]\w*)|(?P<number>\d+)|(?P<mark>[^\s\w]))")


class Tokens:
    """A text as tokens, read from left to right.

    Args:
        text: What to read.
        what: What the text describes, for error messages: "group" or "representation".
    """

    def __init__(self, text: str, what: str) -> None:
        if text.count("(") > MAX_DEPTH:
            raise InputError(f"{what} text has {text.count('(')} brackets; at most {MAX_DEPTH} are read")
        self.text, self.what, self.place = text, what, 0
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
        if not self.peek().isdigit():
            self.fail("expected a whole number")
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

    def call(self) -> ast.Call | None:
        """Reads the shortest Python call that begins here; it is parsed, never run. Reads nothing if there is none."""
        for end in (i + 1 for i in range(self.place, self.limit) if self.text[i] == ")"):
            try:
                found = ast.parse(self.text[self.place : end].strip(), mode="eval").body
            except SyntaxError:
                continue
            if isinstance(found, ast.Call):
                self.place = end
                return found
        return None

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
        found = repr(self.peek()) if self.peek() else "the end"
        raise InputError(f"{self.what} {self.text!r}: {problem} at {found} (position {self.place})")
