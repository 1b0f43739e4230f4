r"""The null space of the Lie derivative.

For a matrix A the Lie derivative of a fitted function f,

.. math:: L_A f(x) = d\rho_{out}(A)\, f(x) - Df(x)\, d\rho_{in}(A)\, x ,

is linear in A and zero for all x iff f is equivariant under all exp(tA). With :math:`M_{ab}` the mean over rows of
:math:`\langle L_a f, L_b f \rangle` and :math:`N_{ab}` what it would be if the derivative had its size but not its direction, small
eigenvalues of M v = w N v are symmetries. The fit is a Bayesian linear regression on features, so the posterior covariance of
:math:`L_A f` is known; if A is an exact symmetry, :math:`L_A f` of the fit is that of the fit's error, whose mean square this covariance
is. It is subtracted from M: a poor fit does not hide a symmetry, and one that is too smooth shows none that is not there.
"""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from softsym.gp.features import InducingPoints, squared_exponential
from softsym.gp.regression import Statistics, fit
from softsym.propose.columns import Rows
from softsym.typing import Array

DEGREES = (1, 2, 3, 4)  # degrees of polynomials that are tried
WIDTHS = (0.5, 0.8, 1.2, 2.0, 3.5, 7.0)
"""Widths of squared-exponential kernels that are tried, in standard deviations of a coordinate times the root of their number."""
MAX_FEATURES = 500  # features of a fit
MAX_MONOMIALS = 60  # monomials of a higher degree next to a squared-exponential kernel
FLAT = 10.0  # prior standard deviation of polynomials next to smooth functions: hardly any shrinkage
PROBED = 250  # rows at which derivatives are taken


@dataclass(frozen=True, eq=False)
class Features:
    """Functions of inputs with derivatives: monomials, perhaps after whitened features of a squared-exponential kernel."""

    factors: tuple[tuple[int, ...], ...]  # inputs that each monomial multiplies
    scale: Array  # by which each monomial is multiplied
    inducing: InducingPoints | None = None

    @classmethod
    def up_to(cls, degree: int, Z: Array, size: float = 1.0, inducing: InducingPoints | None = None) -> Features:
        """All products of at most ``degree`` of the inputs, each of one size at rows (n, D)."""
        counts = range(degree + 1)
        factors = [each for k in counts for each in itertools.combinations_with_replacement(range(Z.shape[1]), k)]
        rms = np.sqrt(np.mean(cls(tuple(factors), np.ones(len(factors))).values(Z) ** 2, axis=0))
        return cls(tuple(factors), size / np.maximum(rms, 1e-12), inducing)

    def values(self, Z: Array) -> Array:
        """Of rows (n, D): (n, m)."""
        monomials = self.scale * np.stack([Z[:, list(chosen)].prod(axis=1) for chosen in self.factors], axis=1)
        return monomials if self.inducing is None else np.concatenate([self.inducing(Z), monomials], axis=1)

    def gradients(self, Z: Array) -> Array:
        """Derivatives by the inputs, (n, m, D)."""
        out = np.zeros((len(Z), len(self.factors), Z.shape[1]))
        for k, chosen in enumerate(self.factors):
            for place, column in enumerate(chosen):
                out[:, k, column] += Z[:, [*chosen[:place], *chosen[place + 1 :]]].prod(axis=1)
        out *= self.scale[:, None]
        if self.inducing is None:
            return out
        points, width = self.inducing.points, self.inducing.width
        slopes = squared_exponential(Z / width, points)[:, :, None] * (points[None] - (Z / width)[:, None]) / width
        inner = np.einsum("nmd,mk->nkd", slopes, self.inducing.root, optimize=True)
        return np.concatenate([inner, out], axis=1)


@dataclass(frozen=True, eq=False)
class SmoothFit:
    """A Bayesian linear regression of all outputs on the same features of standardised inputs."""

    features: Features
    mean: Array  # of the inputs, (D,)
    std: Array  # of the inputs, (D,)
    weights: Array  # posterior means (m, q)
    root: Array  # U (m, m): the posterior covariance of the weights of an output is U U' times its noise
    noise: Array  # variance for every output (q,)
    log_likelihood: float
    r2: float  # leave-one-out

    def predict(self, X: Array) -> Array:
        """Values (n, q) at rows (n, D)."""
        return np.asarray(self.features.values((X - self.mean) / self.std) @ self.weights)

    def gradients(self, X: Array) -> tuple[Array, Array]:
        """Features (n, m) and their derivatives by the inputs (n, m, D)."""
        Z = (X - self.mean) / self.std
        return self.features.values(Z), self.features.gradients(Z) / self.std


def fit_smooth(X: Array, Y: Array) -> SmoothFit:
    """The likeliest fit of rows (n, D) and (n, q) by polynomials or squared-exponential kernels."""
    mean, std = X.mean(axis=0), X.std(axis=0)
    std = np.where(std > 1e-9 * np.abs(mean), std, 1.0)
    Z = (X - mean) / std
    fits = [(fit(Statistics.from_rows(each.values(Z)[:, None], Y[:, None])), each) for each in _feature_maps(Z)]
    best, features = max(fits, key=lambda pair: pair[0].log_likelihood)
    values = features.values(Z)
    eigenvalues, vectors = np.linalg.eigh(values.T @ values)
    root = vectors / np.sqrt(np.maximum(eigenvalues, 0.0) + best.ridge)
    weights = root @ (root.T @ (values.T @ Y))
    leverage = np.minimum(np.sum((values @ root) ** 2, axis=1), 1.0 - 1e-9)
    errors = (Y - values @ weights) / (1.0 - leverage)[:, None]
    total = float(np.sum((Y - Y.mean(axis=0)) ** 2))
    r2 = 1.0 - float(np.sum(errors**2)) / total if total > 0 else 0.0
    return SmoothFit(features, mean, std, weights, root, best.noise, best.log_likelihood, r2)


