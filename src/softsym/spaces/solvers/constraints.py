r"""The linear constraints that invariance puts on one tensor type.

A vector :math:`v` of a tensor type is invariant iff :math:`C_i v = 0` for every generator, with :math:`C_i = d\rho(A_i)` for the
algebra and :math:`C_j = \rho(h_j) - 1` for discrete generators. Both are applied index by index: no matrix of the tensor's size is built.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from softsym.groups import Group
from softsym.reps import TensorType
from softsym.reps.atoms import discrete_elements, lie_elements
from softsym.typing import Array


@dataclass(frozen=True)
class Constraint:
    """One generator's constraint on a tensor type.

    Args:
        shape: Size of each tensor index.
        factors: The generator's matrix on each index.
        additive: True for an algebra generator (Kronecker sum), False for a discrete one (Kronecker product minus one).
    """

    shape: tuple[int, ...]
    factors: tuple[Array, ...]
    additive: bool

    @property
    def scale(self) -> float:
        """An upper bound of the operator norm, at least one, that makes residuals comparable."""
        norms = [float(np.linalg.norm(matrix, 2)) for matrix in self.factors]
        return max(1.0, sum(norms) if self.additive else math.prod(norms) + 1)

    def __call__(self, X: Array) -> Array:
        """C X / scale for a block of vectors X (n, m)."""
        return self._apply(X, self.factors)

    def adjoint(self, Y: Array) -> Array:
        """C^T Y / scale for a block of vectors Y (n, m)."""
        return self._apply(Y, tuple(matrix.T for matrix in self.factors))

    def _apply(self, X: Array, factors: tuple[Array, ...]) -> Array:
        tensor = X.reshape(*self.shape, X.shape[1])
        if self.additive:
            out = np.zeros_like(tensor)
            for axis, matrix in enumerate(factors):
                if matrix.any():
                    out += _along(matrix, tensor, axis)
        else:
            out = tensor
            for axis, matrix in enumerate(factors):
                out = _along(matrix, out, axis)
            out = out - tensor
        return out.reshape(X.shape) / self.scale


def constraints(group: Group, tensor_type: TensorType) -> list[Constraint]:
    """The constraints of all generators of a group on a tensor type."""
    shape = tensor_type.shape(group)
    lie = [tuple(atom.drho(group, A) for atom in tensor_type.atoms) for A in lie_elements(group)]
    discrete = [tuple(atom.rho(group, h) for atom in tensor_type.atoms) for h in discrete_elements(group)]
    moving = [factors for factors in lie if any(matrix.any() for matrix in factors)]
    return [
        *(Constraint(shape, factors, additive=True) for factors in moving),
        *(Constraint(shape, factors, additive=False) for factors in discrete),
    ]


def residual(equations: list[Constraint], Q: Array) -> float:
    """The largest column norm of C_i Q over all constraints, each scaled to norm at most one."""
    if not Q.shape[1]:
        return 0.0
    return max((float(np.linalg.norm(C(Q), axis=0).max()) for C in equations), default=0.0)


def _along(matrix: Array, tensor: Array, axis: int) -> Array:
    """Multiplies one axis of a tensor by a matrix."""
    n = tensor.shape[axis]
    before = math.prod(tensor.shape[:axis])
    return np.matmul(matrix, tensor.reshape(before, n, -1)).reshape(tensor.shape)
