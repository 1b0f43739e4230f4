r"""Invariants by one symmetric eigen-solve: small types of any group, noisy generators included.

The null space of all constraints together is the null space of :math:`\sum_i C_i^T C_i`, an n x n matrix. Its eigenvalues are squared
singular values, so those below 1e-8 drown in rounding; the candidates are therefore measured again on the constraints themselves.
"""

from __future__ import annotations

import numpy as np

from softsym.groups import Group
from softsym.reps import TensorType
from softsym.spaces.limits import Cost
from softsym.spaces.solution import DEFAULT_TOL, DenseBasis, Solution
from softsym.spaces.solvers.constraints import Constraint, constraints, residual
from softsym.spaces.solvers.solver import Applies, Solver
from softsym.typing import Array

MOST_COORDINATES = 2_000
MOST_WITH_TOLERANCE = 8_000


class Dense(Solver):
    """The null space of all constraints together; the only solver that takes a tolerance."""

    name = "dense"

    def applies(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Applies:
        """To everything, well to small types and wherever a tolerance is given."""
        n = tensor_type.size(group)
        if tol is not None and n > MOST_WITH_TOLERANCE:
            return Applies(
                "not",
                f"is too slow where {tensor_type} under {group.name} has {n} coordinates; a tolerance needs the whole spectrum, which "
                f"is computed up to {MOST_WITH_TOLERANCE} (pass exact generators without `tol`, or smaller representations)",
            )
        if tol is not None:
            return Applies("well", "a tolerance was given, which needs the whole spectrum")
        if n <= MOST_COORDINATES:
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
        return Solution(residual(equations, Q), below, above, self.name, basis=DenseBasis(Q))


def null_space(equations: list[Constraint], N: Array, tol: float) -> tuple[Array, float, float]:
    """The part of the space spanned by orthonormal columns N (n, m) on which all constraints vanish.

    Returns:
        The orthonormal basis (n, r), the largest singular value counted as zero, and the smallest counted as non-zero.
    """
    if not equations or not N.shape[1]:
        return N, 0.0, np.inf
    gram = sum((_gram(C(N)) for C in equations), np.zeros((N.shape[1], N.shape[1])))
    squares, vectors = np.linalg.eigh(gram)
    # Everything near zero is measured once more, on C N itself, where small singular values are exact.
    near = squares < max(tol * tol, 1e-12) * 1e4
    candidates = N @ vectors[:, near]
    _, values, rows = np.linalg.svd(np.concatenate([C(candidates) for C in equations]), full_matrices=False)
    values = np.concatenate([values, np.zeros(candidates.shape[1] - len(values))])
    zero = values <= tol
    rest = np.concatenate([values[~zero], np.sqrt(squares[~near])])
    Q = candidates @ rows[zero].T
    return (
        np.linalg.qr(Q)[0] if Q.shape[1] else Q,
        float(values[zero].max(initial=0.0)),
        float(rest.min(initial=np.inf)),
    )


def _gram(M: Array) -> Array:
    return np.asarray(M.T @ M)


SOLVER = Dense()
