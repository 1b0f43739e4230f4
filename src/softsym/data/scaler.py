r"""Standardising data without breaking the candidate symmetries.

The map :math:`x \mapsto (x - b) \oslash s` commutes with every candidate group iff the shift b is invariant under all of them and
dividing by s is equivariant. So

- scalars, which no group moves, are standardised freely: each has its own mean and deviation;
- all copies of any other type share one scale: a multiple of the identity commutes with every matrix, of non-orthogonal groups too;
- the shift is the column means projected onto the invariants of all candidate groups joined: zero for vectors under O(3), the mean
  along z under O(2)@z, zero for all but scalars under a scaling.

Without candidate groups every column is standardised on its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softsym.errors import InputError
from softsym.groups import Group, join_groups, read_groups
from softsym.reps import Rep, TensorType
from softsym.reps import rep as read_rep
from softsym.spaces import invariants
from softsym.typing import Array

CONSTANT = 1e-13
"""A deviation up to this share of the largest value is rounding: the columns are constant."""


@dataclass(frozen=True, eq=False)
class SymmetricScaler:
    """What to subtract from each column and what to divide it by.

    Args:
        shift: Shape (n,).
        scale: Shape (n,), positive.

    Example:
        >>> import numpy as np
        >>> X = np.random.default_rng(0).normal(5.0, [1.0, 2.0, 3.0, 4.0], size=(1000, 4))
        >>> scaler = SymmetricScaler.fit(X, "S + V", ["O(2)@z"])
        >>> scaler.scale.round(1)
        array([1. , 5.1, 5.1, 5.1])
        >>> scaler.shift.round(0)
        array([5., 0., 0., 5.])
    """

    shift: Array
    scale: Array

    def __post_init__(self) -> None:
        if self.shift.ndim != 1 or self.shift.shape != self.scale.shape:
            raise InputError(
                f"`shift` and `scale` must both have shape (n,), got {self.shift.shape} and {self.scale.shape}"
            )
        if not (np.isfinite(self.shift).all() and np.isfinite(self.scale).all() and (self.scale > 0).all()):
            raise InputError("`shift` and `scale` must be finite, and `scale` positive")

    @classmethod
    def fit(
        cls,
        X: ArrayLike,
        rep: Rep | str | None,
        groups: Sequence[Group | str],
        weights: Array | None = None,
    ) -> SymmetricScaler:
        """Takes the statistics of training data.

        Args:
            X: Training data (rows, size of ``rep``).
            rep: How the columns transform; may be None without groups.
            groups: The candidate groups; none for no symmetry at all.
            weights: How much every row counts, shape (rows,); None if all count the same.
        """
        X = _rows(X)
        if not groups:
            return cls(*_columns(X, weights))
        if rep is None:
            raise InputError("`rep` is None; pass how the columns transform, such as '5S + 5V'")
        rep, whole = read_rep(rep), join_groups(dict.fromkeys(read_groups(groups)))
        if rep.size(whole) != X.shape[1]:
            raise InputError(
                f"{rep} under {whole.name} has size {rep.size(whole)}, the data have {X.shape[1]} columns"
            )
        shift = invariants(rep, whole).project(np.average(X, axis=0, weights=weights))
        scale = np.ones_like(shift)
        for tensor_type, index in columns_by_type(rep, whole).items():
            if tensor_type.rank == 0:
                shift[index], scale[index] = _columns(X[:, index], weights)
            else:
                scale[index] = _deviation(X[:, index], shift[index], weights, axis=None)
        return cls(shift, scale)

    def transform(self, X: ArrayLike) -> Array:
        """Standardised data, shape (rows, n)."""
        return (self._checked(X) - self.shift) / self.scale

    def inverse(self, X: ArrayLike) -> Array:
        """Standardised data back in their own units, shape (rows, n)."""
        return self._checked(X) * self.scale + self.shift

    def _checked(self, X: ArrayLike) -> Array:
        X = np.asarray(X, dtype=np.float64)
        if X.ndim < 1 or X.shape[-1] != len(self.shift):
            raise InputError(f"the data must have shape (..., {len(self.shift)}), got {X.shape}")
        return X


def columns_by_type(rep: Rep, group: Group) -> dict[TensorType, NDArray[np.intp]]:
    """The columns of all copies of each type, wherever they stand."""
    columns: dict[TensorType, list[int]] = {}
    for segment in rep.segments(group):
        columns.setdefault(segment.type, []).extend(range(segment.start, segment.stop))
    return {tensor_type: np.array(index, dtype=np.intp) for tensor_type, index in columns.items()}


def _rows(X: ArrayLike) -> Array:
    X = np.asarray(X, dtype=np.float64)
    if X.ndim != 2 or not len(X):
        raise InputError(f"the data must have shape (rows, columns) and at least one row, got {X.shape}")
    if not np.isfinite(X).all():
        raise InputError("the data contain NaN or infinity; leave those rows out")
    return X


def _columns(X: Array, weights: Array | None) -> tuple[Array, Array]:
    """Mean and deviation of each column on its own."""
    mean = np.average(X, axis=0, weights=weights)
    return mean, _deviation(X, mean, weights, axis=0)


def _deviation(X: Array, shift: Array, weights: Array | None, axis: int | None) -> Array:
    """Root mean square of X - shift; 1 where that is only rounding. Squares of large numbers do not overflow."""
    largest = np.abs(X).max(axis=axis, initial=0.0)
    unit = np.where(largest > 0, largest, 1.0)
    counts = None if weights is None else np.broadcast_to(weights[:, None], X.shape)
    deviation = unit * np.sqrt(np.average(((X - shift) / unit) ** 2, axis=axis, weights=counts))
    return np.where(deviation > CONSTANT * largest, deviation, 1.0)
