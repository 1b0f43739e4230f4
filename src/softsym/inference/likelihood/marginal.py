r"""The marginal likelihood of outputs under a Gaussian process, with its scale and its noise maximised out.

For a Gram matrix K (N, N) and c right-hand sides Y (N, c), all with the prior :math:`a\,(K + \lambda I)`, the best scale is
:math:`\hat a = \mathrm{tr}\, Y^T (K + \lambda I)^{-1} Y / N c` and

.. math:: \ell(\lambda) = -\tfrac{Nc}{2} (\log 2 \pi \hat a + 1) - \tfrac{c}{2} \log\det (K + \lambda I) .

Where rows have weights, the noise of row i has the variance :math:`\lambda / w_i`. With all rows times :math:`\sqrt{w_i}` that is the
same problem (:func:`scale_by_weights`); likelihoods are then lower by a constant, and squared errors are weighted ones.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_solve, lapack, solve_triangular
from scipy.optimize import minimize_scalar

from softsym.errors import InputError
from softsym.typing import Array, Index

LOWEST, HIGHEST = 1e-8, 1e3
"""Noise variance, relative to a signal of unit variance."""
START = (1e-6, 1e-4, 1e-2, 1.0)
STEP, ATTEMPTS, REFINEMENTS = 0.4, 8, 4
"""First step of the search in log noise; how often it is doubled; how many parabolas are laid through the top."""


@dataclass(frozen=True, eq=False)
class Conditioned:
    """A Gaussian process conditioned on data.

    Args:
        factor: Lower Cholesky factor of K + noise I, shape (N, N).
        alpha: (K + noise I)^-1 Y, shape (N, c).
        noise: Noise variance relative to the signal's.
        scale: The best scale.
        value: The log marginal likelihood.
    """

    factor: Array
    alpha: Array
    noise: float
    scale: float
    value: float

    def leave_out_errors(self, blocks: int = 1, row_groups: Index | None = None) -> Array:
        """Errors (N, c) of predictions of every row from all others, or from those of other row groups.

        Args:
            blocks: A row is so many coordinates; all rows of the first coordinate come first.
            row_groups: Labels of the rows, shape (N / blocks,); None if rows are independent.
        """
        inverse = lapack.dpotri(self.factor, lower=1)[0]
        n = len(inverse) // blocks
        if row_groups is not None:
            return self._group_errors(inverse, np.tile(row_groups, blocks))
        own = np.empty((n, blocks, blocks))
        for a in range(blocks):
            for b in range(a + 1):
                own[:, a, b] = own[:, b, a] = np.diagonal(inverse[a * n : (a + 1) * n, b * n : (b + 1) * n])
        alpha = self.alpha.reshape(blocks, n, -1).transpose(1, 0, 2)
        return np.asarray(np.linalg.solve(own, alpha).transpose(1, 0, 2).reshape(len(inverse), -1))

    def _group_errors(self, inverse: Array, row_groups: Index) -> Array:
        """Errors of whole row groups left out, from the lower triangle of the inverse."""
        errors = np.empty_like(self.alpha)
        for rows in np.split(np.argsort(row_groups, kind="stable"), np.cumsum(np.bincount(row_groups))[:-1]):
            if len(rows):
                own = np.tril(inverse[np.ix_(rows, rows)])
                errors[rows] = np.linalg.solve(own + np.tril(own, -1).T, self.alpha[rows])
        return errors

    def posterior_variances(self, part: Array) -> Array:
        """Posterior variances (N,), in units of the scale, of a part of the signal with this Gram matrix at the data."""
        inside = solve_triangular(self.factor, part, lower=True, check_finite=False)
        return np.maximum(np.diagonal(part) - np.einsum("ij,ij->j", inside, inside), 0.0)


def roots_of(weights: Array | None, coordinates: int = 1) -> Array:
    """Roots of the rows' weights, all rows of the first coordinate first, shape (coordinates n, 1); a one without weights."""
    return np.ones((1, 1)) if weights is None else np.tile(np.sqrt(weights), coordinates)[:, None]


def scale_by_weights(signal: Array, roots: Array) -> Array:
    """A Gram matrix (N, N) in units in which the noise of every row has the same variance.

    Args:
        signal: The Gram matrix.
        roots: Of the rows' weights, see :func:`roots_of`; outputs are multiplied by them.
    """
    return signal if len(roots) == 1 else signal * roots * roots.T


def condition(signal: Array, Y: Array, noise: float) -> Conditioned | None:
    """Conditions on data; None where the matrix is singular to working precision.

    Args:
        signal: Gram matrix (N, N).
        Y: Outputs (N, c).
        noise: Noise variance relative to the signal's.

    Example:
        >>> import numpy as np
        >>> K, Y = np.eye(3), np.array([[1.0], [0.0], [2.0]])
        >>> round(condition(K, Y, 0.5).value, 4)  # three numbers of variance 5/3
        -5.0231
    """
    matrix = signal.copy()
    matrix.flat[:: len(matrix) + 1] += noise
    try:
        # NumPy's lets other threads run meanwhile, SciPy's does not; what follows works on columns.
        factor = np.asfortranarray(np.linalg.cholesky(matrix))
    except np.linalg.LinAlgError:
        return None
    alpha = cho_solve((factor, True), Y, check_finite=False)
    square = float(np.sum(Y * alpha))
    if not (square > 0 and math.isfinite(square)):
        return None
    logdet = 2.0 * float(np.sum(np.log(np.diagonal(factor))))
    return Conditioned(factor, alpha, noise, square / Y.size, _value(square, logdet, Y.size, Y.shape[1]))


