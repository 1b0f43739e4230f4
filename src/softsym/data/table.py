"""Tables of inputs and outputs, read from the files that people have.

``.npz`` archives hold arrays X and Y; ``.csv``, ``.tsv`` and ``.parquet`` files hold named columns, some of which are chosen. Whatever
cannot be used is refused in one line that says what is wrong, where, and what to do.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softsym.data.columns import Header, choose
from softsym.data.delimited import SEPARATORS, DelimitedFile
from softsym.data.npz import Archive
from softsym.data.parquet import ParquetFile
from softsym.errors import DataWarning, InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.reps import Rep
from softsym.reps import rep as read_rep

Array = NDArray[np.float64]
SUFFIXES = (".npz", *SEPARATORS, ".parquet")
MINIMUM_ROWS = 50
"""Fewer examples than this cannot be split into training, validation and test data."""
MEMORY_WARNING = 2_000_000_000
"""Tables of more bytes than this are announced before they are loaded."""


@dataclass(frozen=True, eq=False)
class Table:
    """Inputs, and outputs if there are any.

    Args:
        X: Inputs, shape (n, p).
        Y: Outputs, shape (n, q).
        x_names: Names of the inputs' columns.
        y_names: Names of the outputs' columns.
        source: Where they come from, for messages.
    """

    X: Array
    Y: Array | None
    x_names: tuple[str, ...]
    y_names: tuple[str, ...]
    source: str


def read_table(
    path: Path | str, x_columns: str | None = None, y_columns: str | None = None, *, need_y: bool = True
) -> Table:
    """Reads inputs and outputs from a file.

    Args:
        path: An ``.npz``, ``.csv``, ``.tsv`` or ``.parquet`` file.
        x_columns: Which columns are inputs, such as ``m1..m5,pos_*``; see :mod:`softsym.data.columns`.
        y_columns: Which columns are outputs. If only one of both is given, the other is all remaining columns.
        need_y: Whether there must be outputs. If not, they are read only if ``y_columns`` asks for them, and all columns are inputs
            unless told otherwise.

    Raises:
        InputError: The file cannot be used.
    """
    path = Path(path)
    _check_readable(path)
    if path.suffix.lower() == ".npz":
        return _from_archive(Archive.open(path), x_columns, y_columns, need_y)
    parquet = path.suffix.lower() == ".parquet"
    return _from_columns(
        ParquetFile.open(path) if parquet else DelimitedFile.open(path), x_columns, y_columns, need_y
    )


def _check_readable(path: Path) -> None:
    if path.is_dir():
        raise InputError(f"{path} is a folder; pass a file in it")
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(
            f"cannot tell what {path} is from its name; pass a file that ends in {', '.join(SUFFIXES)}"
        )
    try:
        with path.open("rb"):
            pass
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}; pass the path of an existing one") from error
    except PermissionError as error:
        raise InputError(f"no permission to read {path}; pass a file that you may read") from error
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}; pass another file") from error


def _from_columns(
    file: DelimitedFile | ParquetFile, x_text: str | None, y_text: str | None, need_y: bool
) -> Table:
    x, y = choose(Header(str(file.path), file.names), x_text, y_text, need_y=need_y)
    _warn_of_memory(file.path, file.size(len(x) + len(y)))
    numbers = file.numbers([*x, *y])
    return Table(
        X=np.ascontiguousarray(numbers[:, : len(x)]),
        Y=np.ascontiguousarray(numbers[:, len(x) :]) if y else None,
        x_names=tuple(file.names[k] for k in x),
        y_names=tuple(file.names[k] for k in y),
        source=str(file.path),
    )


def _from_archive(file: Archive, x_text: str | None, y_text: str | None, need_y: bool) -> Table:
    with_y = need_y or y_text is not None
    _warn_of_memory(file.path, sum(file.sizes.get(name, 0) for name in ("X", "Y")[: 1 + with_y]))
    X, x_names = _part(file, "X", x_text)
    Y, y_names = _part(file, "Y", y_text) if with_y else (None, ())
    if Y is not None and len(X) != len(Y):
        raise InputError(
            f"{file.path}: X has {len(X)} rows and Y has {len(Y)}; the first axis of both must be the examples"
        )
    return Table(X, Y, x_names, y_names, str(file.path))


def _part(file: Archive, name: str, text: str | None) -> tuple[Array, tuple[str, ...]]:
    values = file.numbers(name)
    small = name.lower()
    names = file.names(f"{small}_names", values.shape[1], small)
    header = Header(f"`{name}` of {file.path}", names)  # refuses names that occur twice
    if text is None:
        return values, names
    chosen = header.select(text, f"--{small}-columns")
    return values[:, chosen], tuple(names[k] for k in chosen)


def _warn_of_memory(path: Path, size: int) -> None:
    if size > MEMORY_WARNING:
        warnings.warn(
            f"{path} needs about {size / 1e9:.1f} GB of memory; choose fewer columns or a sample of its rows if that is too much",
            DataWarning,
            stacklevel=4,
        )


def check_fit(
    table: Table, rep_in: Rep | str | None, rep_out: Rep | str | None, groups: Sequence[Group | str]
) -> int:
    """Checks that a table can be learned from as its representations say.

    Args:
        table: Inputs and outputs.
        rep_in: How inputs transform; None for anything.
        rep_out: How outputs transform; None for anything.
        groups: The candidate groups.

    Returns:
        How many rows repeat the inputs of an earlier row; see :func:`duplicate_groups`.

    Raises:
        InputError: Columns do not match a representation, rows are too few, or there is nothing to learn.
    """
    for group in map(read_group, groups):
        _check_size(rep_in, group, table.X.shape[1], "X", "--in", "--x-columns")
        if table.Y is not None:
            _check_size(rep_out, group, table.Y.shape[1], "Y", "--out", "--y-columns")
    if len(table.X) < MINIMUM_ROWS:
        raise InputError(f"{table.source} has {len(table.X)} rows; at least {MINIMUM_ROWS} are needed")
    if table.Y is not None and not np.ptp(table.Y, axis=0).any():
        shown = ", ".join(
            f"{name} = {value:g}" for name, value in zip(table.y_names[:3], table.Y[0], strict=False)
        )
        raise InputError(
            f"every output of {table.source} is constant ({shown}); there is nothing to learn, pass other --y-columns"
        )
    distinct = len(np.unique(duplicate_groups(table.X)))
    if distinct < MINIMUM_ROWS:
        raise InputError(
            f"{table.source} has {len(table.X)} rows but only {distinct} different inputs; at least {MINIMUM_ROWS} are needed"
        )
    return len(table.X) - distinct


def _check_size(rep: Rep | str | None, group: Group, columns: int, what: str, flag: str, other: str) -> None:
    if rep is None:
        return
    rep = read_rep(rep)
    if rep.size(group) != columns:
        raise InputError(
            f"{rep} under {group.name} has size {rep.size(group)}, {what} has {columns} columns; "
            f"pass another representation as {flag} or other {other}"
        )


def duplicate_groups(X: Array) -> NDArray[np.int64]:
    """Labels that equal rows share, shape (n,), so that a split can keep them together.

    Args:
        X: Rows, shape (n, p).

    Example:
        >>> import numpy as np
        >>> duplicate_groups(np.array([[1.0, 2.0], [0.0, 5.0], [1.0, 2.0]])).tolist()
        [1, 0, 1]
    """
    rows = np.ascontiguousarray(
        np.asarray(X, dtype=np.float64) + 0.0
    )  # -0.0 + 0.0 is 0.0, so equal rows have equal bytes
    if not rows.shape[1]:
        return np.zeros(len(rows), dtype=np.int64)
    whole = rows.view(np.dtype((np.void, rows.dtype.itemsize * rows.shape[1]))).ravel()
    _, labels = np.unique(whole, return_inverse=True)
    return labels.astype(np.int64)
