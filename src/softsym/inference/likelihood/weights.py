r"""Weights of a mixture of kernels by marginal likelihood.

The prior of every block is :math:`a\,(\sum_k w_k K_k + \lambda I)` with the same non-negative weights w for all blocks and a scale a
and noise :math:`\lambda` of its own. With :math:`C = \sum_k w_k K_k + \lambda I` and :math:`\alpha = C^{-1} Y`,

.. math:: \frac{\partial \ell}{\partial w_k} = \frac{1}{2 \hat a} \mathrm{tr}\, \alpha^T K_k \alpha - \frac{c}{2} \mathrm{tr}\, C^{-1} K_k .
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.linalg import lapack
from scipy.optimize import minimize

from softsym.inference.likelihood.marginal import HIGHEST, LOWEST, condition
from softsym.typing import Array

SMALLEST = 1e-8
"""A weight, as a share of all, below which a kernel is left out."""
STEPS = 30
"""Of the search for weights."""


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
