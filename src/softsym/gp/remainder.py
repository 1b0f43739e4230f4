r"""A second process next to equivariant features: what it explains that they do not.

With sums over rows of both kinds of features, the equivariant weights are integrated out, and the information about the remainder's weights
is the Schur complement

.. math:: S = K^T K - K^T \Phi (\Phi^T \Phi + \lambda)^{-1} \Phi^T K .

In its eigenbasis every prior variance of the remainder is profiled at no cost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import cho_factor, cho_solve

from softsym.gp.regression import Statistics
from softsym.typing import Array

ROUNDING = 1e-10
"""Least ridge relative to the sums of squared features, so that matrices stay positive."""


@dataclass(frozen=True, eq=False)
class Remainder:
    """The remainder given equivariant features: its own information and what it explains, in the eigenbasis of the former.

    Args:
        values: Eigenvalues of the information (m,).
        vectors: Its eigenvectors (m, m).
        along: What the outputs say along them (m, copies).
        left: Sums of squares that the equivariant features leave (copies,).
        count: Coordinates times rows.
    """

    values: Array
    vectors: Array
    along: Array
    left: Array
    count: int

    def profile(self, prior: float) -> tuple[float, float, Array]:
        """Log likelihood, ridge and noise (copies,) with a prior variance of the weights."""
        noise = self.left / self.count
        for _ in range(3):
            ridge = float(noise.mean()) / prior
            rest = self.left - (self.along**2 / (self.values + ridge)[:, None]).sum(0)
            noise = np.maximum(rest, 1e-13 * self.left + 1e-300) / self.count
        determinant = float(np.log1p(self.values / ridge).sum())
        return float(-0.5 * (self.count * np.log(noise) + determinant).sum()), ridge, noise

    def mean(self, ridge: float) -> Array:
        """Posterior means of the weights (m, copies)."""
        return np.asarray(self.vectors @ (self.along / (self.values + ridge)[:, None]))


@dataclass(frozen=True, eq=False)
class RemainderSums:
    """Statistics of equivariant features and of a remainder's, over some rows."""

    own: Statistics
    cross: Array
    scalar: Array
    b: Array

    def __add__(self, other: RemainderSums) -> RemainderSums:
        return RemainderSums(
            self.own + other.own, self.cross + other.cross, self.scalar + other.scalar, self.b + other.b
        )

    @classmethod
    def from_rows(cls, features: Array, K: Array, Y: Array, own: Statistics | None = None) -> RemainderSums:
        """Of features (n, q, m), those of the remainder (n, r) and outputs (n, q, copies); ``own`` are sums of the former, if known."""
        q, r = Y.shape[1], K.shape[1]
        cross = np.einsum("nqm,nr->mqr", features, K, optimize=True).reshape(-1, q * r)
        b = np.einsum("nr,nqc->qrc", K, Y, optimize=True).reshape(q * r, -1)
        return cls(own or Statistics.from_rows(features, Y), cross, K.T @ K, b)

    def remainder(self, ridge: float) -> tuple[Remainder, Array]:
        """The remainder given the equivariant part, and weights of that alone (m, copies)."""
        q = len(self.b) // len(self.scalar)
        ridge = max(ridge, ROUNDING * float(np.diag(self.own.A).max(initial=0.0)))
        factor = cho_factor(self.own.A + ridge * np.eye(len(self.own.A)))
        weights = cho_solve(factor, self.own.b)
        information = np.kron(np.eye(q), self.scalar) - self.cross.T @ cho_solve(factor, self.cross)
        values, vectors = np.linalg.eigh((information + information.T) / 2)
        along = vectors.T @ (self.b - self.cross.T @ weights)
        left = self.own.squares - (self.own.b * weights).sum(0)
        return Remainder(
            np.maximum(values, 0.0), vectors, along, np.maximum(left, 1e-300), self.own.count
        ), weights
