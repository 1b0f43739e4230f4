"""Arrays, seeds, weights and labels of rows as people pass them: read, or refused in one line.

Row groups are rows that depend on each other, such as windows of one recording, and must be on the same side of every split: if some are
trained on and others held out, the held-out error is too small.
"""

from __future__ import annotations

import contextlib
import warnings
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from softsym.errors import InputError, shorten
from softsym.typing import Array, Index

ADVICE = {
    "M": "dates; pass numbers, such as seconds since the first of them",
    "m": "durations; pass numbers, such as seconds",
    "c": "complex numbers; pass real and imaginary parts as columns",
    "U": "texts; pass numbers",
    "S": "texts; pass numbers",
    "V": "records; pass one array of numbers",
}
"""What an array of each kind of numpy holds, if it holds no real numbers."""

TIMES = ("date", "time", "duration", "period")  # how the names of types of times begin, in numpy, pandas and polars


def unwrap(values: Any, name: str) -> Any:
    """Values as they are given, tensors and masked arrays as arrays; refuses masked cells, ragged rows and names that occur twice."""
    for column, count in Counter(map(str, getattr(values, "columns", ()))).items():
        if count > 1:
            raise InputError(f"`{name}` has {count} columns called {column!r}; give each a name of its own")
    if isinstance(values, np.ma.MaskedArray):
        if np.ma.getmaskarray(values).any():
            row = np.argwhere(np.ma.getmaskarray(values))[0].tolist()
            raise InputError(f"`{name}` has masked cells, the first at {row}; fill them in or leave those rows out")
        return values.data
    try:
        if hasattr(values, "detach"):
            values = values.detach().cpu().resolve_conj()
            return np.asarray(values.float() if values.dtype.itemsize == 2 and values.is_floating_point() else values)
        if isinstance(values, list | tuple):
            np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:
        problem = "has rows of unequal length" if isinstance(values, list | tuple) else "is no array"
        raise InputError(f"`{name}` {problem}; pass an array of numbers") from error
    return values


def validate(estimator: Any, X: Any, y: Any = "no_validation", **options: Any) -> Any:
    """Scikit-learn's ``validate_data`` in float64, after refusing what it would take for numbers; classes may be dates."""
    from sklearn.utils.validation import validate_data

    for name, values in {"X": X, "y": y if options.get("y_numeric") else X}.items():
        types = values.dtypes if hasattr(values, "columns") else [getattr(values, "dtype", "")]
        if any(str(each).lower().startswith(TIMES) for each in types):
            raise InputError(f"`{name}` holds dates or {ADVICE['m']}")
    return validate_data(estimator, unwrap(X, "X"), unwrap(y, "y"), dtype=np.float64, **options)


def read_numbers(values: Any, name: str) -> Array:
    """Real numbers of any array library as float64, of whatever shape; a tensor is detached and copied from its device.

    Raises:
        InputError: Masked cells, dates, texts, complex numbers, rows of unequal length or column names that occur twice.
    """
    try:
        array = np.asarray(unwrap(values, name))
    except (TypeError, ValueError, RuntimeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"`{name}` is no array; pass an array of numbers") from error
    if array.dtype.kind in ADVICE:
        raise InputError(f"`{name}` holds {ADVICE[array.dtype.kind]}")
    try:
        return np.asarray(array, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"`{name}` must hold real numbers: {shorten(str(error), 100)}") from error


def read_rows(values: Any, name: str) -> Array:
    """Finite real numbers as rows (n, columns); a single column may come without its axis."""
    array = read_numbers(values, name)
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2:
        raise InputError(f"`{name}` must have shape (rows, columns), got {array.shape}")
    if not np.isfinite(array).all():
        row, column = np.argwhere(~np.isfinite(array))[0]
        raise InputError(
            f"`{name}` is {array[row, column]} in row {row}, column {column}, counted from 0; leave such rows out"
        )
    check_magnitudes(array, f"a value of `{name}`")
    return array


def freeze(values: ArrayLike) -> Array:
    """A read-only float64 copy without negative zeros, so that equal values have equal bytes."""
    array = np.array(values, dtype=np.float64) + 0.0
    array.flags.writeable = False
    return array


def make_rng(seed: Any) -> np.random.Generator:
    """The generator of a seed, or the generator itself."""
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"a seed is a whole number of at least 0 or a numpy Generator, got {shorten(repr(seed), 60)}"
        ) from error


LARGEST_VALUE = 1e140
"""Sums of squares of larger numbers are infinite, those of numbers smaller than its inverse are zero."""


