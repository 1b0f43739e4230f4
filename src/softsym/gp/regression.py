r"""Bayesian linear regression on features: all that the rows say is in sums over them.

With features :math:`\Phi` (one line for every coordinate of every row) and weights of prior variance :math:`\sigma^2 / \lambda`, where
:math:`\sigma^2` is the variance of the noise, everything is a function of :math:`A = \Phi^T \Phi`, :math:`b = \Phi^T y` and
:math:`y^T y`. Statistics add over chunks of rows, folds are left out by subtraction, and hyperparameters are profiled at a cost that does
not depend on the number of rows.

A *remainder* r with features K of its own is profiled next to :math:`\Phi`: with the weights of :math:`\Phi` integrated out, the
information about its weights is the Schur complement

.. math:: S = K^T K - K^T \Phi (\Phi^T \Phi + \lambda)^{-1} \Phi^T K ,

in whose eigenbasis every prior variance costs nothing.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from scipy.linalg import LinAlgError, cho_factor, cho_solve, cholesky, solve_triangular

from softsym.gp.features import (
    FeatureMap,
    Part,
    Score,
    correlate,
    count_sums,
    gram,
    is_unconstrained,
    scale_parts,
    split_sizes,
)
from softsym.typing import Array

COARSE = (-9.0, -7.0, -5.0, -3.0, -1.0, 1.0, 3.0, 5.0)
"""Decimal logarithms of the ridges, noise over prior variance, from which the search starts."""
FLAT = 0.99
"""Share of the outputs that is left where a search from a near ridge may have ended on a plateau: nothing is explained there."""
ROUNDING = 1e-13  # least share of the outputs that is taken for noise
LEAST_NOISE = 1e-9  # the same next to a remainder, which would explain rounding
LEAST_RIDGE = 1e-10  # least ridge relative to the sums of squared features, so that matrices stay positive


@dataclass(frozen=True, eq=False)
class Statistics:
    """Sums over rows."""

    A: Array  # features times features (m, m)
    b: Array  # features times outputs (m, copies), or (m, q copies) if every coordinate has the same features
    squares: Array  # sums of squared outputs (copies,)
    count: int  # coordinates times rows
    repeats: int = 1  # for how many coordinates the features stand: q or 1

    @classmethod
    def from_parts(cls, parts: Sequence[Part], Y: Array, *, shared: bool = False) -> Statistics:
        """Of features and outputs (n, q, copies); if shared, of functions alone where every coordinate has the same."""
        n, q, copies = Y.shape
        squares = (Y**2).sum(axis=(0, 1))
        if shared and is_unconstrained(parts):
            phi = parts[0][1]
            return cls(phi.T @ phi, phi.T @ Y.reshape(n, q * copies), squares, n * q, q)
        return cls(gram(parts, parts, q), correlate(parts, Y), squares, n * q)

    @classmethod
    def from_rows(cls, features: Array, Y: Array) -> Statistics:
        """Of features written out (n, q, m) and outputs (n, q, copies)."""
        return cls.from_parts([(features, np.ones((len(features), 1)))], Y)

    def __add__(self, other: Statistics) -> Statistics:
        squares, count = self.squares + other.squares, self.count + other.count
        return Statistics(self.A + other.A, self.b + other.b, squares, count, self.repeats)

    def __sub__(self, other: Statistics) -> Statistics:
        squares, count = self.squares - other.squares, self.count - other.count
        return Statistics(self.A - other.A, self.b - other.b, squares, count, self.repeats)

    @functools.cached_property
    def _factors(self) -> dict[float, Array]:
        return {}

    def scale(self, sizes: Array) -> Statistics:
        """The same for features times numbers (m,)."""
        return replace(self, A=self.A * sizes * sizes[:, None], b=self.b * sizes[:, None])

    @property
    def _least_ridge(self) -> float:
        return LEAST_RIDGE * float(np.diag(self.A).max(initial=0.0)) + 1e-300

    def factor(self, ridge: float) -> Array:
        """Lower Cholesky factor of the information with a ridge, which is raised where rounding asks for it; the last one is kept."""
        if ridge not in self._factors:
            self._factors.clear()
            self._factors[ridge] = _factor(self.A, max(ridge, self._least_ridge))
        return self._factors[ridge]

    def log_determinant(self, ridge: float) -> float:
        """Of the prior's covariance with the features, log |1 + A / ridge|."""
        return 2.0 * float(np.log(np.diag(self.factor(ridge))).sum()) - len(self.A) * float(np.log(ridge))

    def sum_copies(self, values: Array) -> Array:
        """Sums over coordinates (copies,) of values for every column of ``b``."""
        return np.asarray(values.reshape(self.repeats, -1).sum(axis=0))

    def order_weights(self, weights: Array) -> Array:
        """Weights for every column of ``b`` in the order of the features, (features, copies)."""
        if self.repeats == 1:
            return weights
        by_coordinate = weights.reshape(len(weights), self.repeats, -1).swapaxes(0, 1)
        return np.ascontiguousarray(by_coordinate).reshape(self.repeats * len(weights), -1)

    def weights(self, ridge: Array | float) -> Array:
        """Posterior means of the weights (features, copies), with a ridge for all or for each (m,)."""
        return self.order_weights(self.raw_weights(ridge))

    def raw_weights(self, ridge: Array | float) -> Array:
        """The same for every column of ``b``."""
        if np.ndim(ridge) == 0:
            return np.asarray(cho_solve((self.factor(float(ridge)), True), self.b, check_finite=False))
        return np.asarray(cho_solve(cho_factor(self.A + np.diag(np.maximum(ridge, self._least_ridge))), self.b))


