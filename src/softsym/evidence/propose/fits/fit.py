r"""A kernel fit that knows its derivatives and how far to trust them.

A Gaussian process with one kernel for all outputs, :math:`f = m + \sum_j \alpha_j k(\cdot, x_j)`, has its Jacobian in closed form, and
so has the covariance of any linear functional of what is not known about f. Kernel and noise maximise the marginal likelihood.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softsym.evidence.propose.fits.smooth import Gaussian, Matern, Polynomial, SmoothKernel

Array = NDArray[np.float64]
KERNELS = (
    *(SmoothKernel(Polynomial(p)) for p in (1, 2, 3, 4)),
    *(SmoothKernel(Polynomial(1), Gaussian(w)) for w in (0.7, 1.0, 1.4, 2.0, 2.8, 5.6)),
    *(SmoothKernel(Polynomial(1), Matern(w)) for w in (1.0, 2.5, 6.0, 15.0)),
)
"""The kernels that are tried; then the best polynomial and the best radial one together."""
RADIAL = tuple(kernel for kernel in KERNELS if kernel.radial is not None)
"""Those for functions that do not grow."""
SHARES = (0.003, 0.03, 0.3)
"""Of the radial part, where both are tried together."""
NOISES = np.logspace(-9, 1, 31)
"""Ratios of noise to signal variance that are tried; the smallest is what rounding leaves."""
CHOOSING = 200
"""Rows by which kernels are compared."""
LARGEST = 1_000
"""Rows that are fitted at most: cost grows with the third power."""


@dataclass(frozen=True, eq=False)
class Fit:
    """The posterior.

    Args:
        kernel: Its kernel.
        Z: Scaled inputs (n, D) it was fitted to.
        centre: Mean of the outputs, (q,).
        weights: alpha, (n, q).
        roots: Matrix (n, n) whose columns w_j give the posterior covariance: k - sum_j (k w_j)(k w_j)'.
        scale: Variance of the signal.
        noise: Ratio of noise to signal variance.
        explained: Leave-one-out share of the variance.
        calibration: Mean squared leave-one-out error over what was expected, at least one.
    """

    kernel: SmoothKernel
    Z: Array
    centre: Array
    weights: Array
    roots: Array
    scale: float
    noise: float
    explained: float
    calibration: float

    @classmethod
    def of(cls, Z: Array, Y: Array, kernels: Sequence[SmoothKernel] = KERNELS) -> Fit:
        """Fits scaled inputs (n, D) and outputs (n, q), with the kernel of these that suits them best.

        Example:
            >>> import numpy as np
            >>> Z = np.random.default_rng(0).standard_normal((60, 2))
            >>> fit = Fit.of(Z, Z[:, :1] * Z[:, 1:])
            >>> str(fit.kernel), bool(np.allclose(fit.jacobian(Z)[:, 0], Z[:, ::-1], atol=1e-3))
            ('polynomial of degree 2', True)
        """
        centre = Y.mean(axis=0)
        kernel = best_kernel(Z, Y, kernels)[0]
        values, vectors = np.linalg.eigh(kernel.gram(Z, Z))
        turned = vectors.T @ (Y - centre)
        noise, scale, _ = _best(np.maximum(values, 0.0), turned)
        shrunk = np.maximum(values, 0.0) + noise
        weights = vectors @ (turned / shrunk[:, None])
        inverse = np.einsum("ij,j,ij->i", vectors, 1.0 / shrunk, vectors)
        left_out = weights / inverse[:, None]
        expected = scale / inverse
        total = float(np.sum((Y - centre) ** 2))
        explained = 1.0 - float(np.sum(left_out**2)) / total if total > 0 else 0.0
        calibration = max(1.0, float(np.mean(left_out**2 / expected[:, None])))
        return cls(
            kernel,
            Z,
            centre,
            weights,
            vectors / np.sqrt(shrunk),
            scale,
            noise,
            explained,
            calibration,
        )

    def predict(self, Z: Array) -> Array:
        """Mean at scaled inputs (m, D), shape (m, q)."""
        return np.asarray(self.centre + self.kernel.gram(Z, self.Z) @ self.weights)

    def jacobian(self, Z: Array) -> Array:
        """Derivatives of the mean by scaled inputs, shape (m, q, D)."""
        a, b = self.kernel.slopes(Z, self.Z)
        n, q, D = len(self.Z), self.weights.shape[1], Z.shape[1]
        lifted = (self.weights[:, :, None] * self.Z[:, None, :]).reshape(n, q * D)
        there = (a @ lifted).reshape(len(Z), q, D)
        return np.asarray(there + (b @ self.weights)[:, :, None] * Z[:, None, :])

    def known(self, features: Array) -> Array:
        """Prior covariances (m, n) with the rows as factors (m, n) of what the rows tell of them."""
        return np.asarray(features @ self.roots)


def best_kernel(Z: Array, Y: Array, kernels: Sequence[SmoothKernel] = KERNELS) -> tuple[SmoothKernel, float]:
    """The kernel under which the first rows are most likely, and their log likelihood."""
    Z, Y = Z[:CHOOSING], Y[:CHOOSING] - Y[:CHOOSING].mean(axis=0)
    likelihoods = {kernel: likelihood_of(kernel, Z, Y) for kernel in kernels}
    polynomials = [kernel for kernel in kernels if kernel.radial is None]
    radials = [kernel for kernel in kernels if kernel.radial is not None]
    if polynomials and radials:
        flat, round_ = (max(some, key=lambda kernel: likelihoods[kernel]) for some in (polynomials, radials))
        for share in SHARES:
            both = SmoothKernel(flat.polynomial, round_.radial, share)
            likelihoods[both] = likelihood_of(both, Z, Y)
    best = max(likelihoods, key=lambda kernel: likelihoods[kernel])
    return best, likelihoods[best]


def likelihood_of(kernel: SmoothKernel, Z: Array, Y: Array) -> float:
    """Log marginal likelihood of centred outputs, noise and scale at their best."""
    values, vectors = np.linalg.eigh(kernel.gram(Z, Z))
    return _best(np.maximum(values, 0.0), vectors.T @ Y)[2]


def _best(values: Array, turned: Array) -> tuple[float, float, float]:
    """Noise ratio, signal variance and log marginal likelihood at its maximum."""
    n, q = turned.shape
    squares = np.sum(turned**2, axis=1)
    shrunk = values[:, None] + NOISES * values.mean()
    scales = np.maximum((squares[:, None] / shrunk).mean(axis=0) / q, 1e-300)
    likelihoods = -0.5 * n * q * np.log(scales) - 0.5 * q * np.log(shrunk).sum(axis=0)
    best = int(likelihoods.argmax())
    return float(NOISES[best] * values.mean()), float(scales[best]), float(likelihoods[best])
