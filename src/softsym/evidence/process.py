r"""A Gaussian process with a mixture of equivariant kernels: its weights, and what it predicts.

The prior of every block is :math:`a\,(\sum_k w_k K_k + \lambda I)` with the same non-negative weights w for all blocks and a scale a
and noise :math:`\lambda` of its own. With :math:`C = \sum_k w_k K_k + \lambda I` and :math:`\alpha = C^{-1} Y`,

.. math:: \frac{\partial \ell}{\partial w_k} = \frac{1}{2 \hat a} \mathrm{tr}\, \alpha^T K_k \alpha - \frac{c}{2} \mathrm{tr}\, C^{-1} K_k .
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack, solve_triangular
from scipy.optimize import minimize

from softsym.evidence.blocks import Block
from softsym.evidence.equivariant import EquivariantKernel
from softsym.evidence.kernels import Kernel
from softsym.evidence.likelihood import HIGHEST, LOWEST, Conditioned, best_noise, condition

Array = NDArray[np.float64]
SMALLEST = 1e-8
"""A weight, as a share of all, below which a kernel is left out."""
STEPS = 30
CHUNK = 2_000_000
"""Entries of the matrix between new and old rows, at once."""
SEARCHED = 1_500
"""Noise is not looked for once more with larger matrices."""
OWN = 16
"""New rows whose own variances are computed together."""


@dataclass(frozen=True, eq=False)
class Component:
    """One kernel of the mixture.

    Args:
        candidate: What makes it equivariant.
        kernel: The base kernel.
        weight: Its share of the prior variance.
        has: Names of the candidate groups whose symmetry its functions have.
    """

    candidate: EquivariantKernel
    kernel: Kernel
    weight: float
    has: tuple[str, ...] = ()

    def grams(self, blocks: Sequence[Block], left: Array, right: Array | None = None) -> list[Array]:
        """Gram matrices of all blocks."""
        return self.candidate.grams([self.kernel], blocks, left, right)[0]


@dataclass(eq=False)
class Process:
    """A mixture conditioned on rows.

    Args:
        components: The kernels; their weights add up to one.
        blocks: Parts of the outputs that are not zero.
        X: Scaled inputs (n, d).
        Y: Scaled outputs (n, outputs).
        units: What every component's kernel is divided by, one number for each component and block.
        fits: The conditioned process of every block.
    """

    components: list[Component]
    blocks: list[Block]
    X: Array
    Y: Array
    units: Array
    fits: list[Conditioned]

    @classmethod
    def fit(
        cls,
        components: Sequence[Component],
        blocks: Sequence[Block],
        X: Array,
        Y: Array,
        noises: Sequence[float],
    ) -> Process:
        """Conditions on rows; noises are looked for near those given, unless the matrices are large."""
        signals, units = _signals(components, blocks, X)
        fits = []
        for signal, block, noise in zip(signals, blocks, noises, strict=True):
            outputs = block.read(Y)
            known = condition(signal, outputs, noise) if len(signal) > SEARCHED else None
            fits.append(best_noise(signal, outputs, noise) if known is None else known)
        return cls(list(components), list(blocks), X, Y, units, fits)

    @classmethod
    def restored(
        cls,
        components: Sequence[Component],
        blocks: Sequence[Block],
        X: Array,
        Y: Array,
        noises: Sequence[float],
    ) -> Process:
        """The same process from stored noises."""
        signals, units = _signals(components, blocks, X)
        fits = [
            condition(s, block.read(Y), noise)
            for s, block, noise in zip(signals, blocks, noises, strict=True)
        ]
        if any(fit is None for fit in fits):
            raise ValueError("its kernel is singular")
        return cls(list(components), list(blocks), X, Y, units, [fit for fit in fits if fit is not None])

    @property
    def noises(self) -> list[float]:
        """Noise of every block, relative to its signal."""
        return [fit.noise for fit in self.fits]

    def left_out(self) -> Array:
        """Leave-one-out errors (n, outputs) of the scaled outputs."""
        errors = np.zeros_like(self.Y)
        for block, fit in zip(self.blocks, self.fits, strict=True):
            block.add_to(errors, fit.left_out(block.size))
        return errors

    def predict(self, X: Array, spread: bool = False) -> tuple[Array, Array | None]:
        """Mean (m, outputs) for scaled inputs (m, d), and the standard deviation of a new measurement if asked for."""
        mean = np.zeros((len(X), self.Y.shape[1]))
        variance = np.zeros_like(mean) if spread else None
        largest = max((block.size for block in self.blocks), default=1)
        step = max(1, CHUNK // (len(self.X) * largest**2))
        for start in range(0, len(X), step):
            rows = slice(start, start + step)
            for b, gram in enumerate(self._between(X[rows])):
                block, fit = self.blocks[b], self.fits[b]
                part = np.zeros_like(mean[rows])
                block.add_to(part, gram @ fit.alpha)
                mean[rows] += part
                if variance is not None:
                    inside = solve_triangular(fit.factor, gram.T, lower=True, check_finite=False)
                    inside = inside.reshape(len(inside), block.size, -1)
                    own = self._own(X[rows], b) - np.einsum("iam,ibm->mab", inside, inside)
                    own += fit.noise * np.eye(block.size)
                    variance[rows][:, block.columns] += fit.scale * block.spread(own)[:, None]
        return mean, None if variance is None else np.sqrt(np.maximum(variance, 0.0))

    def _between(self, X: Array) -> list[Array]:
        """Prior covariances (b m, b n) of new and old rows, for every block."""
        totals = [np.zeros((block.size * len(X), block.size * len(self.X))) for block in self.blocks]
        for component, units in zip(self.components, self.units, strict=True):
            grams = component.grams(self.blocks, X, self.X)
            for total, gram, unit in zip(totals, grams, units, strict=True):
                total += component.weight / unit * gram
        return totals

    def _own(self, X: Array, b: int) -> Array:
        """Prior covariances (m, b, b) of the block's coordinates at each new row."""
        block, pieces = self.blocks[b], []
        for start in range(0, len(X), OWN):
            rows = X[start : start + OWN]
            total = np.zeros((block.size * len(rows),) * 2)
            for component, units in zip(self.components, self.units, strict=True):
                total += component.weight / units[b] * component.grams([block], rows, rows)[0]
            square = total.reshape(block.size, len(rows), block.size, len(rows))
            pieces.append(np.einsum("ambm->mab", square))
        return np.concatenate(pieces)