def add(sums: Iterable[Any]) -> Any:
    """The sum of statistics over some rows each."""
    return functools.reduce(operator.add, sums)


@dataclass(frozen=True, eq=False)
class Fit:
    """A regression with its likeliest ridge."""

    log_likelihood: float  # marginal, profiled over noise and prior variance
    ridge: float  # noise over prior variance
    noise: Array  # variance for every copy (copies,)


def fit(statistics: Statistics, near: float | None = None, finest: float = 0.25) -> Fit:
    """The ridge of highest marginal likelihood, searched from one that is near if that is known, in steps of decimal logarithms.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> X, one = rng.standard_normal((200, 1, 2)), np.ones((200, 1))
        >>> found = fit(Statistics.from_parts([(X, one)], X @ np.ones((2, 1)) + 0.1 * rng.standard_normal((200, 1, 1))))
        >>> round(float(found.noise[0]) ** 0.5, 2)
        0.1
    """
    fits = functools.cache(lambda exponent: _fit_ridge(statistics, 10.0**exponent))

    def is_flat(exponent: float) -> bool:
        return float((fits(exponent).noise * statistics.count).sum()) > FLAT * float(statistics.squares.sum())

    return fits(search_ridge(lambda exponent: fits(exponent).log_likelihood, is_flat, near, finest))


def search_ridge(
    height: Callable[[float], float], is_flat: Callable[[float], bool], near: float | None, finest: float
) -> float:
    """The decimal logarithm of the ridge of largest height, uphill from a near ridge if there is one.

    Where that ends on a plateau, it begins at :data:`COARSE`.
    """
    best = COARSE[-1] if near is None else round(4.0 * float(np.log10(near))) / 4.0
    while near is not None and (next_ := max((best, best - 1.0, best + 1.0), key=height)) != best:
        best = next_
    if near is None or is_flat(best):
        best = max((*COARSE, best), key=height)
    step = 1.0
    while step >= finest:
        best, step = max((best, best - step, best + step), key=height), step / 2
    return best


def _factor(A: Array, ridge: float) -> Array:
    """Lower Cholesky factor of a symmetric matrix with a ridge."""
    matrix = A.T.copy(order="F")  # as LAPACK has it: no further copy
    matrix[np.diag_indices(len(A))] += ridge
    return np.asarray(cholesky(matrix, lower=True, overwrite_a=True, check_finite=False))


def _fit_ridge(statistics: Statistics, ridge: float) -> Fit:
    """The likelihood of a ridge with the likeliest noise of every copy."""
    A, least = statistics.A, LEAST_RIDGE * float(np.diag(statistics.A).max(initial=0.0)) / 100
    try:
        factor = _factor(A, max(ridge, least))
    except LinAlgError:
        return Fit(-np.inf, ridge, statistics.squares / statistics.count)
    along = solve_triangular(factor, statistics.b, lower=True, check_finite=False)
    left = statistics.squares - statistics.sum_copies((along**2).sum(axis=0))
    noise = np.maximum(left, ROUNDING * statistics.squares + 1e-300) / statistics.count
    determinant = statistics.repeats * (2.0 * float(np.log(np.diag(factor)).sum()) - len(A) * np.log(ridge))
    height = float(-0.5 * (statistics.count * (np.log(noise) + 1.0) + determinant).sum())
    return Fit(height, ridge, noise)


