"""The text form of tasks: a name, perhaps a variant, perhaps options.

::

    task = name [ ":" item { "," item } ]
    item = variant | key "=" value              only the first item can be a variant
"""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NoReturn

from softsym.errors import InputError

_OPTION = re.compile(r"[A-Za-z_]\w*=")
_BETWEEN = re.compile(r",\s*(?=[A-Za-z_]\w*=)")  # a comma inside a variant or a file name stays


@dataclass(frozen=True)
class Arguments:
    """What stands in a task's text.

    Args:
        text: The whole text, for error messages.
        name: The task.
        variant: What stands after the colon without a key; empty if nothing does.
        options: Keys and their values.
    """

    text: str
    name: str
    variant: str
    options: Mapping[str, str]

    @staticmethod
    def read(text: str) -> Arguments:
        """Splits a text."""
        name, _, rest = text.partition(":")
        items = [item.strip() for item in _BETWEEN.split(rest.strip())]
        variant = "" if _OPTION.match(items[0]) else items.pop(0)
        options: dict[str, str] = {}
        for item in items:
            key, _, value = item.partition("=")
            if key in options:
                raise InputError(f"task {text!r}: the option {key!r} is given twice")
            options[key] = value.strip()
        return Arguments(text, name.strip(), variant, options)

    def fail(self, problem: str) -> NoReturn:
        """Raises an error that names the text."""
        raise InputError(f"task {self.text!r}: {problem}")

    def only(self, *known: str) -> None:
        """Fails at an option that is not among the known ones."""
        for key in self.options:
            if key not in known:
                takes = f"{self.name} takes {', '.join(known)}" if known else f"{self.name} takes none"
                self.fail(f"unknown option {key!r}; {takes}")

    def no_variant(self) -> None:
        """Fails if there is a variant."""
        if self.variant:
            self.fail(f"did not expect {self.variant!r}; pass options as key=value")

    def choose(self, default: str, known: Iterable[str], aliases: Mapping[str, str] | None = None) -> str:
        """The variant under its own name, or the default if there is none."""
        names = list(known)
        chosen = (aliases or {}).get(self.variant, self.variant) or default
        if chosen not in names:
            close = difflib.get_close_matches(chosen, names, n=1, cutoff=0.6)
            hint = f"did you mean {close[0]}? " if close else ""
            self.fail(f"unknown variant {self.variant!r}; {hint}Known: {', '.join(names)}")
        return chosen

    def number(self, key: str, default: float) -> float:
        """An option that is a finite number."""
        if key not in self.options:
            return default
        try:
            value = float(self.options[key])
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            self.fail(f"the option {key!r} must be a number, got {self.options[key]!r}")
        return value

    def integer(self, key: str, default: int) -> int:
        """An option that is a whole number."""
        value = self.number(key, default)
        if value != int(value):
            self.fail(f"the option {key!r} must be a whole number, got {self.options[key]!r}")
        return int(value)