def unit_of(gram: Array) -> float:
    """The mean diagonal, or one if there is nothing."""
    size = float(np.trace(gram)) / len(gram)
    return size if size > 1e-12 else 1.0


def _signals(components: Sequence[Component], blocks: Sequence[Block], X: Array) -> tuple[list[Array], Array]:
    signals: list[Array] = []
    units = np.ones((len(components), len(blocks)))
    for c, component in enumerate(components):
        for b, gram in enumerate(component.grams(blocks, X)):
            units[c, b] = unit_of(gram)
            gram *= component.weight / units[c, b]
            if c == 0:
                signals.append(gram)
            else:
                signals[b] += gram
    return signals, units


def best_weights(
    grams: Sequence[Sequence[Array]], Ys: Sequence[Array], start: Array, noise: float
) -> tuple[Array, list[float]]:
    """Weights that make the data most likely.

    Args:
        grams: For every block the Gram matrices (N, N) of all kernels, of about unit diagonal.
        Ys: For every block its outputs (N, c).
        start: Weights to start from, shape (kernels,).
        noise: Noise to start from.

    Returns:
        Weights that add up to one, shape (kernels,), those below :data:`SMALLEST` zero; and the noise of every block.

    Example:
        >>> import numpy as np
        >>> rng = np.random.default_rng(0)
        >>> smooth = np.exp(-((rng.uniform(size=60)[:, None] - rng.uniform(size=60)) ** 2))
        >>> smooth = smooth @ smooth.T / 60
        >>> Y = np.linalg.cholesky(smooth + 1e-9 * np.eye(60)) @ rng.standard_normal((60, 3))
        >>> weights, _ = best_weights([[smooth, np.diag(rng.uniform(size=60))]], [Y], np.ones(2), 1e-3)
        >>> bool(weights[0] > 0.99)
        True
    """
    count = len(start)

    def loss(theta: Array) -> tuple[float, Array]:
        total, slope = 0.0, np.zeros_like(theta)
        weights = np.exp(theta[:count])
        for b, (kernels, Y) in enumerate(zip(grams, Ys, strict=True)):
            value, by_weight, by_noise = _slopes(kernels, Y, weights, float(np.exp(theta[count + b])))
            total += value
            slope[:count] += by_weight * weights
            slope[count + b] = by_noise * np.exp(theta[count + b])
        return -total, -slope

    logs = np.log(np.maximum(start / start.sum(), 1e-6))
    theta = np.concatenate([logs, np.full(len(Ys), np.log(noise))])
    bounds = [(np.log(SMALLEST) - 2, 3.0)] * count + [(np.log(LOWEST), np.log(HIGHEST))] * len(Ys)
    found = minimize(loss, theta, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": STEPS})
    weights = np.exp(found.x[:count])
    noises = [float(noise) for noise in np.exp(found.x[count:]) / weights.sum()]
    weights /= weights.sum()
    weights[weights < SMALLEST] = 0.0
    return weights / weights.sum(), noises


def _slopes(kernels: Sequence[Array], Y: Array, weights: Array, noise: float) -> tuple[float, Array, float]:
    signal = sum((w * K for w, K in zip(weights, kernels, strict=True)), np.zeros_like(kernels[0]))
    one = condition(signal, Y, noise)
    if one is None:
        return -1e10, np.zeros(len(weights)), 1.0
    inverse = lapack.dpotri(one.factor, lower=1)[0]
    diagonal = np.diagonal(inverse).copy()
    lower = np.tril(inverse, -1)
    alpha, c = one.alpha, Y.shape[1]
    by_weight = [
        0.5 * float(np.sum(alpha * (K @ alpha))) / one.scale
        - 0.5 * c * (2.0 * float(np.vdot(lower, K)) + float(diagonal @ np.diagonal(K)))
        for K in kernels
    ]
    by_noise = 0.5 * float(np.sum(alpha**2)) / one.scale - 0.5 * c * float(diagonal.sum())
    return one.value, np.array(by_weight), by_noise
