r"""Invariant polynomials of an algebra.

A polynomial P(x, y), of a low degree in the inputs and at most linear in the outputs, is invariant iff its derivative along every generator
is zero everywhere. Without outputs these are the quantities that an invariant function may depend on; linear in y they are the products
:math:`\langle E_j(x), y \rangle` with equivariant polynomials E_j, which determine an equivariant function: y is equivariant iff
the products are invariant functions of x, and y lies in the span of the E_j.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from softsym.inference.propose.matrix_action import Action
from softsym.typing import Array

MOST_MONOMIALS = 400
ZERO = 1e-6


class Invariants(Protocol):
    """Functions of inputs."""

    def values(self, X: Array) -> Array:
        """Of rows (n, D): (n, functions)."""

    def slopes(self, X: Array) -> Array:
        """Derivatives by the inputs, (n, functions, D)."""


@dataclass(frozen=True, eq=False)
class Directions:
    """Inputs divided by their size, invariant under scalings.

    Args:
        columns: Those that are scaled.
    """

    columns: NDArray[np.intp]

    def values(self, X: Array) -> Array:
        """Of rows (n, D): (n, columns)."""
        moved = X[:, self.columns]
        return np.asarray(moved / np.sqrt(np.mean(moved**2, axis=1, keepdims=True)))

    def slopes(self, X: Array) -> Array:
        """Derivatives by the inputs, (n, columns, D)."""
        moved = X[:, self.columns]
        size = np.sqrt(np.mean(moved**2, axis=1))[:, None, None]
        out = np.zeros((*moved.shape, X.shape[1]))
        radial = np.einsum("ni,nj->nij", moved, moved) / (size**2 * moved.shape[1])
        out[:, :, self.columns] = (np.eye(moved.shape[1]) - radial) / size
        return out


@dataclass(frozen=True, eq=False)
class Polynomials:
    """Polynomials of one degree in x, times outputs if they are linear in y.

    Args:
        exponents: Which inputs are multiplied, (monomials, degree).
        coefficients: (polynomials, monomials), or (polynomials, monomials, q).
    """

    exponents: NDArray[np.intp]
    coefficients: Array

    def values(self, X: Array) -> Array:
        """Of rows (n, D): (n, polynomials), or (n, polynomials, q)."""
        return np.asarray(np.tensordot(_monomials(X, self.exponents), self.coefficients, ((1,), (1,))))

    def slopes(self, X: Array) -> Array:
        """Derivatives by the inputs, (n, polynomials, D), of polynomials without outputs."""
        return np.asarray(
            np.einsum("nmd,pm->npd", _gradients(X, self.exponents), self.coefficients, optimize=True)
        )

    def __len__(self) -> int:
        return len(self.coefficients)


@dataclass(frozen=True, eq=False)
class AtDirections:
    """Polynomials of inputs divided by their size, invariant under rotations and scalings together.

    Args:
        polynomials: Those invariant under rotations.
        directions: The inputs that are divided.
    """

    polynomials: Polynomials
    directions: Directions

    def values(self, X: Array) -> Array:
        """Of rows (n, D): (n, polynomials)."""
        return self.polynomials.values(self._divided(X))

    def slopes(self, X: Array) -> Array:
        """Derivatives by the inputs, (n, polynomials, D)."""
        inner = self.polynomials.slopes(self._divided(X))
        columns = self.directions.columns
        others = inner.copy()
        others[:, :, columns] = 0.0
        return np.asarray(others + inner[:, :, columns] @ self.directions.slopes(X))

    def _divided(self, X: Array) -> Array:
        divided = X.copy()
        divided[:, self.directions.columns] = self.directions.values(X)
        return divided


def invariant_polynomials(
    span: Array, source: Action, columns: NDArray[np.intp], degree: int, target: Action | None = None
) -> Polynomials:
    """All that an algebra (k, d, d) leaves alone, orthonormal.

    Args:
        span: The algebra.
        source: The input columns.
        columns: Those that move.
        degree: In the inputs.
        target: The output columns, for polynomials linear in them.

    Example:
        >>> import numpy as np, softsym as ss
        >>> from softsym.inference.propose.matrix_action import actions
        >>> source, target = actions(np.ones((9, 6)), np.ones((9, 3)), ss.rep("2V"), ss.rep("V"))
        >>> [len(invariant_polynomials(ss.SO(3).lie_algebra, source, np.arange(6), p, t)) for p, t in ((2, None), (1, target), (2, target))]
        [3, 2, 1]
    """
    chosen = list(itertools.combinations_with_replacement(columns.tolist(), degree))
    exponents = np.array(chosen, dtype=np.intp).reshape(len(chosen), degree)
    q = 1 if target is None else len(target.unit)
    unknowns = len(exponents) * q
    none = np.zeros((0, len(exponents))) if target is None else np.zeros((0, len(exponents), q))
    if unknowns > MOST_MONOMIALS or not unknowns:
        return Polynomials(exponents, none)
    rng = np.random.default_rng(0)
    n = unknowns + 20  # every row has its own generator and point: so many determine all unknowns
    X, A = (
        rng.standard_normal((n, len(source.unit))),
        np.tensordot(rng.standard_normal((n, len(span))), span, 1),
    )
    rates = source.rates(A)
    speeds = np.einsum("nij,nj->ni", rates, X)
    rows = np.einsum("nmd,nd->nm", _gradients(X, exponents), speeds)
    if target is not None:
        Y = rng.standard_normal((n, q))
        there = np.einsum("nij,nj->ni", target.rates(A), Y)
        values = _monomials(X, exponents)
        rows = (rows[:, :, None] * Y[:, None] + values[:, :, None] * there[:, None]).reshape(n, -1)
    scale = np.linalg.norm(rows, axis=0).max(initial=0.0)
    _, sizes, right = np.linalg.svd(rows / max(scale, 1e-300), full_matrices=False)
    kept = right[int(np.sum(sizes > ZERO)) :] if scale > 0 else np.eye(unknowns)
    return Polynomials(exponents, kept.reshape(len(kept), *none.shape[1:]))


def _monomials(X: Array, exponents: NDArray[np.intp]) -> Array:
    """(n, monomials)."""
    return np.asarray(X[:, exponents].prod(axis=2))


def _gradients(X: Array, exponents: NDArray[np.intp]) -> Array:
    """(n, monomials, D)."""
    out = np.zeros((len(X), len(exponents), X.shape[1]))
    rows = np.arange(len(exponents))
    for position in range(exponents.shape[1]):
        others = np.delete(exponents, position, axis=1)
        out[:, rows, exponents[:, position]] += X[:, others].prod(
            axis=2
        )  # each row once: nothing is added to twice
    return out
