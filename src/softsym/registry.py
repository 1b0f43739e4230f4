"""Objects that are chosen by name and imported when first used.

The names alone cost no import, so a command's help can list them. A new object is a new file and one line in the table;
:meth:`Registry.register` adds one to the running process.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

from softsym.errors import InputError

T = TypeVar("T")


class Registry(Generic[T]):
    """Objects by name, in the order of their table."""

    def __init__(self, what: str, locations: Mapping[str, str]) -> None:
        self.what = what
        self._locations = dict(locations)
        self._own: dict[str, T] = {}

    def __getitem__(self, name: str) -> T:
        self.check(name)
        found: T = self._own[name] if name in self._own else pkgutil.resolve_name(self._locations[name])
        return found

    def check(self, name: str) -> None:
        """Refuses an unknown name, without importing anything."""
        if name not in self:
            raise InputError(f"unknown {self.what} {name!r}; pass one of {', '.join(self)}")

    def register(self, name: str, thing: T) -> None:
        """Adds an object in this process."""
        if name in self:
            raise InputError(f"there is a {self.what} called {name!r} already; choose another name")
        self._own[name] = thing

    def forget(self, name: str) -> None:
        """Removes what :meth:`register` added."""
        del self._own[name]

    def __contains__(self, name: object) -> bool:
        return name in self._locations or name in self._own

    def __iter__(self) -> Iterator[str]:
        return iter((*self._locations, *self._own))

    def __len__(self) -> int:
        return len(self._locations) + len(self._own)
