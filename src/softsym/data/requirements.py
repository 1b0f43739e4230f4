"""What a table must have to be learned from: columns that match the representations, enough different rows, something to learn."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from softsym.data.table import Table
from softsym.errors import InputError
from softsym.groups import Group, Trivial
from softsym.groups import group as read_group
from softsym.reps import Rep
from softsym.reps import rep as read_rep
from softsym.reps.affine import has_points, is_affine, points_to_vectors
from softsym.typing import Array

MINIMUM_ROWS = 50
"""Fewer examples than this cannot be split into training, validation and test data."""
LARGEST_VALUE = 1e140
"""Sums of squares of larger numbers are infinite, those of numbers smaller than its inverse are zero."""


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
        How many rows repeat the inputs of an earlier row.

    Raises:
        InputError: Columns do not match a representation, rows are too few, or there is nothing to learn.

    Example:
        >>> table = Table(np.arange(180.0).reshape(60, 3) // 6, np.eye(60), ("x", "y", "z"), (), "steps")
        >>> check_fit(table, "V", None, ["O(3)"])
        Traceback (most recent call last):
        ...
        softsym.errors.InputError: steps has 60 rows but only 30 different inputs; at least 50 are needed
    """
    reps = [None if rep is None else read_rep(rep) for rep in (rep_in, rep_out)]
    affine = has_points(*(rep for rep in reps if rep is not None))
    for group in map(read_group, groups):
        _check_size(reps[0], group, table.X.shape[1], "X", "--in", "--x-columns", affine)
        if table.Y is not None:
            _check_size(reps[1], group, table.Y.shape[1], "Y", "--out", "--y-columns", affine)
    if len(table.X) < MINIMUM_ROWS:
        raise InputError(f"{table.source} has {len(table.X)} rows; at least {MINIMUM_ROWS} are needed")
    if table.Y is not None and not np.ptp(table.Y, axis=0).any():
        shown = ", ".join(
            f"{name} = {value:g}" for name, value in zip(table.y_names[:3], table.Y[0], strict=False)
        )
        raise InputError(
            f"every output of {table.source} is constant ({shown}); there is nothing to learn, pass other --y-columns"
        )
    check_magnitudes(table.X, f"an input of {table.source}")
    if table.Y is not None:
        check_magnitudes(table.Y, f"an output of {table.source}")
    distinct = int(table.duplicates.max()) + 1
    if distinct < MINIMUM_ROWS:
        raise InputError(
            f"{table.source} has {len(table.X)} rows but only {distinct} different inputs; at least {MINIMUM_ROWS} are needed"
        )
    return len(table.X) - distinct


def check_magnitudes(values: Array, what: str) -> None:
    """Refuses numbers whose squares are none, or nothing.

    Args:
        values: The numbers.
        what: What one of them is called in a refusal.

    Example:
        >>> check_magnitudes(np.array([[1.0, 2e155]]), "an output")
        Traceback (most recent call last):
        ...
        softsym.errors.InputError: an output is as large as 2e+155; squares of that cannot be computed with, pass it in other units
    """
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    if largest > LARGEST_VALUE or 0 < largest < 1 / LARGEST_VALUE:
        size = "large" if largest > 1 else "small"
        raise InputError(
            f"{what} is as {size} as {largest:.3g}; squares of that cannot be computed with, pass it in other units"
        )


def _check_size(
    rep: Rep | None, group: Group, columns: int, what: str, flag: str, other: str, affine: bool
) -> None:
    if rep is None:
        return
    if affine and not is_affine(group):
        raise InputError(
            f"points P need groups in homogeneous coordinates such as 'SE(3)', or none to let the data propose; {group.name} is none: "
            f"write V for columns that it acts on"
        )
    # Beside points a vector has as many columns as they have.
    size = points_to_vectors(rep).size(Trivial(group.dim - 1)) if affine else rep.size(group)
    if size != columns:
        raise InputError(
            f"{rep} under {group.name} has size {size}, {what} has {columns} columns; "
            f"pass another representation as {flag} or other {other}"
        )