def check_magnitudes(values: Array, what: str) -> None:
    """Refuses numbers whose squares overflow or underflow."""
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    if largest > LARGEST_VALUE or 0 < largest < 1 / LARGEST_VALUE:
        size = "large" if largest > 1 else "small"
        raise InputError(
            f"{what} is as {size} as {largest:.3g}; squares of that cannot be computed with, pass it in other units"
        )


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
    from threadpoolctl import threadpool_limits

    with threadpool_limits(limits=1, user_api="blas"):
        yield


def seed_of(random_state: Any, name: str = "random_state") -> int:
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
            f"`{name}` must be a whole number from 0 to 2^63 - 1, a RandomState, a Generator or None, got {random_state!r:.60}"
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
    """How much every row counts, of mean one, shape (rows,), from a number for every row or one for all; None if all count the same."""
    if sample_weight is None:
        return None
    try:
        weights = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError("`sample_weight` must hold a number for every row") from error
    if weights.ndim == 0:
        weights = np.full(rows, float(weights))
    if weights.shape != (rows,):
        raise InputError(f"`sample_weight` has shape {weights.shape}; pass one number for each of {rows} rows")
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise InputError("`sample_weight` must hold finite numbers that are not negative, not all of them zero")
    weights = weights / weights[weights > 0].mean()
    return None if (weights == weights[0]).all() else weights


def join_equal_inputs(X: Array, row_groups: Index | None) -> Index:
    """Labels 0, 1, ... (n,) of dependent rows: those of one row group, and those of equal inputs.

    Example:
        >>> join_equal_inputs(np.array([[1.0], [2.0], [1.0], [3.0]]), np.array([0, 1, 2, 1])).tolist()
        [0, 1, 0, 1]
    """
    equal = np.unique(X, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)
    return equal if row_groups is None else merge_row_groups(np.unique(row_groups, return_inverse=True)[1], equal)


def encode_row_groups(groups: Any, rows: int) -> Index | None:
    """The ``groups`` of an estimator's ``fit`` as labels 0, 1, ..., shape (rows,); None if there are none."""
    if groups is None:
        return None
    try:
        labels = list(groups.tolist() if hasattr(groups, "tolist") else groups)
    except TypeError as error:
        raise InputError(f"`groups` must hold a label for every row, got {groups!r}") from error
    if len(labels) != rows:
        raise InputError(
            f"`groups` has {len(labels)} labels for {rows} rows; pass one for every row "
            "(candidate symmetry groups are an argument of the estimator itself)"
        )
    return encode_labels(labels, "`groups`")


def encode_labels(labels: Sequence[Hashable], what: str) -> Index:
    """Numbers 0, 1, ... in the order in which labels first occur, the same where labels are equal, shape (n,).

    Example:
        >>> encode_labels(["mon", 2, "mon", (3, "c")], "day").tolist()
        [0, 1, 0, 2]
    """
    known: dict[Hashable, int] = {}
    numbers = np.empty(len(labels), dtype=np.int64)
    for row, label in enumerate(labels):
        if _is_missing(label):
            raise InputError(f"{what} has no label in row {row}, counted from 0; every row needs one")
        try:
            numbers[row] = known.setdefault(label, len(known))
        except TypeError as error:
            raise InputError(
                f"{what} holds a {type(label).__name__} in row {row}, counted from 0; pass one text or number for every row"
            ) from error
    return numbers


def merge_row_groups(first: Index, second: Index) -> Index:
    """The finest row groups that contain those of both labellings, shape (n,): connected components of rows with an equal label."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    # Labels of both labellings are nodes, every row is an edge between its two labels.
    nodes = int(first.max()) + int(second.max()) + 2
    edges = coo_array((np.ones(len(first)), (first, int(first.max()) + 1 + second)), shape=(nodes, nodes))
    of_node = connected_components(edges, directed=False)[1]
    _, labels = np.unique(of_node[first], return_inverse=True)
    return labels.astype(np.int64)


def _is_missing(label: object) -> bool:
    """Whether a label is None or, like NaN, not even equal to itself."""
    try:
        return label is None or bool(label != label)
    except (TypeError, ValueError):  # as pandas.NA, which is neither
        return isinstance(label, Hashable)


def quaternion_hint(values: Array) -> str:
    """What to do with four columns of unit length, for a message on sizes; empty if there are none."""
    for k in range(values.shape[1] - 3):
        if len(values) > 1 and np.abs((values[:, k : k + 4] ** 2).sum(axis=1) - 1.0).max() < 1e-3:
            return (
                f"; columns {k + 1} to {k + 4} have length one in every row, as quaternions have: no V, but 3V after "
                "softsym.data.quaternion_to_vectors"
            )
    return ""
