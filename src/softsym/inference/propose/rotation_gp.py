"""A second look where a plain kernel sees too little: an equivariant process under the usual turns.

With twenty inputs a kernel that knows nothing explains little of a law at a thousand rows, and a symmetry that is there cannot be told. A
process that may use turns on coordinates explains far more if one of them holds; and its derivatives show what else does, such as
scalings. It is fitted to the half that proposes alone, so that to the half that tests it is a function like any other.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softsym.groups import SO, Group
from softsym.inference.gp import SoftEquivariantGP
from softsym.reps import Rep
from softsym.typing import Array

ROWS = 300
"""That the process is fitted to: with five hundred it takes half a minute."""
STEP = 1e-4
"""Of numerical derivatives, relative to the spread of a column."""


@dataclass(frozen=True, eq=False)
class Process:
    """A fitted process as a function with its Jacobian.

    Args:
        fitted: The process.
        steps: By which each input is moved, (D,).
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

    def explained(self, X: Array, Y: Array) -> float:
        """Share of the variance of other rows (n, q)."""
        return 1.0 - float(np.sum((self(X) - Y) ** 2) / np.sum((Y - Y.mean(axis=0)) ** 2))


def usual_turns(d: int) -> tuple[Group, ...]:
    """Turns that people look for first.

    Example:
        >>> usual_turns(3), usual_turns(4)
        ((SO(3), SO(2)@x, SO(2)@y, SO(2)@z), ())
    """
    if d == 2:
        return (SO(2),)
    return (SO(3), *(SO(2).about(axis) for axis in "xyz")) if d == 3 else ()


def process_of(X: Array, Y: Array, rep_in: Rep, rep_out: Rep, d: int) -> Process:
    """The process under the usual turns of a space of dimension d, fitted to the first of rows (n, D) and (n, q)."""
    fitted = SoftEquivariantGP(rep_in, rep_out, usual_turns(d)).fit(X[:ROWS], Y[:ROWS])
    spread = X.std(axis=0)
    return Process(fitted, STEP * np.where(spread > 0, spread, 1.0))
