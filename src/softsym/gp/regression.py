r"""Bayesian linear regression on features: all that the rows say is in sums over them.

With features :math:`\Phi` (one line for every coordinate of every row) and weights of prior variance :math:`\sigma^2 / \lambda`, where
:math:`\sigma^2` is the variance of the noise, everything is a function of :math:`A = \Phi^T \Phi`, :math:`b = \Phi^T y` and
:math:`y^T y`. Statistics add over chunks of rows, folds are left out by subtraction, and hyperparameters are profiled at a cost that does
not depend on the number of rows.
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
    def from_rows(cls, features: Array, Y: Array) -> Statistics:
        """Of features (n, q, m) and outputs (n, q, copies)."""
        F, y = features.reshape(-1, features.shape[2]), Y.reshape(-1, Y.shape[2])
        return cls(F.T @ F, F.T @ y, (y**2).sum(0), len(y))

    def __add__(self, other: Statistics) -> Statistics:
        return Statistics(
            self.A + other.A, self.b + other.b, self.squares + other.squares, self.count + other.count
        )


@dataclass(frozen=True, eq=False)
class Fit:
    """A regression with its likeliest ridge.

    Args:
        log_likelihood: Log marginal likelihood, profiled over noise and prior variance.
        ridge: Noise over prior variance.
        noise: Variance of the noise of every copy (copies,).
    """

    log_likelihood: float
    ridge: float
    noise: Array


def fit(statistics: Statistics) -> Fit:
    """The ridge of highest marginal likelihood.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((200, 1, 2))
        >>> found = fit(Statistics.from_rows(X, X @ np.ones((2, 1)) + 0.1 * rng.standard_normal((200, 1, 1))))
        >>> round(float(found.noise[0]) ** 0.5, 2)
        0.1
    """
    values, vectors = np.linalg.eigh(statistics.A)
    values = np.maximum(values, 0.0)
    along = vectors.T @ statistics.b
    return max(
        (_profile(values, along, statistics, float(ridge)) for ridge in RIDGES),
        key=lambda found: found.log_likelihood,
    )


def _profile(values: Array, along: Array, statistics: Statistics, ridge: float) -> Fit:
    """The likelihood of a ridge with the likeliest noise of every copy."""
    left = statistics.squares - (along**2 / (values + ridge)[:, None]).sum(0)
    noise = np.maximum(left, ROUNDING * statistics.squares + 1e-300) / statistics.count
    determinant = float(np.log1p(values / ridge).sum())
    height = float(-0.5 * (statistics.count * (np.log(noise) + 1.0) + determinant).sum())
    return Fit(height, ridge, noise)
