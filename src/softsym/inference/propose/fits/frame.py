r"""The frame of an algebra: a regression on Lie derivatives.

Algebras of the kind of g nearby are its conjugates. If the target function has the symmetry in a frame off by
:math:`\theta = \sum_b \theta_b B_b`, with directions :math:`B_b` that move g at all (the complement of its normaliser), then the fit
f through the invariants of g leaves :math:`y - f = \sum_b \theta_b L_{B_b} f` and noise. So :math:`\theta` is a regression coefficient
with a covariance, by generalised least squares with the covariance of the Gaussian process: on the selection rows it leads to the
best frame, on the inference rows it bounds the error of the frame. Then A + :math:`[A, \theta]` is exact, and A
is violated by :math:`L_{[A, \theta]} f`. Where outputs are not scalars, all of this is about their invariant targets.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softsym.inference.propose.algebra.closure import orthonormal
from softsym.inference.propose.fits.invariant_fit import InvariantFit
from softsym.inference.propose.matrix_action import Action
from softsym.typing import Array

FURTHEST = 0.2
"""Largest step towards a better frame, as the size of a matrix."""
DIFFERENCE = 1e-4
"""Step of numerical derivatives along a matrix of size one."""
LEAST_INFORMATION = 1e-9
"""Information below this share of the largest is rounding."""
DRAWS = 4_000
"""Frames that are drawn for a bound; for levels below what they show, the largest of them counts."""


@dataclass(frozen=True, eq=False)
class Frame:
    """The estimated frame of an algebra.

    Args:
        span: The algebra (k, d, d).
        directions: Those that move it, (p, d, d).
        best: Theta, (p,).
        roots: Matrix (p, p) whose columns w_j give its covariance, sum_j w_j w_j'.
        M: Mean products of Lie derivatives along unit matrices, (K, K).
    """

    span: Array
    directions: Array
    best: Array
    roots: Array
    M: Array

    @classmethod
    def of(cls, fitted: InvariantFit, target: Action, basis: Array, X: Array, Y: Array, span: Array) -> Frame:
        """From rows (n, D) and (n, q), and a fit through the invariants of an algebra.

        Args:
            fitted: The fit through them.
            target: The output columns.
            basis: Unit matrices (K, d, d).
            X: Inputs.
            Y: Outputs.
            span: The algebra.
        """
        fitted, directions, flat = fitted.refined(X), moving(span), basis.reshape(len(basis), -1)
        derivatives = _derivatives(fitted, target, basis, X, Y)  # (K, n, m)
        M = derivatives.reshape(len(basis), -1) @ derivatives.reshape(len(basis), -1).T / len(X)
        if not len(directions):
            return cls(span, directions, np.zeros(0), np.zeros((0, 0)), M)
        along = np.tensordot(directions.reshape(len(directions), -1) @ flat.T, derivatives, 1)
        scale = fitted.fit.scale * fitted.fit.calibration
        white = along.transpose(2, 0, 1) @ fitted.fit.roots  # (m, p, n)
        values, vectors = np.linalg.eigh(np.einsum("mpn,mrn->pr", white, white) / scale)
        roots = vectors / np.sqrt(np.maximum(values, LEAST_INFORMATION * max(float(values[-1]), 1e-300)))
        best = roots @ (roots.T @ np.einsum("pnm,nm->p", along, fitted.fit.weights / scale))
        return cls(span, directions, best, roots, M)

    def transform_span(self) -> Array:
        """The algebra in the estimated frame, (k, d, d)."""
        if not len(self.best):
            return self.span
        theta = np.tensordot(self.best, self.directions, 1)
        theta = theta * min(1.0, FURTHEST / max(float(np.linalg.norm(theta)), 1e-300))
        M = np.eye(len(theta)) - theta
        return orthonormal(np.linalg.inv(M) @ self.span @ M)

    def bound(self, basis: Array, N: Array, level: float) -> float:
        """The largest violation of a generator by a frame that is off, too low with a chance of at most ``level``.

        Args:
            basis: Unit matrices (K, d, d).
            N: What violations are measured against, (K, K).
            level: The chance.
        """
        if not len(self.best):
            return 0.0
        theta = self.best + np.random.default_rng(0).standard_normal((DRAWS, len(self.best))) @ self.roots.T
        brackets = self.span[:, None] @ self.directions - self.directions @ self.span[:, None]
        k, p = brackets.shape[:2]
        flat = basis.reshape(len(basis), -1).T
        off = np.tensordot(
            theta, (brackets.reshape(k * p, -1) @ flat).reshape(k, p, -1), ((1,), (1,))
        )  # (m, k, K)
        squares = np.einsum("mka,ab,mlb->mkl", off, self.M, off, optimize=True)
        own = self.span.reshape(k, -1) @ flat
        root = np.linalg.cholesky(np.linalg.inv(own @ N @ own.T))
        violations = np.sqrt(np.linalg.eigvalsh(root.T @ squares @ root)[:, -1].clip(0.0))
        return float(np.quantile(violations, 1.0 - level))


def moving(span: Array) -> Array:
    """Directions (p, d, d) along which conjugation moves an algebra (k, d, d), orthonormal: the complement of its normaliser.

    Example:
        >>> import softsym as ss
        >>> [len(moving(group.lie_algebra)) for group in (ss.SO(3), ss.SO13p(), ss.SL(3))]
        [5, 9, 0]
    """
    d = span.shape[-1]
    span = orthonormal(span)
    units = np.eye(d * d).reshape(-1, d, d)
    brackets = span[:, None] @ units - units @ span[:, None]
    outside = brackets - np.einsum("kuij,lij,lmn->kumn", brackets, span, span)
    _, sizes, rows = np.linalg.svd(outside.transpose(0, 2, 3, 1).reshape(-1, d * d), full_matrices=False)
    return np.asarray(rows[sizes > 1e-6].reshape(-1, d, d))


def _derivatives(fitted: InvariantFit, target: Action, basis: Array, X: Array, Y: Array) -> Array:
    """L_A f of the fit through invariants for each unit matrix, scaled, (K, n, m)."""
    features, fit = fitted.features, fitted.fit
    slopes = np.einsum("nmf,nfd->nmd", fit.jacobian(features.values(X)), features.slopes(X), optimize=True)
    speeds = features.source.velocity(basis, X)
    still = -np.einsum("nmd,knd->knm", slopes, speeds / features.source.unit, optimize=True)
    if not target.moves(basis):
        return still
    outputs = target.velocity(basis, Y)
    differences = [
        fitted.invariant_targets.values(X + sign * DIFFERENCE * x, Y + sign * DIFFERENCE * y) * sign
        for x, y in zip(speeds, outputs, strict=True)
        for sign in (1, -1)
    ]
    of_targets = np.array(differences).reshape(len(basis), 2, *fitted.T.shape).sum(axis=1) / (2 * DIFFERENCE)
    return np.asarray(still + of_targets / fitted.target.unit)
