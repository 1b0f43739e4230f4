r"""Invariants of large types without any matrix of their size.

Random vectors are projected onto the null space of the constraints by conjugate gradients on :math:`\sum_i C_i^T C_i`, a block at
a time. Once a block holds more vectors than the null space has dimensions, it becomes rank-deficient and its column space is the answer.
"""

from __future__ import annotations

import numpy as np

from softsym.errors import InputError
from softsym.groups import Group
from softsym.reps import TensorType
from softsym.spaces.limits import Cost
from softsym.spaces.solution import DEFAULT_TOL, DenseBasis, Solution
from softsym.spaces.solvers.constraints import Constraint, constraints, residual
from softsym.spaces.solvers.dense import null_space
from softsym.spaces.solvers.solver import NO_TOLERANCE, Applies, Solver
from softsym.typing import Array

MAX_STEPS, USUAL_STEPS = 2_000, 200
FIRST_BLOCK = 16


class Iterative(Solver):
    """Doubles a block of projected random vectors until it spans the null space."""

    name = "iterative"

    def applies(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Applies:
        """To everything; the last resort."""
        if tol is not None:
            return NO_TOLERANCE
        return Applies("well", f"{tensor_type.size(group)} coordinates are too many for a dense solve")

    def cost(self, group: Group, tensor_type: TensorType) -> Cost:
        """A few hundred steps, in which every generator acts on a block of vectors."""
        n, generators = tensor_type.size(group), len(group.lie) + len(group.discrete)
        block = n * min(n, FIRST_BLOCK)
        return Cost(10 * block, USUAL_STEPS * 4 * generators * block * sum(tensor_type.shape(group)))

    def solve(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Solution:
        """Needs products with the generators only."""
        equations = constraints(group, tensor_type)
        n = tensor_type.size(group)
        rng = np.random.default_rng(0)
        Q = np.zeros((n, 0))
        width = min(n, FIRST_BLOCK)
        while True:
            fresh = rng.standard_normal((n, width))
            fresh -= Q @ (Q.T @ fresh)
            fresh = _project(equations, fresh, group, tensor_type)
            fresh -= Q @ (Q.T @ fresh)
            U, values, _ = np.linalg.svd(fresh, full_matrices=False)
            # A Gaussian block has singular values near sqrt(n); what lies far below is the error of the projection.
            kept = U[:, values > 1e-6 * np.sqrt(n)]
            Q = np.concatenate([Q, kept], axis=1)
            if kept.shape[1] < width or Q.shape[1] >= n:
                break
            width = min(2 * width, n - Q.shape[1])
        Q = np.linalg.qr(Q)[0] if Q.shape[1] else Q
        Q, below, above = null_space(equations, Q, DEFAULT_TOL)
        return Solution(residual(equations, Q), below, above, self.name, basis=DenseBasis(Q))


def _project(equations: list[Constraint], X: Array, group: Group, tensor_type: TensorType) -> Array:
    """X minus the part that the constraints see, by conjugate gradients on each column."""

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
        fresh = np.einsum("ij,ij->j", r, r)
        p = r + np.where(rr > target, fresh / np.maximum(rr, 1e-300), 0.0) * p
        rr = fresh
    raise InputError(
        f"the iterative solver did not converge on {tensor_type} under {group.name} in {MAX_STEPS} steps; pass solver='dense'"
    )


SOLVER = Iterative()
