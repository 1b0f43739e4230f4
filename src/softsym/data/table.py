"""Tables of inputs and outputs: reading them from files, and checking that they can be learned from.

A file holds named columns, some of which are chosen; formats are listed in :mod:`softsym.data.formats`. Whatever cannot be used is
refused in one line that says what is wrong, where, and what to do.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softsym.arrays import check_magnitudes, make_rng, quaternion_hint
from softsym.arrays import encode_labels as encode_labels
from softsym.data.formats import open_file as open_file
from softsym.data.split import duplicate_groups
from softsym.errors import DataWarning, InputError
from softsym.groups import Group, Trivial, read_groups
from softsym.groups import group as read_group
from softsym.limits import check_memory
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.reps.affine import has_points, is_affine, points_to_vectors
from softsym.reps.particles import has_particles, particles_hint
from softsym.typing import Array, Index

MEMORY_WARNING = 2_000_000_000  # tables of more bytes than this are announced before they are loaded
MINIMUM_ROWS = 50  # fewer examples than this cannot be split into training, validation and test data


@dataclass(frozen=True, eq=False)
class Table:
    """Inputs, and outputs if there are any; the arrays are not to be changed.

    Args:
        X: Inputs, shape (n, p).
        Y: Outputs, shape (n, q).
        x_names: Names of the inputs' columns.
        y_names: Names of the outputs' columns.
        source: Where they come from, for messages.
        row_groups: Labels 0, 1, ... of row groups, shape (n,), such as windows of one recording; None if rows are independent.
        total: How many rows there are where they come from, if these are a sample.
    """

    X: Array
    Y: Array | None
    x_names: tuple[str, ...]
    y_names: tuple[str, ...]
    source: str
    row_groups: Index | None = None
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
    row_groups: str | None = None,
    most_rows: int | None = None,
    seed: int = 0,
    drop_missing: bool = False,
) -> Table:
    """Reads inputs and outputs from a file.

    Args:
        path: A file of one of the :data:`~softsym.data.formats.FORMATS`.
        x_columns: Which columns are inputs, such as ``m1..m5,pos_*``; see :mod:`softsym.data.columns`.
        y_columns: Which columns are outputs. If only one of both is given, the other is all remaining columns.
        need_y: Whether there must be outputs. If not, they are read only if ``y_columns`` asks for them, and all columns are inputs
            unless ``x_columns`` chooses.
        row_groups: The column, or the array of an ``.npz``, whose equal texts or numbers mark a row group. It is an input or an
            output only if it is chosen as one.
        most_rows: If the file has more rows, a sample of so many is taken, in the order of the file; from Parquet in bounded memory.
        seed: Seed of that sample.
        drop_missing: Leave out rows with an empty cell, NaN or infinity in one of the columns, instead of refusing the file.

    Raises:
        InputError: The file cannot be used.
    """
    path = Path(path)
    file = open_file(path)
    x, y = file.choose(x_columns, y_columns, need_y=need_y, row_groups=row_groups)
    total = None if most_rows is None else file.count()
    chosen = _sample(total, most_rows, seed)
    if chosen is None:
        size, advice = file.size([*x, *y]), "choose fewer columns or a sample of its rows (--max-rows)"
        check_memory(str(path), 2 * size, advice)  # numbers are copied once
        if size > MEMORY_WARNING:
            need = f"{path} needs about {size / 1e9:.1f} GB of memory"
            warnings.warn(f"{need}; {advice} if that is too much", DataWarning, stacklevel=2)
        numbers = file.numbers([*x, *y], keep_missing=drop_missing)
        total, chosen = len(numbers), _sample(len(numbers), most_rows, seed)
        numbers = numbers if chosen is None else numbers[chosen]
    else:
        numbers = file.sample([*x, *y], chosen, keep_missing=drop_missing)
    labels = None if row_groups is None else encode_labels(file.labels(row_groups, chosen), f"{path}: {row_groups!r}")
    if drop_missing:
        whole = _whole_rows(path, numbers)
        numbers = numbers[whole]
        labels = None if labels is None else encode_labels(labels[whole].tolist(), "")
    return Table(
        X=np.ascontiguousarray(numbers[:, : len(x)]),
        Y=np.ascontiguousarray(numbers[:, len(x) :]) if y else None,
        x_names=tuple(file.names[k] for k in x),
        y_names=tuple(file.names[k] for k in y),
        source=str(path),
        row_groups=labels,
        total=total,
    )


def _sample(total: int | None, most: int | None, seed: int) -> Index | None:
    """Rows in ascending order; None for all of them."""
    if total is None or most is None or total <= most:
        return None
    return np.sort(make_rng(seed).choice(total, most, replace=False, shuffle=False))


def _whole_rows(path: Path, numbers: Array) -> NDArray[np.bool_]:
    """Which rows lack nothing; says how many are left out."""
    whole: NDArray[np.bool_] = np.all(np.isfinite(numbers), axis=1)
    if not whole.any():
        raise InputError(f"every row of {path} lacks a value; choose other --x-columns or --y-columns")
    if not whole.all():
        count = len(whole) - int(whole.sum())
        incomplete = f"{count:,} of {len(whole):,} rows lack a value and are left out"
        warnings.warn(f"{path}: {incomplete}", DataWarning, stacklevel=3)
    return whole


def check_fit(table: Table, rep_in: Rep | str | None, rep_out: Rep | str | None, groups: Sequence[Group | str]) -> int:
    """Refuses a table that cannot be learned from as its representations say; returns how many rows repeat the inputs of an earlier one."""
    reps = [None if rep is None else read_rep(rep) for rep in (rep_in, rep_out)]
    known = [rep for rep in reps if rep is not None]
    sides = ((reps[0], table.X, "X", "--in", "--x-columns"), (reps[1], table.Y, "Y", "--out", "--y-columns"))
    with_points, is_known = (
        has_points(*known),
        bool(groups) and not has_particles(*known),
    )  # else checked by `read_particles`
    listed = [read_group(each) for each in groups] if with_points else read_groups(groups) if is_known else []
    for group in listed if is_known else ():
        dims = [group.dim, group.dim - 1] if is_affine(group) else [group.dim]
        for rep, values, what, flag, other in sides:
            if rep is None or values is None:
                continue
            # Together with points a vector has as many columns as they have, and a group may be of homogeneous coordinates.
            vectors = points_to_vectors(rep)
            sizes = [vectors.size(Trivial(d)) for d in dims] if with_points else [rep.size(group)]
            if values.shape[1] not in sizes:
                raise InputError(
                    f"{rep} under {group.name} has size {sizes[-1]}, {what} has {values.shape[1]} columns; "
                    f"pass another representation as {flag} or other {other}{particles_hint(rep, group) or quaternion_hint(values)}"
                )
    if len(table.X) < MINIMUM_ROWS:
        raise InputError(f"{table.source} has {len(table.X)} rows; at least {MINIMUM_ROWS} are needed")
    if table.Y is not None and not np.ptp(table.Y, axis=0).any():
        shown = ", ".join(f"{name} = {value:g}" for name, value in zip(table.y_names[:3], table.Y[0], strict=False))
        raise InputError(
            f"every output of {table.source} is constant ({shown}); there is nothing to learn, pass other --y-columns"
        )
    for values, what in ((table.X, "input"), (table.Y, "output")):
        if values is not None:
            check_magnitudes(values, f"an {what} of {table.source}")
    distinct = int(table.duplicates.max()) + 1
    if distinct < MINIMUM_ROWS:
        raise InputError(
            f"{table.source} has {len(table.X)} rows but only {distinct} different inputs; at least {MINIMUM_ROWS} are needed"
        )
    return len(table.X) - distinct
