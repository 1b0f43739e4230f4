"""The result of a solver: a basis of the invariant vectors of one tensor type, and the evidence for it."""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from softsym.typing import Array, Index

DEFAULT_TOL = 1e-6


@dataclass(frozen=True, eq=False)
class OrbitBasis:
    """The basis of a permutation action: one normalised indicator vector for each orbit of coordinates."""

    labels: Index  # the orbit of each coordinate, shape (n,)

    @property
    def counts(self) -> Index:
        """Size of each orbit, shape (rank,)."""
        return np.bincount(self.labels)


Basis: TypeAlias = Array | OrbitBasis
"""Orthonormal columns (n, rank), or orbits."""


def rank_of(basis: Basis) -> int:
    """Number of basis vectors."""
    return int(basis.labels.max()) + 1 if isinstance(basis, OrbitBasis) else int(basis.shape[1])


def dense(basis: Basis) -> Array:
    """A basis as a matrix (n, rank)."""
    if not isinstance(basis, OrbitBasis):
        return basis
    Q = np.zeros((len(basis.labels), rank_of(basis)))
    Q[np.arange(len(Q)), basis.labels] = 1 / np.sqrt(basis.counts[basis.labels])
    return Q


@dataclass(frozen=True)
class Evidence:
    """How far to trust a basis.

    Args:
        residual: Largest norm of C_i q over generators and basis vectors, with every C_i scaled to norm at most one.
        below: Largest singular value counted as zero.
        above: Smallest singular value counted as non-zero; infinite if there is none, or if the solver needs no threshold.
        method: Which solver found it.
        reason: Why that solver was chosen.
    """

    residual: float
    below: float
    above: float
    method: str
    reason: str = ""

    @property
    def gap(self) -> float:
        """How clearly the spectrum separates zero from non-zero: above / below."""
        return self.above / max(self.below, 1e-16)


@dataclass(frozen=True)
class Solution(Evidence):
    """A basis of the invariant vectors of one tensor type, and the evidence for it."""

    basis: Basis = field(kw_only=True)

    @property
    def evidence(self) -> Evidence:
        """The evidence alone, without keeping the basis in memory."""
        return Evidence(self.residual, self.below, self.above, self.method, self.reason)

    @property
    def rank(self) -> int:
        """Dimension of the invariant space."""
        return rank_of(self.basis)

    @functools.cached_property
    def support(self) -> Index:
        """Coordinates on which some invariant vector is not zero; the projector clears the others."""
        if isinstance(self.basis, OrbitBasis):
            return np.arange(len(self.basis.labels))
        return np.flatnonzero(np.abs(self.basis).max(axis=1, initial=0.0) > 1e-13)

    @functools.cached_property
    def on_support(self) -> Basis:
        """The basis restricted to its support: columns (len(support), rank), or orbits."""
        if isinstance(self.basis, OrbitBasis):
            return self.basis
        if self.rank == len(self.support):  # every vector is invariant: take the standard basis
            return np.eye(self.rank)
        return self.basis[self.support]
