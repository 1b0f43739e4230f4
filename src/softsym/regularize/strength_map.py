"""Strengths by group name: a mapping with fixed keys that accepts only finite numbers of at least zero."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, MutableMapping, Sequence

from softsym.errors import InputError


class StrengthMap(MutableMapping[str, float]):
    """The strength of each group.

    Args:
        names: The groups' names, in order.
        start: One strength for all, or one for each.
    """

    def __init__(self, names: Sequence[str], start: float | Mapping[str, float]) -> None:
        self._values = dict.fromkeys(names, 0.0)
        if isinstance(start, Mapping):
            missing = [name for name in names if name not in start]
            if missing:
                raise InputError(
                    f"`strength` lacks {', '.join(missing)}; give one for each group or one number for all"
                )
        for name in start if isinstance(start, Mapping) else names:
            self[name] = start[name] if isinstance(start, Mapping) else start

    def __getitem__(self, name: str) -> float:
        return self._values[name]

    def __setitem__(self, name: str, value: float) -> None:
        self._values[name] = self._checked(name, value)

    def replace(self, values: Mapping[str, float]) -> None:
        """Sets several strengths, all of them or, if one is wrong, none."""
        self._values |= {name: self._checked(name, value) for name, value in values.items()}

    def _checked(self, name: str, value: float) -> float:
        if name not in self._values:
            raise InputError(f"unknown group {name!r}; the groups are {', '.join(self._values)}")
        if not isinstance(value, int | float) or not math.isfinite(value) or value < 0:
            raise InputError(f"the strength of {name} must be a finite number >= 0, got {value!r}")
        return float(value)

    def __delitem__(self, name: str) -> None:
        raise InputError("a group cannot be removed; set its strength to 0")

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return repr(self._values)
