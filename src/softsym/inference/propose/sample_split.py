"""The sample split of a proposal: selection rows propose, inference rows test.

Candidates are selected on one part alone, so bounds and p-values on the other are not biased by the selection. The kernel is selected on
the first part, too; its scale and noise are those of each part.
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
class SplitPart:
    """One part of a sample split.

    Args:
        X: Inputs (n, D).
        Y: Outputs (n, q); None if the residuals of a model are fitted instead.
        lie: The Lie derivative of the unconstrained fit, with the model if there is one.
    """

    X: Array
    Y: Array | None
    lie: LieDerivative

    @property
    def fit(self) -> Fit:
        """The unconstrained fit."""
        return self.lie.fit


def split_and_fit(
    X: Array, Y: Array, source: Action, target: Action, base: Base | None = None
) -> tuple[SplitPart, SplitPart]:
    """Splits rows in the middle and fits both parts.

    Args:
        X: Inputs (n, D), in random order.
        Y: Outputs (n, q).
        source: The input columns.
        target: The output columns.
        base: Values and Jacobians of a model at these rows, scaled.
    """
    features, basis = Features(source), basis_of(source.dim, source.affine)
    made: list[SplitPart] = []
    for rows in (slice(None, len(X) // 2), slice(len(X) // 2, None)):
        model_part = None if base is None else (base[0][rows], base[1][rows])
        left = target.scaled(Y[rows]) - (0.0 if model_part is None else model_part[0])
        Z = features.values(X[rows])
        fit = Fit.of(Z, left, [made[0].fit.kernel]) if made else Fit.of(Z, left)
        lie = LieDerivative.of(fit, features, target, basis, X[rows], model_part)
        made.append(SplitPart(X[rows], Y[rows] if base is None else None, lie))
    return made[0], made[1]