@dataclass(eq=False)
class Likelihood:
    """Scores feature maps by some rows, each ridge searched from the one before.

    Args:
        rows: Scaled inputs (n, inputs).
        Y: Outputs (n, q, copies).
        roots: Square roots of the rows' weights (n,).
        most: Maps of clearly more features are not taken.
        found: Maps and fits so far.
    """

    rows: Array
    Y: Array
    roots: Array
    most: int
    found: list[tuple[FeatureMap, Fit]] = field(default_factory=list)
    _last: tuple[Any, Statistics | None] = None, None

    def __call__(self, features: FeatureMap) -> Score:
        """The likelihood of one map."""
        plain, sizes = split_sizes(features)
        key = None if sizes is None else (plain.name.partition(",")[0], len(sizes))  # degree and number of polynomials
        if key is None or key != self._last[0]:
            self._last = key, self._sum_rows(plain)
        sums = self._last[1]
        if sums is None:
            return Score(-np.inf, 1.0, lambda: np.zeros((0, 0)))
        if sizes is not None:
            sums = sums.scale(sizes)
        own = fit(sums, self.found[-1][1].ridge if self.found else None, finest=1.0)
        self.found.append((features, own))
        left = float((own.noise * sums.count).sum() / max(float(sums.squares.sum()), 1e-300))
        return Score(own.log_likelihood, left, lambda: sums.weights(own.ridge))

    def _sum_rows(self, features: FeatureMap) -> Statistics | None:
        parts = scale_parts(features(self.rows), self.roots)
        if count_sums(parts, self.Y.shape[1]) > 1.1 * self.most:
            return None
        return Statistics.from_parts(parts, self.Y * self.roots[:, None, None], shared=True)


@dataclass(frozen=True, eq=False)
class Remainder:
    """The remainder given other features: its own information and what it explains, in the eigenbasis of the former."""

    values: Array  # eigenvalues of the information (m,)
    vectors: Array  # its eigenvectors (m, m)
    along: Array  # what the outputs say along them (m, copies)
    left: Array  # sums of squares that the other features leave (copies,)
    count: int  # coordinates times rows

    def profile(self, priors: Array) -> tuple[Array, Array, Array]:
        """For prior variances of the weights (k,): log likelihoods, ridges and noises (k, copies)."""
        squares, noise = self.along[:, None] ** 2, np.tile(self.left / self.count, (len(priors), 1))
        for _ in range(3):
            ridges = np.maximum(noise / priors[:, None], 1e-300)
            rest = self.left - (squares / (self.values[:, None, None] + ridges)).sum(axis=0)
            noise = np.maximum(rest, LEAST_NOISE * self.left + 1e-300) / self.count
        determinant = np.log1p(self.values[:, None, None] / ridges).sum(axis=0)
        return -0.5 * (self.count * np.log(noise) + determinant), ridges, noise

    def mean(self, ridges: Array) -> Array:
        """Posterior means of the weights (m, copies) for ridges (copies,)."""
        return np.asarray(self.vectors @ (self.along / (self.values[:, None] + ridges)))


@dataclass(frozen=True, eq=False)
class RemainderSums:
    """Statistics of a remainder next to other features, over some rows."""

    cross: Array  # other features times those of the remainder (m, q r)
    scalar: Array  # functions of the remainder times each other (r, r)
    b: Array  # features of the remainder times outputs (q r, copies)

    def __add__(self, other: RemainderSums) -> RemainderSums:
        return RemainderSums(self.cross + other.cross, self.scalar + other.scalar, self.b + other.b)

    def __sub__(self, other: RemainderSums) -> RemainderSums:
        return RemainderSums(self.cross - other.cross, self.scalar - other.scalar, self.b - other.b)

    @classmethod
    def from_parts(cls, parts: Sequence[Part], functions: Sequence[Array], Y: Array) -> list[RemainderSums]:
        """For every remainder its sums: of features, functions of the remainders, each (n, r), and outputs (n, q, copies)."""
        cross = gram(parts, [(None, np.concatenate(functions, axis=1))], q := Y.shape[1])
        each = np.split(cross.reshape(len(cross), q, -1), np.cumsum([K.shape[1] for K in functions])[:-1], axis=2)
        return [
            cls(np.ascontiguousarray(own).reshape(len(cross), -1), K.T @ K, correlate([(None, K)], Y))
            for own, K in zip(each, functions, strict=True)
        ]

    def remainder(self, own: Statistics, ridge: float) -> Remainder:
        """The remainder given the other features, whose sums are ``own``."""
        q, factor = len(self.b) // len(self.scalar), own.factor(ridge)
        whitened = solve_triangular(factor, np.concatenate([own.b, self.cross], axis=1), lower=True, check_finite=False)
        outputs, cross = whitened[:, : own.b.shape[1]], whitened[:, own.b.shape[1] :]
        information = np.kron(np.eye(q), self.scalar) - cross.T @ cross
        values, vectors = np.linalg.eigh((information + information.T) / 2)
        along = vectors.T @ (self.b - cross.T @ outputs)
        left = np.maximum(own.squares - (outputs**2).sum(axis=0), LEAST_NOISE * own.squares + 1e-300)
        return Remainder(np.maximum(values, 0.0), vectors, along, left, own.count)

    def weights_next_to(self, own: Statistics, mean: Array, ridge: float) -> Array:
        """Weights of the other features (m, copies) if the remainder has these weights (q r, copies)."""
        return np.asarray(cho_solve((own.factor(ridge), True), own.b - self.cross @ mean, check_finite=False))
