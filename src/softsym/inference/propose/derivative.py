r"""The null space of the Lie derivative.

For a matrix A the Lie derivative of a fitted function f,

.. math:: L_A f(x) = d\rho_{out}(A)\, f(x) - Df(x)\, d\rho_{in}(A)\, x ,

is linear in A and zero for all x iff f is equivariant under all exp(tA). With :math:`M_{ab}` the mean over rows of
:math:`\langle L_a f, L_b f \rangle` and :math:`N_{ab}` what it would be if the derivative had its size but not its direction, small
eigenvalues of M v = w N v are symmetries. The posterior covariance C of f enters M too: if A is an exact symmetry,
:math:`L_A f` of the fit is :math:`L_A` of the fit's error, a Gaussian vector whose square has mean tr C and nearly the distribution of
:math:`\mathrm{tr} C\, \chi^2_\nu / \nu` with :math:`\nu = (\mathrm{tr} C)^2 / \mathrm{tr} C^2` (Satterthwaite). So the same closed form
tests exactness. A discrete element h is tested alike, by :math:`\rho_{out}(h) f(x) - f(\rho_{in}(h) x)`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.stats import chi2, norm

from softsym.inference.propose.fits.features import Features
from softsym.inference.propose.fits.fit import Fit
from softsym.inference.propose.matrix_action import Action
from softsym.typing import Array

LEVEL = 0.01
"""Chance of refuting an exact symmetry, and of an upper bound that is too low."""
ROUNDING = 1e-6
"""Relative violations up to this are rounding and refute nothing."""
PROBED = 200
"""Rows at which the covariance of the error is computed."""


@dataclass(frozen=True)
class Defect:
    """How far a fit is from a symmetry, and how much of that its error accounts for.

    Args:
        square: Mean squared defect of the fit.
        expected: What the fit's error alone makes of it.
        freedom: Degrees of freedom of that.
        size: What it is measured against.
    """

    square: float
    expected: float
    freedom: float
    size: float

    @property
    def p_value(self) -> float:
        """Chance of such a defect if the symmetry is exact."""
        if self.square <= ROUNDING**2 * self.size:
            return 1.0
        if self.expected <= 0:
            return 0.0
        return float(chi2.sf(self.freedom * self.square / self.expected, self.freedom))

    @property
    def violation(self) -> float:
        """Relative violation, without what the fit's error explains."""
        return math.sqrt(max(0.0, self.square - self.expected) / self.size) if self.size > 0 else math.nan

    @property
    def interval(self) -> tuple[float, float]:
        """A lower and an upper bound of the relative violation, each at the level."""
        if not self.size > 0:
            return 0.0, math.inf
        low = max(0.0, math.sqrt(self.square) - math.sqrt(self._error(LEVEL)))
        return low / math.sqrt(self.size), self.most(LEVEL)

    def most(self, level: float) -> float:
        """The upper bound of the relative violation that is too low with a chance of at most ``level``."""
        if not self.size > 0:
            return math.inf
        cross = 2 * float(norm.ppf(1 - level)) * math.sqrt(self.square * self.expected / self.freedom)
        return math.sqrt((self.square + self._error(level) + cross) / self.size)

    def _error(self, level: float) -> float:
        """The square that the fit's error alone exceeds with this chance."""
        return self.expected * float(chi2.ppf(1 - level, self.freedom)) / self.freedom