def best_noise(signal: Array, Y: Array, guess: float | None = None) -> Conditioned:
    """The conditioned GP with the noise of highest likelihood, found by Cholesky factorisations near a guess, or anywhere.

    Args:
        signal: Gram matrix (N, N), of about unit diagonal.
        Y: Outputs (N, c), not all zero.
        guess: Where the noise probably lies.
    """
    if guess is None:
        guess = max(START, key=lambda noise: _height(condition(signal, Y, noise)))
    noise_search = _NoiseSearch(signal, Y)
    centre, step = math.log(guess), STEP
    for point in (centre, centre + step, centre - step):
        noise_search.evaluate(point)
    for _ in range(ATTEMPTS):  # outwards in growing steps, until the maximum is bracketed
        outwards = noise_search.outwards()
        if not outwards:
            break
        step *= 2
        noise_search.evaluate(noise_search.top + outwards * step)
    for _ in range(REFINEMENTS):
        before, vertex = noise_search.top, noise_search.vertex()
        if vertex is None:
            break
        noise_search.evaluate(vertex)
        lonely = [side for side in (-1, 1) if not noise_search.has_near(side)]
        if not lonely and abs(vertex - before) <= STEP:
            break
        for side in lonely:
            noise_search.evaluate(noise_search.top + side * STEP)
    if noise_search.best is None:  # not even with much noise
        raise InputError(
            "the kernel's matrix is singular; leave out repeated rows, or pass data in other units"
        )
    return noise_search.best


class _NoiseSearch:
    """The likelihood along the logarithm of the noise, where it has been evaluated."""

    def __init__(self, signal: Array, Y: Array) -> None:
        self.signal, self.Y = signal, Y
        self.heights: dict[float, float] = {}
        self.best: Conditioned | None = None

    def evaluate(self, point: float) -> None:
        """Conditions on the data with this noise."""
        point = min(max(point, math.log(LOWEST)), math.log(HIGHEST))
        if point in self.heights:
            return
        one = condition(self.signal, self.Y, math.exp(point))
        self.heights[point] = _height(one)
        if one is not None and (self.best is None or one.value > self.best.value):
            self.best = one

    @property
    def top(self) -> float:
        """The highest place; the noisiest one, while none is finite."""
        return max(self.heights, key=lambda point: (self.heights[point], point))

    def outwards(self) -> int:
        """In which direction there may be a higher place beyond all that were evaluated; 0 if there is none."""
        top, known = self.top, sorted(self.heights)
        if top == known[-1]:
            return 1 if top < math.log(HIGHEST) else 0
        return -1 if top == known[0] and top > math.log(LOWEST) else 0

    def has_near(self, side: int) -> bool:
        """Whether the likelihood is known near the top on one side, so near that a parabola is the truth."""
        return any(0 < side * (point - self.top) <= 2 * STEP for point in self.heights)

    def vertex(self) -> float | None:
        """Where the parabola through the highest place and its neighbours has its vertex; None without two lower neighbours."""
        known = sorted(self.heights)
        k = known.index(self.top)
        if k in (0, len(known) - 1):
            return None
        a, b, c = known[k - 1 : k + 2]
        left, middle, right = (self.heights[point] for point in (a, b, c))
        if not math.isfinite(left + right):
            return (b + c) / 2 if math.isfinite(right) else None
        rise, fall = (middle - left) * (c - b), (middle - right) * (b - a)
        return b if rise + fall <= 0 else b + 0.5 * (rise * (c - b) - fall * (b - a)) / (rise + fall)


def _height(one: Conditioned | None) -> float:
    return -math.inf if one is None else one.value


@dataclass(frozen=True, eq=False)
class Spectrum:
    """Outputs in the eigenbasis of a Gram matrix: every noise at no cost.

    Args:
        values: Eigenvalues (N,), not negative.
        power: Squared outputs along the eigenvectors, summed over right-hand sides, shape (N,).
        copies: Number of right-hand sides.
    """

    values: Array
    power: Array
    copies: int

    @classmethod
    def of(cls, signal: Array, Y: Array) -> Spectrum:
        """From a Gram matrix (N, N) and outputs (N, c)."""
        values, vectors = np.linalg.eigh(signal)
        return cls(np.maximum(values, 0.0), np.sum((vectors.T @ Y) ** 2, axis=1), Y.shape[1])

    def value(self, noise: float) -> float:
        """The log marginal likelihood, the scale maximised out."""
        total = self.values + noise
        size = len(total) * self.copies
        return _value(float(np.sum(self.power / total)), float(np.sum(np.log(total))), size, self.copies)

    def best(self) -> tuple[float, float]:
        """The noise of highest likelihood, and that likelihood."""
        grid = np.linspace(math.log(LOWEST), math.log(HIGHEST), 40)
        centre = grid[np.argmax([self.value(math.exp(one)) for one in grid])]
        step = grid[1] - grid[0]
        found = minimize_scalar(
            lambda one: -self.value(math.exp(one)), bounds=(centre - step, centre + step), method="bounded"
        )
        return math.exp(found.x), -float(found.fun)


def _value(square: float, logdet: float, size: int, copies: int) -> float:
    return -0.5 * size * (math.log(2 * math.pi * max(square, 1e-300) / size) + 1.0) - 0.5 * copies * logdet
