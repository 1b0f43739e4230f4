r"""The space of equivariant linear maps between two representations.

A map :math:`W` is equivariant to :math:`G` iff :math:`\rho_{out}(g) W = W \rho_{in}(g)` for all :math:`g`, that is iff it is an invariant
vector of :math:`\rho_{out} \otimes \rho_{in}'`; vectors are tensors of one factor, and there may be more than two. An
:class:`EquivariantSpace` knows this subspace through one small basis per tensor type; its orthogonal projector costs as much memory as
W itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from softsym.errors import InputError
from softsym.groups import Group
from softsym.reps import Rep
from softsym.spaces.arrays import A, arrays_of
from softsym.spaces.packed import Packed
from softsym.spaces.solution import Evidence
from softsym.typing import Array


@dataclass(frozen=True, eq=False)
class EquivariantSpace:
    """Equivariant maps (or other invariant tensors) as a subspace, with its orthogonal projector.

    Args:
        factors: The representation of each axis: (rep_out, dual of rep_in) for maps, (rep,) for invariant vectors.
        group: The group.
        shape: Shape of a tensor: (n_out, n_in) for a map, (n,) for a vector. An axis may be seen as several.
        packed: The blocks with invariants and their small bases.
        evidence: How far to trust the basis of each tensor type that occurs, by the type's text.

    Example:
        >>> import numpy as np
        >>> import softsym as ss
        >>> space = ss.equivariant_maps("V", "V", "O(3)")
        >>> space.dim
        1
        >>> space.project(np.diag([1.0, 2.0, 3.0])).round(12)
        array([[2., 0., 0.],
               [0., 2., 0.],
               [0., 0., 2.]])
    """

    factors: tuple[Rep, ...]
    group: Group
    shape: tuple[int, ...]
    packed: Packed
    evidence: dict[str, Evidence]

    @property
    def dim(self) -> int:
        """Dimension of the space."""
        return self.packed.dim

    @property
    def size(self) -> int:
        """Number of entries of a map."""
        return math.prod(self.shape)

    @property
    def residual_bound(self) -> float:
        """The largest residual of any of the small bases (zero is exact)."""
        return max((evidence.residual for evidence in self.evidence.values()), default=0.0)

    def basis(self) -> Array:
        """A dense orthonormal basis (n_out * n_in, dim), each column a map flattened row by row.

        Costs dim times the memory of a map; everything else works without it.
        """
        return np.ascontiguousarray(self.packed.combine(np.eye(self.dim)).T)

    def project(self, W: A) -> A:
        """The nearest equivariant map, P W.

        Args:
            W: Maps (..., n_out, n_in) or vectors (..., n_out): a NumPy array, or a torch tensor (differentiable).
        """
        arrays = arrays_of(W)
        W = self._checked(arrays.as_float(W, "W"))
        return arrays.project(self.packed, self._flat(W)).reshape(W.shape)

    def residual(self, W: A) -> A:
        """What is not equivariant, W - P W."""
        W = arrays_of(W).as_float(W, "W")
        return W - self.project(W)

    def distance(self, W: A) -> Any:
        """Frobenius distance to the space, |W - P W|, shape (...)."""
        return arrays_of(W).norm(self.residual(W), tuple(range(-len(self.shape), 0)))

    def coefficients(self, W: A) -> A:
        """Coordinates of P W in the basis, shape (..., dim)."""
        arrays = arrays_of(W)
        W = self._checked(arrays.as_float(W, "W"))
        theta = arrays.coefficients(self.packed, self._flat(W))
        return theta.reshape(*self._batch(W), self.dim)

    def combine(self, theta: A) -> A:
        """The equivariant map with coordinates theta (..., dim): the adjoint of :meth:`coefficients`."""
        arrays = arrays_of(theta)
        theta = arrays.as_float(theta, "theta")
        if tuple(theta.shape[-1:]) != (self.dim,):
            raise InputError(f"`theta` must have shape (..., {self.dim}), got {tuple(theta.shape)}")
        batch = tuple(theta.shape[:-1])
        flat = arrays.combine(self.packed, theta.reshape(math.prod(batch), self.dim))
        return flat.reshape(*batch, *self.shape)

    def _checked(self, W: A) -> A:
        if tuple(W.shape[-len(self.shape) :]) != self.shape:
            expected = ", ".join(map(str, self.shape))
            raise InputError(
                f"`W` must have shape (..., {expected}) for {route(self.factors)} under {self.group.name}, got {tuple(W.shape)}"
            )
        return W

    def _batch(self, W: A) -> tuple[int, ...]:
        return tuple(W.shape[: len(W.shape) - len(self.shape)])

    def _flat(self, W: A) -> A:
        """W as (batch, size)."""
        return W.reshape(math.prod(self._batch(W)), self.size)

    def __repr__(self) -> str:
        return (
            f"EquivariantSpace({route(self.factors)} under {self.group.name}, dim {self.dim} of {self.size})"
        )


def route(factors: tuple[Rep, ...]) -> str:
    """A tensor's text: where it leads (its first axis) and, if it has others, where it comes from."""
    target, *sources = factors
    origin = " (x) ".join(str(rep.dual) for rep in sources)
    return f"{origin} -> {target}" if sources else str(target)