@dataclass(frozen=True, eq=False)
class LieDerivative:
    """The derivatives of a fitted function along all matrices of a basis.

    Args:
        fit: The fitted function.
        features: What it is a function of.
        source: The input columns.
        target: The output columns.
        basis: Matrices (K, d, d).
        X: Rows of inputs (n, size), in their units.
        M: (K, K).
        N: (K, K).
    """

    fit: Fit
    features: Features
    source: Action
    target: Action
    basis: Array
    X: Array
    M: Array
    N: Array

    @classmethod
    def of(
        cls,
        fit: Fit,
        features: Features,
        target: Action,
        basis: Array,
        X: Array,
        base: tuple[Array, Array] | None = None,
    ) -> LieDerivative:
        """Of a fit of features of rows (n, D), and of a function added to it: its values (n, q) and Jacobians (n, q, D), scaled."""
        source, Z = features.source, features.values(X)
        values = fit.predict(Z)
        slopes = np.einsum("nqf,nfd->nqd", fit.jacobian(Z), features.slopes(X), optimize=True)
        if base is not None:
            values, slopes = values + base[0], slopes + base[1]
        speeds = source.velocity(basis, X) / source.unit
        outputs = target.velocity(basis, values * target.unit + target.shift) / target.unit
        lie = outputs - np.einsum("nqd,knd->knq", slopes, speeds)
        steep = np.sqrt(np.sum(slopes**2, axis=(1, 2)) / X.shape[1])
        flat = lie.reshape(len(basis), -1) / math.sqrt(len(X))
        moving = (speeds * steep[:, None]).reshape(len(basis), -1)
        sizes = np.concatenate([moving, outputs.reshape(len(basis), -1)], axis=1)
        return cls(fit, features, source, target, basis, X, flat @ flat.T, sizes @ sizes.T / len(X))

    def spectrum(self, within: Array | None = None) -> tuple[Array, Array]:
        """Eigenvalues (k,) and coefficients (k, K) of generators, smallest first, of unit size; within a span (k, K) if given.

        Matrices that act trivially are left out.
        """
        span = np.eye(len(self.basis)) if within is None else within
        sizes, vectors = np.linalg.eigh(span @ self.N @ span.T)
        moving = sizes > 1e-9 * max(float(sizes[-1]), 1e-300)
        white = (vectors[:, moving] / np.sqrt(sizes[moving])).T @ span
        values, eigenvectors = np.linalg.eigh(white @ self.M @ white.T)
        return np.maximum(values, 0.0), eigenvectors.T @ white

    def defect(self, coefficients: Array) -> Defect:
        """Of one generator, given by coefficients (K,)."""
        A = np.tensordot(coefficients, self.basis, 1)
        points, (Z, known, unknown) = self.X[:PROBED], self._probed
        speeds = self.source.velocity(A[None], points)[0] / self.source.unit
        directions = np.einsum("nfd,nd->nf", self._probed_slopes, speeds)
        kernel = self.fit.kernel
        known_slope = self.fit.known(kernel.along(Z, directions, self.fit.Z))
        covariances = (
            unknown,
            kernel.along(Z, directions, Z) - known_slope @ known.T,
            kernel.along_both(Z, directions) - known_slope @ known_slope.T,
        )
        expected, freedom = _error_moments(
            self.fit, self._scaled(self.target.rates(A[None])[0]), *covariances
        )
        return Defect(
            max(0.0, float(coefficients @ self.M @ coefficients)),
            expected,
            freedom,
            float(coefficients @ self.N @ coefficients),
        )

    def element_defect(self, h: Array, values: Array, transformed_values: Array) -> Defect:
        """Of one element (d, d), from the function's values at all rows and at the transformed rows."""
        there = self.features.values(self.source.transform(h, self.X[:PROBED]))
        kernel, (Z, known, unknown) = self.fit.kernel, self._probed
        known_there = self.fit.known(kernel.gram(there, self.fit.Z))
        covariances = (
            unknown,
            kernel.gram(there, Z) - known_there @ known.T,
            kernel.gram(there, there) - known_there @ known_there.T,
        )
        expected, freedom = _error_moments(self.fit, self._scaled(self.target.matrix(h)), *covariances)
        return Defect(
            self._element_square(h, values, transformed_values), expected, freedom, 4.0 * self._signal(values)
        )

    def element_violation(self, h: Array, values: Array, transformed_values: Array) -> float:
        """Relative violation of one element (d, d) by the fit itself."""
        signal = self._signal(values)
        return (
            math.sqrt(self._element_square(h, values, transformed_values) / (4.0 * signal))
            if signal > 0
            else math.inf
        )

    @cached_property
    def _probed(self) -> tuple[Array, Array, Array]:
        """Features of the first rows, factors of the explained covariance there, and the posterior covariances."""
        Z = self.features.values(self.X[:PROBED])
        known = self.fit.known(self.fit.kernel.gram(Z, self.fit.Z))
        return Z, known, self.fit.kernel.gram(Z, Z) - known @ known.T

    @cached_property
    def _probed_slopes(self) -> Array:
        return self.features.slopes(self.X[:PROBED])

    def _scaled(self, D: Array) -> Array:
        """A matrix (q, q) that acts on outputs, on those without units."""
        return np.asarray(D * self.target.unit / self.target.unit[:, None])

    def _element_square(self, h: Array, values: Array, transformed_values: Array) -> float:
        transformed = self.target.transform(h, values * self.target.unit + self.target.shift)
        return float(
            np.mean(
                np.sum(
                    ((transformed - self.target.shift) / self.target.unit - transformed_values) ** 2, axis=1
                )
            )
        )

    def _signal(self, values: Array) -> float:
        """Mean squared size of the outputs, those of scalars without their mean."""
        whole = values + self.target.shift / self.target.unit
        still = np.abs(self.target.rates(self.basis)).sum(axis=(0, 2)) == 0
        whole[:, still] -= whole[:, still].mean(axis=0)
        whole[:, self.target.is_point] -= whole[:, self.target.is_point].mean(axis=0)
        return float(np.mean(np.sum(whole**2, axis=1)))


def _error_moments(fit: Fit, D: Array, own: Array, mixed: Array, other: Array) -> tuple[float, float]:
    """Mean and degrees of freedom of the mean square of D e(x) - g(x), for the error e of a fit and a functional g of it.

    Args:
        fit: The fit.
        D: Matrix (q, q).
        own: Posterior covariances of values, (m, m).
        mixed: Of functional with values.
        other: Among functionals.
    """
    outer = (D @ D.T, -D, -D.T, np.eye(len(D)))
    inner = (own, mixed.T, mixed, other)
    scale = fit.scale * fit.calibration
    trace = sum(float(np.trace(P) * np.trace(Q)) for P, Q in zip(outer, inner, strict=True))
    square = sum(
        float(np.sum(P * R.T) * np.sum(Q * S.T))
        for P, Q in zip(outer, inner, strict=True)
        for R, S in zip(outer, inner, strict=True)
    )
    return max(scale * trace / len(own), 0.0), max(1.0, trace**2 / max(square, 1e-300))
