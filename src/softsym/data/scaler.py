r"""Standardising data without breaking the candidate symmetries.

The map :math:`x \mapsto (x - b) \oslash s` commutes with every candidate group iff the shift b is invariant under all of them and
dividing by s is equivariant; :func:`softsym.metrics.transform.fit_shift_and_scale` says which b and s are taken.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from softsym.arrays import read_numbers
from softsym.errors import InputError
from softsym.groups import Group
from softsym.metrics.transform import fit_shift_and_scale
from softsym.reps import Rep
from softsym.typing import Array


@dataclass(frozen=True, eq=False)
class SymmetricScaler:
    """What to subtract from each column, ``shift`` (n,), and what to divide it by then, ``scale`` (n,), positive.

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
        cls, X: ArrayLike, rep: Rep | str | None, groups: Sequence[Group | str], weights: Array | None = None
    ) -> SymmetricScaler:
        """Shift and scale by training data (rows, size of ``rep``) with sample weights (rows,); without groups ``rep`` may be None."""
        return cls(*fit_shift_and_scale(X, rep, groups, weights))

    def transform(self, X: ArrayLike) -> Array:
        """Standardised data, shape (rows, n)."""
        return (self._check(X) - self.shift) / self.scale

    def inverse(self, X: ArrayLike) -> Array:
        """Standardised data back in their own units, shape (rows, n)."""
        return self._check(X) * self.scale + self.shift

    def _check(self, X: ArrayLike) -> Array:
        X = read_numbers(X, "X")
        if X.ndim < 1 or X.shape[-1] != len(self.shift):
            raise InputError(f"the data must have shape (..., {len(self.shift)}), got {X.shape}")
        return X
