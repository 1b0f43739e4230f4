"""Vectors inferred from the names of columns, offered as a command to copy.

Columns whose names differ only by x, y and z at the same place are one vector: ``x1 y1 z1``, ``px py pz``, ``force_x force_y force_z``.
Names of angular velocities, torques, spins and magnetic fields are taken for pseudovectors: ``omega_x omega_y omega_z``, ``Bx By Bz``.
"""

from __future__ import annotations

import itertools
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from softsym.data.columns import quote
from softsym.data.formats import open_file

_PSEUDOVECTORS = re.compile(
    r"omega|torques?|spin|angular_?(momentum|velocity)|vorticity|magnetic_?(field|moment)?|magnetization|gyro(scope)?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class InferredColumns:
    """Columns in order, and their representation."""

    columns: tuple[str, ...]  # names, those of a vector next to each other
    rep: str  # the representation, in text


def group_names(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Names of each vector or scalar, in the order of the columns.

    Example:
        >>> group_names(["m", "x1", "y1", "z1", "vx", "vy", "vz"])
        [('m',), ('x1', 'y1', 'z1'), ('vx', 'vy', 'vz')]
    """
    known = {name.lower(): name for name in names}
    used: set[str] = set()
    groups: list[tuple[str, ...]] = []
    for name in names:
        if name in used:
            continue
        group = next((other for other in _partners(name, known) if not used & set(other)), (name,))
        used |= set(group)
        groups.append(group)
    return groups


def infer_columns(names: Sequence[str]) -> tuple[InferredColumns, InferredColumns] | None:
    """Inputs and outputs: the last vector as the output; None if names show no two vectors.

    Example:
        >>> [side.rep for side in infer_columns(["m", "x1", "y1", "z1", "fx", "fy", "fz"])]
        ['S + V', 'V']
    """
    groups = group_names(names)
    places = [k for k, group in enumerate(groups) if len(group) > 1]
    if len(places) < 2 or len({len(groups[k]) for k in places}) > 1:
        return None
    last = places[-1]
    return _side(groups[:last] + groups[last + 1 :]), _side([groups[last]])


def explain_missing_options(data: str, names: Sequence[str], command: str = "discover") -> str:
    """Message on missing options: the columns there are, and a command to copy that leaves columns of text out."""
    texts = open_file(Path(data)).text_columns() if Path(data).is_file() else set()
    shown = ", ".join(names[:30]) + (", ..." if len(names) > 30 else "")
    parts = [
        f"{data} does not say which columns are inputs and outputs, and how they transform; its columns are {shown}",
        "pass --x-columns and --y-columns, and --in and --out: S for a number, V for a vector, T(2) for a matrix",
    ]
    sides = infer_columns([name for name in names if name not in texts])
    if sides is not None:
        x, y = sides
        options = {
            "--x-columns": _select(x.columns),
            "--y-columns": _select(y.columns),
            "--in": x.rep,
            "--out": y.rep,
        }
        words = (word for option, value in options.items() for word in (option, shlex.quote(value)))
        parts.append(
            f"a guess by their names, to copy: softsym {command} {shlex.quote(data)} {' '.join(words)}"
        )
    return "; ".join(parts)


def _select(names: Sequence[str]) -> str:
    """A selection of columns, quoted where a name would be read as something else."""
    return ",".join(name if re.fullmatch(r"\w+", name) else quote([name]) for name in names)


def _side(groups: Sequence[tuple[str, ...]]) -> InferredColumns:
    terms = []
    for symbol, same in itertools.groupby(map(_symbol, groups)):
        count = len(list(same))
        terms.append(symbol if count == 1 else f"{count}{symbol}")
    rep = " + ".join(terms)
    return InferredColumns(tuple(name for group in groups for name in group), rep)


def _symbol(group: tuple[str, ...]) -> str:
    """S for a single name, pV for three that name a pseudovector, V for others.

    Example:
        >>> _symbol(("m",)), _symbol(("fx", "fy", "fz")), _symbol(("omega1_x", "omega1_y", "omega1_z")), _symbol(("Bx", "By", "Bz"))
        ('S', 'V', 'pV', 'pV')
    """
    if len(group) < 2:
        return "S"
    stem = "".join(a for a, b in zip(*group[:2], strict=True) if a == b).strip("_-. 0123456789")
    return "pV" if len(group) == 3 and (stem == "B" or _PSEUDOVECTORS.fullmatch(stem)) else "V"


def _partners(name: str, known: dict[str, str]) -> list[tuple[str, ...]]:
    """Groups of three, then of two, that a name with an x in it begins."""
    groups = []
    for place, letter in enumerate(name.lower()):
        if letter != "x":
            continue
        names = [f"{name[:place]}{axis}{name[place + 1 :]}".lower() for axis in "xyz"]
        groups += [
            tuple(known[name] for name in names[:size])
            for size in (3, 2)
            if all(name in known for name in names[:size])
        ]
    return sorted(groups, key=len, reverse=True)
