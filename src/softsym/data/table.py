"""Tables of inputs and outputs, read from the files that people have.

A file holds named columns, some of which are chosen; formats are listed in :mod:`softsym.data.formats`. Whatever cannot be used is
refused in one line that says what is wrong, where, and what to do.
"""

from __future__ import annotations

import functools
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from softsym.data.formats import DataFile, format_of
from softsym.data.labels import numbered
from softsym.data.split import duplicate_groups
from softsym.errors import DataWarning, InputError
from softsym.typing import Array, Index

MEMORY_WARNING = 2_000_000_000
"""Tables of more bytes than this are announced before they are loaded."""


@dataclass(frozen=True, eq=False)
class Table:
    """Inputs, and outputs if there are any. The numbers are not to be changed afterwards.

    Args:
        X: Inputs, shape (n, p).
        Y: Outputs, shape (n, q).
        x_names: Names of the inputs' columns.
        y_names: Names of the outputs' columns.
        source: Where they come from, for messages.
        together: Labels 0, 1, ... of rows that belong together, shape (n,), such as windows of one recording; None if every row
            stands by itself.
        total: How many rows there are where they come from, if these are a sample.
    """

    X: Array
    Y: Array | None
    x_names: tuple[str, ...]
    y_names: tuple[str, ...]
    source: str
    together: Index | None = None
    total: int | None = None

    @functools.cached_property
    def duplicates(self) -> Index:
        """Labels that rows of equal inputs share, shape (n,); see :func:`softsym.data.split.duplicate_groups`."""
        return duplicate_groups(self.X)


def read_table(
    path: Path | str,
    x_columns: str | None = None,
    y_columns: str | None = None,
    *,
    need_y: bool = True,
    together: str | None = None,
    most_rows: int | None = None,
    seed: int = 0,
) -> Table:
    """Reads inputs and outputs from a file.

    Args:
        path: A file of one of the :data:`~softsym.data.formats.FORMATS`.
        x_columns: Which columns are inputs, such as ``m1..m5,pos_*``; see :mod:`softsym.data.columns`.
        y_columns: Which columns are outputs. If only one of both is given, the other is all remaining columns.
        need_y: Whether there must be outputs. If not, they are read only if ``y_columns`` asks for them, and all columns are inputs
            unless told otherwise.
        together: The column, or the array of an ``.npz``, whose texts or numbers say which rows belong together. It is an input or an
            output only if it is chosen as one.
        most_rows: If the file has more rows, a sample of so many is taken, in the order of the file; from Parquet in bounded memory.
        seed: Seed of that sample.

    Raises:
        InputError: The file cannot be used.
    """
    path = Path(path)
    file = open_file(path)
    x, y = file.choose(x_columns, y_columns, need_y=need_y, together=together)
    total = None if most_rows is None else file.count()
    chosen = _sample(total, most_rows, seed)
    if chosen is None:
        _warn_of_memory(path, file.size([*x, *y]))
        numbers = file.numbers([*x, *y])
        total, chosen = len(numbers), _sample(len(numbers), most_rows, seed)
        numbers = numbers if chosen is None else numbers[chosen]
    else:
        numbers = file.sample([*x, *y], chosen)
    return Table(
        X=np.ascontiguousarray(numbers[:, : len(x)]),
        Y=np.ascontiguousarray(numbers[:, len(x) :]) if y else None,
        x_names=tuple(file.names[k] for k in x),
        y_names=tuple(file.names[k] for k in y),
        source=str(path),
        together=None
        if together is None
        else numbered(file.labels(together, chosen), f"{path}: {together!r}"),
        total=total,
    )


def _sample(total: int | None, most: int | None, seed: int) -> Index | None:
    """Rows in ascending order; None for all of them."""
    if total is None or most is None or total <= most:
        return None
    return np.sort(np.random.default_rng(seed).choice(total, most, replace=False, shuffle=False))


def open_file(path: Path) -> DataFile:
    """Opens a file to see which columns it has; refuses what is not there or cannot be read."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; pass a file in it")
    known = format_of(path)
    if path.exists() and not path.is_file():  # it would be waited for, and could be read once only
        raise InputError(f"{path} is a pipe or a device; write what it gives to a file and pass that")
    try:
        with path.open("rb"):
            pass
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}; pass the path of an existing one") from error
    except PermissionError as error:
        raise InputError(f"no permission to read {path}; pass a file that you may read") from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}; pass another file") from error
    return known.open(path)


def _warn_of_memory(path: Path, size: int) -> None:
    if size > MEMORY_WARNING:
        warnings.warn(
            f"{path} needs about {size / 1e9:.1f} GB of memory; choose fewer columns or a sample of its rows if that is too much",
            DataWarning,
            stacklevel=3,
        )
