"""A soft-equivariant Gaussian process under common rotations, where an unconstrained kernel explains too little.

With twenty inputs an unconstrained kernel explains little of a target function at a thousand rows, too little to establish a symmetry. A
Gaussian process that may use rotations about coordinate axes explains far more if one of them holds; and its derivatives show what else
does, such as scalings. It is fitted to the selection rows alone, so for the inference rows it is a fixed function.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softsym.groups import SO, Group
from softsym.inference.gp import SoftEquivariantGP
from softsym.reps import Rep
from softsym.typing import Array

ROWS = 300
"""Rows that the Gaussian process is fitted to: with five hundred it takes half a minute."""
STEP = 1e-4
"""Step of numerical derivatives, relative to the standard deviation of a column."""


@dataclass(frozen=True, eq=False)
class RotationGP:
    """A fitted Gaussian process as a function with its Jacobian.

    Args:
        fitted: The Gaussian process.
        steps: Step of each input, (D,).
    """

    fitted: SoftEquivariantGP
    steps: Array

    def __call__(self, X: Array) -> Array:
        """Rows (n, D) to rows (n, q)."""
        return np.asarray(self.fitted.predict(X)).reshape(len(X), -1)

    def jacobian(self, X: Array) -> Array:
        """Derivatives (n, q, D), by central differences."""
        sides = [(self(X + move) - self(X - move)) / (2 * move.sum()) for move in np.diag(self.steps)]
        return np.stack(sides, axis=2)

    def r2(self, X: Array, Y: Array) -> float:
        """R² of other rows (n, q)."""
        return 1.0 - float(np.sum((self(X) - Y) ** 2) / np.sum((Y - Y.mean(axis=0)) ** 2))


def common_rotations(d: int) -> tuple[Group, ...]:
    """Rotations that are common as symmetries.

    Example:
        >>> common_rotations(3), common_rotations(4)
        ((SO(3), SO(2)@x, SO(2)@y, SO(2)@z), ())
    """
    if d == 2:
        return (SO(2),)
    return (SO(3), *(SO(2).about(axis) for axis in "xyz")) if d == 3 else ()


def fit_rotation_gp(X: Array, Y: Array, rep_in: Rep, rep_out: Rep, d: int) -> RotationGP:
    """The Gaussian process under common rotations of a space of dimension d, fitted to the first of rows (n, D) and (n, q)."""
    fitted = SoftEquivariantGP(rep_in, rep_out, common_rotations(d)).fit(X[:ROWS], Y[:ROWS])
    std = X.std(axis=0)
    return RotationGP(fitted, STEP * np.where(std > 0, std, 1.0))
