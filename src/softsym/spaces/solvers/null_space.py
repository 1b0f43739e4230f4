r"""Invariants as the null space of the constraints of all generators.

``dense`` finds it by one symmetric eigen-solve of :math:`\sum_i C_i^T C_i`, an n x n matrix, for small types of any group, noisy
generators included. Its eigenvalues are squared singular values, so those below 1e-8 drown in rounding; the candidates are therefore
measured again on the constraints themselves.

``iterative`` needs no matrix of the type's size: conjugate gradients on the same operator project random vectors onto the null space, a
block at a time. Once a block has more vectors than the null space has dimensions, it is rank-deficient and its column space is the
answer.
"""

from __future__ import annotations

import numpy as np

from softsym.errors import ConvergenceError
from softsym.groups import Group
from softsym.reps import TensorType
from softsym.spaces.solution import DEFAULT_TOL, Solution
from softsym.spaces.solvers.solver import NO_TOLERANCE, Applies, Constraint, Cost, Solver, constraints, residual
from softsym.typing import Array

MAX_DENSE_SIZE = 2_000
MAX_DENSE_SIZE_WITH_TOLERANCE = 8_000
MAX_STEPS, USUAL_STEPS = 2_000, 200
FIRST_BLOCK = 16


class Dense(Solver):
    """The null space of all constraints together; the only solver that takes a tolerance."""

    name = "dense"

    def applies(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Applies:
        n = tensor_type.size(group)
        if tol is not None and n > MAX_DENSE_SIZE_WITH_TOLERANCE:
            return Applies(
                "not",
                f"is too slow where {tensor_type} under {group.name} has {n} coordinates; a tolerance needs the whole spectrum, which "
                f"is computed up to {MAX_DENSE_SIZE_WITH_TOLERANCE} (pass exact generators without `tol`, or smaller representations)",
            )
        if tol is not None:
            return Applies("well", "a tolerance was given, which needs the whole spectrum")
        if n <= MAX_DENSE_SIZE:
            return Applies("well", f"only {n} coordinates")
        return Applies("if asked", f"is slow for {n} coordinates")

    def cost(self, group: Group, tensor_type: TensorType) -> Cost:
        """One eigen-solve, and every generator on all coordinates."""
        n, generators = tensor_type.size(group), len(group.lie) + len(group.discrete)
        return Cost(5 * n**2, generators * (n**2 * sum(tensor_type.shape(group)) + n**3 / 4) + 10 * n**3)

    def solve(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Solution:
        """One eigen-solve of the tensor type's size."""
        equations = constraints(group, tensor_type)
        everything = np.eye(tensor_type.size(group))
        Q, below, above = null_space(equations, everything, DEFAULT_TOL if tol is None else tol)
        return Solution(residual(equations, Q), below, above, self.name, basis=Q)


def null_space(equations: list[Constraint], N: Array, tol: float) -> tuple[Array, float, float]:
    """The part of the space spanned by orthonormal columns N (n, m) on which all constraints vanish.

    Its orthonormal basis (n, r), the largest singular value counted as zero, and the smallest counted as non-zero.
    """
    if not equations or not N.shape[1]:
        return N, 0.0, np.inf
    gram = sum((CN.T @ CN for CN in (C(N) for C in equations)), np.zeros((N.shape[1], N.shape[1])))
    squares, vectors = np.linalg.eigh(gram)
    # Everything near zero is measured once more, on C N itself, where small singular values are exact.
    near = squares < max(tol * tol, 1e-12) * 1e4
    candidates = N @ vectors[:, near]
    _, values, rows = np.linalg.svd(np.concatenate([C(candidates) for C in equations]), full_matrices=False)
    values = np.concatenate([values, np.zeros(candidates.shape[1] - len(values))])
    zero = values <= tol
    rest = np.concatenate([values[~zero], np.sqrt(squares[~near])])
    Q = candidates @ rows[zero].T
    Q = np.linalg.qr(Q)[0] if Q.shape[1] else Q
    return Q, float(values[zero].max(initial=0.0)), float(rest.min(initial=np.inf))


class Iterative(Solver):
    """A block of projected random vectors that spans the null space."""

    name = "iterative"

    def applies(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Applies:
        if tol is not None:
            return NO_TOLERANCE
        return Applies("well", f"{tensor_type.size(group)} coordinates are too many for a dense solve")

    def cost(self, group: Group, tensor_type: TensorType) -> Cost:
        """A few hundred steps, in which every generator acts on a block of vectors."""
        n, generators = tensor_type.size(group), len(group.lie) + len(group.discrete)
        block = n * min(n, FIRST_BLOCK)
        return Cost(10 * block, USUAL_STEPS * 4 * generators * block * sum(tensor_type.shape(group)))

    def solve(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Solution:
        """Doubles the block until the null space is found."""
        equations = constraints(group, tensor_type)
        n = tensor_type.size(group)
        rng = np.random.default_rng(0)
        Q = np.zeros((n, 0))
        width = min(n, FIRST_BLOCK)
        while True:
            block = rng.standard_normal((n, width))
            block -= Q @ (Q.T @ block)
            block = _project(equations, block, group, tensor_type)
            block -= Q @ (Q.T @ block)
            U, values, _ = np.linalg.svd(block, full_matrices=False)
            # A Gaussian block has singular values near sqrt(n); values far below are errors of the projection.
            new = U[:, values > 1e-6 * np.sqrt(n)]
            Q = np.concatenate([Q, new], axis=1)
            if new.shape[1] < width or Q.shape[1] >= n:
                break
            width = min(2 * width, n - Q.shape[1])
        Q = np.linalg.qr(Q)[0] if Q.shape[1] else Q
        Q, below, above = null_space(equations, Q, DEFAULT_TOL)
        return Solution(residual(equations, Q), below, above, self.name, basis=Q)


def _project(equations: list[Constraint], X: Array, group: Group, tensor_type: TensorType) -> Array:
    """The columns of X projected onto the null space of the constraints, by conjugate gradients."""

    def normal(V: Array) -> Array:
        return sum((C.adjoint(C(V)) for C in equations), np.zeros_like(V))

    X = X.copy()
    r = -normal(X)
    p, rr = r.copy(), np.einsum("ij,ij->j", r, r)
    target = 1e-28 * np.einsum("ij,ij->j", X, X)
    for _ in range(MAX_STEPS):
        if (rr <= target).all():
            return X
        Mp = normal(p)
        step = np.where(rr > target, rr / np.maximum(np.einsum("ij,ij->j", p, Mp), 1e-300), 0.0)
        X += step * p
        r -= step * Mp
        rr_new = np.einsum("ij,ij->j", r, r)
        p = r + np.where(rr > target, rr_new / np.maximum(rr, 1e-300), 0.0) * p
        rr = rr_new
    raise ConvergenceError(
        f"the iterative solver did not converge on {tensor_type} under {group.name} in {MAX_STEPS} steps; pass solver='dense'"
    )


DENSE = Dense()
ITERATIVE = Iterative()
