"""Rows, their weights, representations, groups and seeds as people pass them: read, or refused in one line."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from threadpoolctl import threadpool_limits

from softsym.data.conversions import quaternion_hint
from softsym.data.table import check_magnitudes
from softsym.errors import InputError
from softsym.groups import Group, join_groups, read_groups
from softsym.reps import Rep, Scalar, TensorType
from softsym.reps import rep as read_rep
from softsym.typing import Array, Index


@contextlib.contextmanager
def one_blas_thread() -> Iterator[None]:
    """A context, or a decorator, in which BLAS uses one thread: matrices are small and many, and results do not depend on cores.

    Example:
        >>> from threadpoolctl import threadpool_info
        >>> import numpy
        >>> with one_blas_thread():
        ...     {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}
        {1}
    """
    with threadpool_limits(limits=1, user_api="blas"):
        yield


def read_shape(
    rep_in: Rep | str | None, rep_out: Rep | str | None, groups: Any, X: Array, Y: Array
) -> tuple[Rep, Rep, list[Group]]:
    """Representations and groups that fit the data, or a clear refusal.

    Args:
        rep_in: How inputs transform; needed with groups.
        rep_out: How outputs transform; needed with groups.
        groups: Candidate groups; may be none.
        X: Inputs (n, size of ``rep_in``).
        Y: Outputs (n, size of ``rep_out``).

    Example:
        >>> import numpy as np
        >>> rep_in, rep_out, groups = read_shape("2V", "S", "O(3)", np.ones((4, 6)), np.ones((4, 1)))
        >>> str(rep_in), [group.name for group in groups]
        ('2V', ['O(3)'])
    """
    listed = read_groups(groups) if isinstance(groups, str | Group) or len(groups) else []
    if not listed:  # nothing acts: every column is a scalar, whatever it is called
        return X.shape[1] * Scalar, Y.shape[1] * Scalar, []
    if rep_in is None or rep_out is None:
        missing = "rep_in" if rep_in is None else "rep_out"
        raise InputError(
            f"`{missing}` is None; with candidate groups pass how the data transform, such as '5S + 5V'"
        )
    first, second, whole = read_rep(rep_in), read_rep(rep_out), join_groups(listed)
    for rep, values, name, what in ((first, X, "rep_in", "X"), (second, Y, "rep_out", "y")):
        size = rep.size(whole)
        if size != values.shape[1]:
            raise InputError(
                f"{rep} under {whole.name} has size {size}, {what} has {values.shape[1]} columns; pass another `{name}`"
                + quaternion_hint(values)
            )
    return first, second, listed


def seed_of(random_state: Any) -> int:
    """A seed from what scikit-learn allows as a random state."""
    if random_state is None:
        return int(np.random.default_rng().integers(2**31))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31))
    is_whole = isinstance(random_state, int | np.integer) and not isinstance(random_state, bool)
    if not is_whole or not 0 <= random_state < 2**63:
        raise InputError(
            f"`random_state` must be a whole number from 0 to 2^63 - 1, a RandomState, a Generator or None, got {random_state!r:.60}"
        )
    return int(random_state)


def read_former_name(row_groups: Any, sources: Any, stacklevel: int) -> Any:
    """The row groups, which may still be passed by their former name ``sources``, with a warning."""
    if sources is None:
        return row_groups
    warnings.warn("`sources` is now `row_groups`", DeprecationWarning, stacklevel=stacklevel)
    if row_groups is not None:
        raise InputError("`sources` is the former name of `row_groups`; pass one of them")
    return sources


def row_weights(sample_weight: Any, rows: int) -> Array | None:
    """How much every row counts, of mean one, shape (rows,); None if all count the same.

    Args:
        sample_weight: A number for every row, or one for all; None if all count the same.
        rows: How many rows there are.

    Example:
        >>> row_weights([1, 3], 2)
        array([0.5, 1.5])
    """
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("`sample_weight` must hold a number for every row") from error
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.shape != (rows,):
        raise InputError(
            f"`sample_weight` has shape {weights.shape}; pass one number for each of {rows} rows"
        )
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise InputError(
            "`sample_weight` must hold finite numbers that are not negative, not all of them zero"
        )
    weights = weights / weights[weights > 0].mean()
    return None if (weights == weights[0]).all() else weights


def read_rows(values: ArrayLike, name: str) -> Array:
    """Real numbers as rows of float64 (n, columns); a single column may come without its axis.

    Args:
        values: The numbers.
        name: What they are called in a refusal.
    """
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise InputError(f"`{name}` must hold real numbers, got an array of {array.dtype}")
    array = array.astype(np.float64)
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2:
        raise InputError(f"`{name}` must have shape (rows, columns), got {array.shape}")
    if not np.isfinite(array).all():
        raise InputError(f"`{name}` contains NaN or infinity; leave those rows out")
    check_magnitudes(array, f"a value of `{name}`")
    return array


def join_equal_inputs(X: Array, row_groups: Index | None) -> Index:
    """Labels 0, 1, ... (n,) of dependent rows: those of one row group, and those of equal inputs.

    Example:
        >>> join_equal_inputs(np.array([[1.0], [2.0], [1.0], [3.0]]), np.array([0, 1, 2, 1])).tolist()
        [0, 1, 0, 1]
    """
    equal = np.unique(X, axis=0, return_inverse=True)[1].reshape(-1)
    if row_groups is None:
        return np.asarray(np.unique(equal, return_inverse=True)[1].reshape(-1), dtype=np.int64)
    labels = np.unique(row_groups, return_inverse=True)[1].reshape(-1)
    while True:  # the smallest label of all that are connected
        smallest = np.full(int(equal.max()) + 1, len(X))
        np.minimum.at(smallest, equal, labels)
        joined = smallest[equal]
        lowest = np.full(int(labels.max()) + 1, len(X))
        np.minimum.at(lowest, labels, joined)
        if (lowest[labels] == labels).all():
            return np.asarray(np.unique(labels, return_inverse=True)[1].reshape(-1), dtype=np.int64)
        labels = lowest[labels]


def output_blocks(Y: Array, rep_out: Rep, group: Group) -> list[tuple[TensorType, Array]]:
    """Outputs by tensor type: (n, size, copies) of unit size each, scalars centred; copies that do not vary are left out."""
    blocks = []
    for segment in rep_out.segments(group):
        values = (
            Y[:, segment.start : segment.stop]
            .reshape(len(Y), segment.copies, segment.size)
            .transpose(0, 2, 1)
        )
        if not segment.type.rank:
            values = values - values.mean(axis=0)
        size = np.sqrt((values**2).sum(axis=1).mean(axis=0))
        varies = size > 1e-12 * float(np.abs(Y).max(initial=1e-300))
        if varies.any():
            blocks.append((segment.type, values[:, :, varies] / size[varies]))
    return blocks
