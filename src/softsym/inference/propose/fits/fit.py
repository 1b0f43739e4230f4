r"""A Gaussian-process fit with its derivatives and their uncertainty.

A Gaussian process with one kernel for all outputs, :math:`f = m + \sum_j \alpha_j k(\cdot, x_j)`, has its Jacobian in closed form, and
so has the posterior covariance of any linear functional of f. Kernel and noise maximise the marginal likelihood.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import cholesky
from scipy.linalg.lapack import dtrtri

from softsym.inference.propose.fits.noise import best_noise
from softsym.inference.propose.fits.smooth import Gaussian, Matern, Polynomial, SmoothKernel
from softsym.typing import Array

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
CHOOSING = 200
"""Rows by which kernels are compared."""
MOST = 0.95
"""Share of the rows in a trimmed R²."""
LARGEST = 1_000
"""Rows that are fitted at most: cost grows with the third power."""


@dataclass(frozen=True, eq=False)
class Fit:
    """The posterior.

    Args:
        kernel: Its kernel.
        Z: Scaled inputs (n, D) it was fitted to.
        centre: What was taken off the outputs, (q,).
        weights: alpha, (n, q).
        roots: Matrix (n, n) whose columns w_j give the posterior covariance: k - sum_j (k w_j)(k w_j)'.
        scale: Variance of the signal.
        noise: Ratio of noise to signal variance.
        r2: Leave-one-out R².
        trimmed_r2: The same without the rows of the largest errors, so that it does not depend on single outliers.
        calibration: Mean squared leave-one-out error over what was expected, at least one.
    """

    kernel: SmoothKernel
    Z: Array
    centre: Array
    weights: Array
    roots: Array
    scale: float
    noise: float
    r2: float
    trimmed_r2: float
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
        kernel = kernels[0] if len(kernels) == 1 else best_kernel(Z, Y, kernels)[0]
        centre = centre_of(Y, kernel)
        gram = kernel.gram(Z, Z)
        noise, scale, _ = best_noise(gram, Y - centre)
        gram[np.diag_indices(len(gram))] += noise
        roots = np.ascontiguousarray(np.triu(dtrtri(cholesky(gram, check_finite=False))[0]))
        weights = roots @ (roots.T @ (Y - centre))
        inverse = np.sum(roots**2, axis=1)
        leave_out_errors = weights / inverse[:, None]
        expected = scale / inverse
        errors, total = np.sum(leave_out_errors**2, axis=1), np.sum((Y - Y.mean(axis=0)) ** 2, axis=1)
        best = errors.argsort()[: math.ceil(MOST * len(Y))]
        calibration = max(1.0, float(np.mean(leave_out_errors**2 / expected[:, None])))
        return cls(
            kernel,
            Z,
            centre,
            weights,
            roots,
            scale,
            noise,
            _r2(errors, total),
            _r2(errors[best], total[best]),
            calibration,
        )

    def predict(self, Z: Array) -> Array:
        """Mean at scaled inputs (m, D), shape (m, q)."""
        return np.asarray(self.centre + self.kernel.gram(Z, self.Z) @ self.weights)

    def jacobian(self, Z: Array) -> Array:
        """Derivatives of the mean by scaled inputs, shape (m, q, D)."""
        return self.kernel.jacobian(Z, self.Z, self.weights)

    def known(self, features: Array) -> Array:
        """Prior covariances (m, n) with the rows as factors (m, n) of the covariance that the rows explain."""
        return np.asarray(features @ self.roots)


def _r2(errors: Array, total: Array) -> float:
    return 1.0 - float(errors.sum()) / float(total.sum()) if total.any() else 0.0


def best_kernel(Z: Array, Y: Array, kernels: Sequence[SmoothKernel] = KERNELS) -> tuple[SmoothKernel, float]:
    """The kernel under which the first rows are most likely, and their log likelihood."""
    Z, Y = Z[:CHOOSING], Y[:CHOOSING] - centre_of(Y[:CHOOSING], kernels[0])
    likelihoods = {kernel: likelihood_of(kernel, Z, Y) for kernel in kernels}
    polynomials = [kernel for kernel in kernels if kernel.radial is None]
    radials = [kernel for kernel in kernels if kernel.radial is not None]
    if polynomials and radials:
        flat, round_ = (max(some, key=lambda kernel: likelihoods[kernel]) for some in (polynomials, radials))
        for share in SHARES:
            both = SmoothKernel(flat.polynomial, round_.radial, share, flat.has_gain)
            likelihoods[both] = likelihood_of(both, Z, Y)
    best = max(likelihoods, key=lambda kernel: likelihoods[kernel])
    return best, likelihoods[best]


def centre_of(Y: Array, kernel: SmoothKernel) -> Array:
    """What is taken off outputs (n, q) before they are fitted: their mean, or nothing where a function grows from zero."""
    return np.zeros(Y.shape[1]) if kernel.has_gain else np.asarray(Y.mean(axis=0))


def likelihood_of(kernel: SmoothKernel, Z: Array, Y: Array) -> float:
    """Log marginal likelihood of centred outputs, noise and scale at their best."""
    return best_noise(kernel.gram(Z, Z), Y)[2]
