"""A guess at vectors by the names of columns, offered as a command to copy.

Columns whose names differ only by x, y and z at the same place belong together: ``x1 y1 z1``, ``px py pz``, ``force_x force_y force_z``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Guess:
    """Columns in order, and what they may be.

    Args:
        columns: Names, vectors together.
        rep: The representation, in text.
    """

    columns: tuple[str, ...]
    rep: str


def vectors(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Names that belong together, in the order of the columns; a single one is a scalar.

    Example:
        >>> vectors(["m", "x1", "y1", "z1", "vx", "vy", "vz"])
        [('m',), ('x1', 'y1', 'z1'), ('vx', 'vy', 'vz')]
    """
    known = {name.lower(): name for name in names}
    used: set[str] = set()
    found: list[tuple[str, ...]] = []
    for name in names:
        if name in used:
            continue
        together = next((group for group in _partners(name, known) if not used & set(group)), (name,))
        used |= set(together)
        found.append(together)
    return found


def guess(names: Sequence[str]) -> tuple[Guess, Guess] | None:
    """Inputs and outputs: the last vector as the output; None if names show no two vectors.

    Example:
        >>> [side.rep for side in guess(["m", "x1", "y1", "z1", "fx", "fy", "fz"])]
        ['S + V', 'V']
    """
    together = vectors(names)
    places = [k for k, group in enumerate(together) if len(group) > 1]
    if len(places) < 2 or len({len(together[k]) for k in places}) > 1:
        return None
    last = places[-1]
    return _side(together[:last] + together[last + 1 :]), _side([together[last]])


def advice(data: str, names: Sequence[str], command: str = "discover") -> str:
    """What is missing, which columns there are, and a command to copy, in a few lines."""
    shown = ", ".join(names[:30]) + (", ..." if len(names) > 30 else "")
    lines = [
        f"{data} does not say which columns are inputs and outputs, and how they transform; its columns are {shown}",
        "  pass --x-columns and --y-columns, and --in and --out: S for a number, V for a vector, T(2) for a matrix",
    ]
    sides = guess(names)
    if sides is not None:
        x, y = sides
        lines.append(
            f'  a guess by their names, to copy: softsym {command} {data} --x-columns "{",".join(x.columns)}" '
            f'--y-columns "{",".join(y.columns)}" --in "{x.rep}" --out "{y.rep}"'
        )
    return "\n".join(lines)


def _side(groups: Sequence[tuple[str, ...]]) -> Guess:
    terms: list[list[object]] = []
    for group in groups:
        kind = "V" if len(group) > 1 else "S"
        if terms and terms[-1][1] == kind:
            terms[-1][0] = int(str(terms[-1][0])) + 1
        else:
            terms.append([1, kind])
    rep = " + ".join(f"{count if count != 1 else ''}{kind}" for count, kind in terms)
    return Guess(tuple(name for group in groups for name in group), rep)


def _partners(name: str, known: dict[str, str]) -> list[tuple[str, ...]]:
    """Groups of three, then of two, that a name with an x in it begins."""
    groups = []
    for place, letter in enumerate(name.lower()):
        if letter != "x":
            continue
        names = [f"{name[:place]}{axis}{name[place + 1 :]}".lower() for axis in "xyz"]
        groups += [
            tuple(known[one] for one in names[:size])
            for size in (3, 2)
            if all(one in known for one in names[:size])
        ]
    return sorted(groups, key=len, reverse=True)