def _feature_maps(Z: Array) -> list[Features]:
    n, D = Z.shape
    maps = [Features.up_to(degree, Z) for degree in DEGREES if math.comb(D + degree, degree) <= MAX_FEATURES]
    room = min(2 * n // 3, MAX_FEATURES - D - 1)
    higher = max((p for p in DEGREES[1:3] if math.comb(D + p, p) <= MAX_MONOMIALS), default=1)
    for width in WIDTHS:
        inducing = InducingPoints.select(Z, width * math.sqrt(D), room)
        maps += [Features.up_to(p, Z, FLAT, inducing) for p in dict.fromkeys((1, higher))]
    return maps


@dataclass(frozen=True, eq=False)
class LieMatrix:
    """The quadratic forms of the Lie derivative along a basis of matrices."""

    basis: Array  # (K, d, d)
    M: Array  # mean products of Lie derivatives, (K, K)
    N: Array  # what they are measured against, (K, K)
    error: Array  # what the error of the fit adds to M, (K, K)

    def spectrum(self, span: Array | None = None) -> tuple[Array, Array]:
        """Eigenvalues and generators (k, d, d) of M - error relative to N, smallest first, within a span (k, d, d) if there is one."""
        basis = self.basis.reshape(len(self.basis), -1)
        rows = np.eye(len(basis)) if span is None else span.reshape(len(span), -1) @ basis.T
        sizes, vectors = np.linalg.eigh(rows @ self.N @ rows.T)
        acting = sizes > 1e-9 * max(float(sizes[-1]), 1e-300)
        white = (vectors[:, acting] / np.sqrt(sizes[acting])).T @ rows
        values, eigenvectors = np.linalg.eigh(white @ (self.M - self.error) @ white.T)
        return values, np.tensordot(eigenvectors.T @ white, self.basis, 1)

    def violation(self, span: Array) -> float:
        """The largest relative violation of a generator in a span (k, d, d), without what the fit's error explains."""
        values = self.spectrum(span)[0]
        return math.sqrt(max(0.0, float(values[-1]))) if len(values) else 0.0

    def uncertainty(self, span: Array) -> float:
        """The largest standard deviation of a Lie derivative in a span (k, d, d) by its typical size: from one on, rows say nothing."""
        return LieMatrix(self.basis, self.error, self.N, np.zeros_like(self.error)).violation(span)


def unit_matrices(d: int) -> Array:
    """All unit matrices of gl(d), (d^2, d, d)."""
    return np.eye(d * d).reshape(-1, d, d)


def lie_matrix(fitted: SmoothFit, rows: Rows) -> LieMatrix:
    """The forms of a fit, at its first rows."""
    basis, X = unit_matrices(rows.columns.dim), rows.X[:PROBED]
    n, D = X.shape
    speeds, D_out = np.einsum("kij,nj->kni", rows.input_rates(basis), X), rows.output_rates(basis)
    values, slopes = fitted.gradients(X)
    outputs = values @ fitted.weights
    jacobian = np.einsum("nmd,mq->nqd", slopes, fitted.weights, optimize=True)
    moved = np.einsum("kij,nj->kni", D_out, outputs)
    derivative = (moved - np.einsum("nqd,knd->knq", jacobian, speeds, optimize=True)).reshape(len(basis), -1)
    M = derivative @ derivative.T / n
    steepness = np.einsum("nqd,nqd->n", jacobian, jacobian) / D
    N = np.einsum("knd,n,lnd->kl", speeds, steepness, speeds, optimize=True) / n
    N += np.einsum("knq,lnq->kl", moved, moved) / n
    return LieMatrix(basis, M, N, _error(fitted, values, slopes, speeds, D_out))


def _error(fitted: SmoothFit, values: Array, slopes: Array, speeds: Array, D_out: Array) -> Array:
    """The mean of the posterior covariances of Lie derivatives, summed over outputs, (K, K)."""
    noise, n = fitted.noise, len(values)
    known = values @ fitted.root  # (n, m)
    tilted = np.einsum("nmd,mr->ndr", slopes, fitted.root, optimize=True)
    own = np.einsum("nr,nr->", known, known) / n
    mixed = np.einsum("nr,ndr,knd->k", known, tilted, speeds, optimize=True) / n
    inner = tilted @ tilted.transpose(0, 2, 1)  # (n, D, D)
    both = np.einsum("knd,nde,lne->kl", speeds, inner, speeds, optimize=True) / n
    diagonal = np.einsum("kqq,q->k", D_out, noise)
    cross = np.outer(diagonal, mixed)
    outer = own * np.einsum("kij,lij,j->kl", D_out, D_out, noise, optimize=True)
    return np.asarray(outer - cross - cross.T + float(noise.sum()) * both)
