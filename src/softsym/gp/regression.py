r"""Regression with features: all that the rows say is in sums over them.

With features :math:`\Phi` (one row for every coordinate of every row), weights :math:`\alpha \sim N(0, 1)` times the noise over
:math:`\lambda`, everything is a function of :math:`A = \Phi^T \Phi`, :math:`b = \Phi^T y` and :math:`y^T y`: statistics add over chunks
of rows, folds are left out by subtraction, and every hyperparameter is profiled at a cost that does not depend on the number of rows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softsym.typing import Array

RIDGES = np.logspace(-10, 4, 57)
"""Noise over prior variance."""
ROUNDING = 1e-13
"""Least share of the outputs that is taken for noise."""


@dataclass(frozen=True, eq=False)
class Statistics:
    """Sums over rows.

    Args:
        A: Features times features (m, m).
        b: Features times outputs (m, copies).
        squares: Sums of squared outputs (copies,).
        count: Coordinates times rows.
    """

    A: Array
    b: Array
    squares: Array
    count: int

    @classmethod
    def of(cls, features: Array, Y: Array, weights: Array | None = None) -> Statistics:
        """Of features (n, q, m) and outputs (n, q, copies); rows count by their weights (n,)."""
        root = 1.0 if weights is None else np.sqrt(weights)[:, None, None]
        F = (features * root).reshape(-1, features.shape[2])
        y = (Y * root).reshape(-1, Y.shape[2])
        return cls(F.T @ F, F.T @ y, (y**2).sum(0), len(y))

    def __add__(self, other: Statistics) -> Statistics:
        return Statistics(self.A + other.A, self.b + other.b, self.squares + other.squares, self.count + other.count)

    def __sub__(self, other: Statistics) -> Statistics:
        return Statistics(self.A - other.A, self.b - other.b, self.squares - other.squares, self.count - other.count)


@dataclass(frozen=True, eq=False)
class Fit:
    """A regression with its likeliest ridge.

    Args:
        log_likelihood: Log marginal likelihood, profiled over noise and prior variance.
        ridge: Noise over prior variance.
        noise: Variance of the noise of every copy (copies,).
        weights: Posterior means (m, copies).
    """

    log_likelihood: float
    ridge: float
    noise: Array
    weights: Array


def fit(statistics: Statistics) -> Fit:
    """Fits the weights; the ridge maximises the marginal likelihood."""
    values, vectors = np.linalg.eigh(statistics.A)
    values = np.maximum(values, 0.0)
    along = vectors.T @ statistics.b
    heights = [_height(values, along, statistics, ridge)[0] for ridge in RIDGES]
    ridge = float(RIDGES[int(np.argmax(heights))])
    height, noise = _height(values, along, statistics, ridge)
    return Fit(height, ridge, noise, vectors @ (along / (values + ridge)[:, None]))


def _height(values: Array, along: Array, statistics: Statistics, ridge: float) -> tuple[float, Array]:
    """Log likelihood with the likeliest noise of every copy, and that noise."""
    left = statistics.squares - (along**2 / (values + ridge)[:, None]).sum(0)
    noise = np.maximum(left, ROUNDING * statistics.squares + 1e-300) / statistics.count
    determinant = float(np.log1p(values / ridge).sum())
    return float(-0.5 * (statistics.count * (np.log(noise) + 1.0) + determinant).sum()), noise
