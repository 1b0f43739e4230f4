"""The two halves of the rows: one proposes, the other tests.

What was chosen to look good on the first half need not look good on the second, so bounds and p-values of the second are honest. The
kernel is chosen on the first half too; its scale and noise are those of each half.
"""

from __future__ import annotations

from dataclasses import dataclass

from softsym.inference.propose.derivative import LieDerivative
from softsym.inference.propose.fits.features import Features
from softsym.inference.propose.fits.fit import Fit
from softsym.inference.propose.matrix_action import Action, basis_of
from softsym.inference.propose.model import Base
from softsym.typing import Array


@dataclass(frozen=True, eq=False)
class Half:
    """Some of the rows.

    Args:
        X: Inputs (n, D).
        Y: Outputs (n, q); None if they are not fitted themselves, only what a model leaves of them.
        lie: The Lie derivative of the plain fit, with the model if there is one.
    """

    X: Array
    Y: Array | None
    lie: LieDerivative

    @property
    def fit(self) -> Fit:
        """The plain fit."""
        return self.lie.fit


def halves(X: Array, Y: Array, source: Action, target: Action, base: Base | None = None) -> tuple[Half, Half]:
    """Splits rows in the middle and fits both parts.

    Args:
        X: Inputs (n, D), in random order.
        Y: Outputs (n, q).
        source: The input columns.
        target: The output columns.
        base: Values and Jacobians of a model at these rows, scaled.
    """
    features, basis = Features(source), basis_of(source.dim, source.affine)
    made: list[Half] = []
    for rows in (slice(None, len(X) // 2), slice(len(X) // 2, None)):
        beside = None if base is None else (base[0][rows], base[1][rows])
        left = target.scaled(Y[rows]) - (0.0 if beside is None else beside[0])
        Z = features.values(X[rows])
        fit = Fit.of(Z, left, [made[0].fit.kernel]) if made else Fit.of(Z, left)
        lie = LieDerivative.of(fit, features, target, basis, X[rows], beside)
        made.append(Half(X[rows], Y[rows] if base is None else None, lie))
    return made[0], made[1]
