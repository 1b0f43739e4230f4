"""Columns of a file: choosing them by a short text, inferring vectors from their names, and naming those of predictions.

::

    selection = item { "," item }
    item      = name | name ".." name | pattern
    name      = characters other than commas and dot pairs | '"' anything '"'

``m1..m5`` means all columns from m1 to m5 in the order of the file, ``pos_*`` all that match. Inside double quotes every character
stands for itself, and two double quotes for one.

Columns whose names differ only by x, y and z at the same place are one vector: ``x1 y1 z1``, ``px py pz``, ``force_x force_y force_z``.
Names of angular velocities, torques, spins and magnetic fields are taken for pseudovectors: ``omega_x omega_y omega_z``, ``Bx By Bz``.
"""

from __future__ import annotations

import difflib
import fnmatch
import itertools
import re
import shlex
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from softsym.errors import InputError

if TYPE_CHECKING:
    from softsym.typing import Array

SHOWN = 12  # how many column names a message lists
_TOKEN = re.compile(r'\s*(?:(?P<quoted>"(?:[^"]|"")*")|(?P<mark>,|\.\.)|(?P<plain>(?:(?!,|\.\.).)+))\s*', re.DOTALL)
_PSEUDOVECTORS = re.compile(
    r"omega|torques?|spin|angular_?(momentum|velocity)|vorticity|magnetic_?(field|moment)?|magnetization|gyro(scope)?",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Header:
    """The columns of a file, for choosing among them."""

    source: str  # the file, for messages
    names: tuple[str, ...]  # the columns in the order of the file

    def __post_init__(self) -> None:
        twice = [name for name, count in Counter(self.names).items() if count > 1]
        if twice:
            places = [k + 1 for k, name in enumerate(self.names) if name == twice[0]]
            raise InputError(
                f"{self.source} has the column name {twice[0]!r} {len(places)} times (columns "
                f"{', '.join(map(str, places))}); give every column a name of its own"
            )

    def select(self, text: str, flag: str) -> list[int]:
        """The places of the chosen columns, in the order of the text."""
        places = [place for item in _items(text, flag) for place in self._places(item, flag)]
        for place, count in Counter(places).items():
            if count > 1:
                raise InputError(f"{flag} chooses the column {self.names[place]!r} twice; name it once")
        return places

    def select_one(self, text: str, flag: str) -> int:
        """The place of a single column."""
        places = self.select(text, flag)
        if len(places) > 1:
            raise InputError(f"{flag}: {text!r} chooses {len(places)} columns of {self.source}; name one")
        return places[0]

    def describe(self) -> str:
        """The columns for a message, shortened if they are many."""
        if len(self.names) <= SHOWN:
            return ", ".join(self.names)
        return f"{', '.join(self.names[: SHOWN - 1])}, ... {self.names[-1]} ({len(self.names)} in all)"

    def _places(self, item: list[_Name], flag: str) -> list[int]:
        if len(item) == 2:
            first, last = (self._place(name, flag) for name in item)
            if last < first:
                raise InputError(
                    f"{flag}: column {item[1].text!r} comes before {item[0].text!r} in {self.source}; "
                    f"write {item[1].text}..{item[0].text}"
                )
            return list(range(first, last + 1))
        (name,) = item
        if name.quoted or name.text in self.names or not re.search(r"[*?\[]", name.text):
            return [self._place(name, flag)]
        matching = [k for k, known in enumerate(self.names) if fnmatch.fnmatchcase(known, name.text)]
        if not matching:
            raise InputError(
                f"{flag}: no column of {self.source} matches {name.text!r}; its columns are {self.describe()}"
            )
        return matching

    def _place(self, name: _Name, flag: str) -> int:
        if name.text in self.names:
            return self.names.index(name.text)
        same = [known for known in self.names if known.casefold() == name.text.casefold()]
        close = same or difflib.get_close_matches(name.text, self.names, n=1, cutoff=0.5)
        hint = f"did you mean {close[0]!r}? " if close else ""
        raise InputError(f"{flag}: {self.source} has no column {name.text!r}; {hint}Its columns are {self.describe()}")


@dataclass(frozen=True)
class _Name:
    text: str
    quoted: bool


def _items(text: str, flag: str) -> list[list[_Name]]:
    """Each item as one name or the two ends of a range."""
    items: list[list[_Name]] = [[]]
    ready = True  # whether a name may come next
    for token in _TOKEN.finditer(text.strip()):
        mark = token["mark"]
        if mark is None and ready:
            quoted = token["quoted"]
            name = token["plain"].strip() if quoted is None else quoted[1:-1].replace('""', '"')
            items[-1].append(_Name(name, quoted is not None))
        elif mark is None or ready or (mark == ".." and len(items[-1]) > 1):
            break
        elif mark == ",":
            items.append([])
        ready = mark is not None
    else:
        if not ready:
            return items
    raise InputError(
        f'{flag}: cannot read {text!r}; write column names with commas between them, such as "m1..m5,pos_*"'
    )


Places = tuple[list[int], list[int]]  # which columns are inputs, and which are outputs


def choose(
    header: Header, x_text: str | None, y_text: str | None, *, need_y: bool, apart: Collection[int] = ()
) -> Places:
    """Places of the input and output columns; whichever is not given is all the rest."""
    if x_text is None and y_text is None and need_y:
        raise InputError(
            f"{header.source}: pass --x-columns or --y-columns or both to say which columns are inputs and "
            f"outputs; its columns are {header.describe()}"
        )
    x = None if x_text is None else header.select(x_text, "--x-columns")
    y = None if y_text is None else header.select(y_text, "--y-columns")
    both = [header.names[k] for k in sorted(set(x or []) & set(y or []))]
    if both:
        raise InputError(
            f"column {both[0]!r} of {header.source} is chosen by --x-columns and by --y-columns; an input cannot be an output"
        )
    everything = set(range(len(header.names))) - set(apart)
    if x is None:
        x = sorted(everything - set(y or []))
    if y is None:
        y = sorted(everything - set(x)) if need_y else []
    for columns, flag, other in ((x, "--x-columns", "inputs"), (y, "--y-columns", "outputs")):
        if not columns and (flag == "--x-columns" or need_y):
            raise InputError(f"{header.source} has no columns left for the {other}; pass {flag}")
    return x, y


def quote(names: Iterable[str]) -> str:
    """The selection of exactly these columns."""
    return ",".join('"' + name.replace('"', '""') + '"' for name in names)


def prediction_columns(names: list[str], values: Array, std: Array | None) -> dict[str, Array]:
    """Predictions (rows, outputs) as named columns, then their standard deviations under names that no output has."""
    columns = {name: values[:, k] for k, name in enumerate(names)}
    if std is not None:
        suffix = "_std"
        while any(name + suffix in names for name in names):
            suffix += "_"
        columns |= {name + suffix: std[:, k] for k, name in enumerate(names)}
    return columns


@dataclass(frozen=True)
class InferredColumns:
    """Columns in order, and their representation."""

    columns: tuple[str, ...]  # names, those of a vector next to each other
    rep: str  # the representation, in text


def group_names(names: Sequence[str]) -> list[tuple[str, ...]]:
    """Names of each vector or scalar, in the order of the columns."""
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
    """Inputs and outputs: the last vector as the output; None if names show no two vectors."""
    groups = group_names(names)
    places = [k for k, group in enumerate(groups) if len(group) > 1]
    if len(places) < 2 or len({len(groups[k]) for k in places}) > 1:
        return None
    last = places[-1]
    return _side(groups[:last] + groups[last + 1 :]), _side([groups[last]])


def explain_missing_options(data: str, names: Sequence[str], texts: Collection[str]) -> str:
    """Message on missing options: the columns there are, and a command to copy that leaves columns of text out."""
    shown = ", ".join(names[:30]) + (", ..." if len(names) > 30 else "")
    parts = [
        f"{data} does not say which columns are inputs and outputs, and how they transform; its columns are {shown}",
        "pass --x-columns and --y-columns, and --in and --out: S for a number, V for a vector, T(2) for a matrix",
    ]
    sides = infer_columns([name for name in names if name not in texts])
    if sides is not None:
        x, y = sides
        options = {"--x-columns": _select(x.columns), "--y-columns": _select(y.columns), "--in": x.rep, "--out": y.rep}
        words = (word for option, value in options.items() for word in (option, shlex.quote(value)))
        parts.append(f"a guess by their names, to copy: softsym discover {shlex.quote(data)} {' '.join(words)}")
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
    """S for a single name, pV for three that name a pseudovector, such as ``omega1_x omega1_y omega1_z``, V for others."""
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
