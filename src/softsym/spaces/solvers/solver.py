r"""The base class of solvers, the constraints they solve, and estimates of their cost.

A vector :math:`v` of a tensor type is invariant iff :math:`C_i v = 0` for every generator, with :math:`C_i = d\rho(A_i)` for the
algebra and :math:`C_j = \rho(h_j) - 1` for discrete generators. Both are applied index by index: no matrix of the tensor's size is built.

A solver is one object. A new one is an object of this class and a line in the table of :mod:`~softsym.spaces.solvers.auto`, where its
place is its priority. Its cost, to an order of magnitude, is compared with a limit before anything is allocated, so that a solve that
would fill the memory or never end is refused by name.
"""

from __future__ import annotations

import math
import warnings
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np

from softsym.errors import InputError, SlowSolveWarning
from softsym.groups import Group
from softsym.limits import limit
from softsym.reps import TensorType
from softsym.reps.atoms import discrete_elements, lie_elements
from softsym.spaces.solution import Solution
from softsym.typing import Array

OPERATIONS_PER_SECOND = 1e9  # of one core, at least
SLOW_SECONDS = 60.0  # longer solves are announced by a warning
MAX_AXES = 31  # tensor indices that an array of any NumPy version has, next to one for a batch


@dataclass(frozen=True)
class Applies:
    """Whether a solver applies to a tensor type, and why."""

    how: Literal["well", "if asked", "not"]
    """``well`` if it is a good choice, ``if asked`` if it works but should be asked for by name, ``not`` if it cannot."""
    why: str  # the reason for the one, or against the other


class Solver(ABC):
    """Finds the invariants of one tensor type."""

    name: str
    """The value of the argument ``solver``; solutions and stored files refer to it."""

    @abstractmethod
    def applies(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Applies:
        """Whether it can solve a tensor type under a group, and whether it should; much faster than solving.

        Args:
            group: The group.
            tensor_type: The type, with at least one index.
            tol: Singular values up to this are to count as zero; None for exact generators.
        """

    @abstractmethod
    def cost(self, group: Group, tensor_type: TensorType) -> Cost:
        """The cost of :meth:`solve` to an order of magnitude; itself cheap, and called only where it :meth:`applies`."""

    @abstractmethod
    def solve(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Solution:
        """An orthonormal basis of the invariants, with its evidence; called only where it :meth:`applies`."""


NO_TOLERANCE = Applies("not", "has no tolerance; pass solver='dense' with `tol`")
"""The answer of solvers that find exact invariants only."""


@dataclass(frozen=True)
class Constraint:
    """One generator's constraint on a tensor type."""

    shape: tuple[int, ...]  # size of each tensor index
    factors: tuple[Array, ...]  # the generator's matrix on each index
    additive: bool
    """True for an algebra generator (Kronecker sum), False for a discrete one (Kronecker product minus one)."""

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
                    out += multiply_axis(matrix, tensor, axis)
        else:
            out = tensor
            for axis, matrix in enumerate(factors):
                out = multiply_axis(matrix, out, axis)
            out = out - tensor
        return out.reshape(X.shape) / self.scale


def constraints(group: Group, tensor_type: TensorType) -> list[Constraint]:
    """The constraints of all generators of a group on a tensor type."""
    shape = tensor_type.shape(group)
    lie = [tuple(atom.drho(group, A) for atom in tensor_type.atoms) for A in lie_elements(group)]
    discrete = [tuple(atom.rho(group, h) for atom in tensor_type.atoms) for h in discrete_elements(group)]
    acting = [factors for factors in lie if any(matrix.any() for matrix in factors)]
    return [
        *(Constraint(shape, factors, additive=True) for factors in acting),
        *(Constraint(shape, factors, additive=False) for factors in discrete),
    ]


def residual(equations: list[Constraint], Q: Array) -> float:
    """The largest column norm of C_i Q over all constraints, each scaled to norm at most one."""
    if not Q.shape[1]:
        return 0.0
    return max((float(np.linalg.norm(C(Q), axis=0).max()) for C in equations), default=0.0)


def multiply_axis(matrix: Array, tensor: Array, axis: int) -> Array:
    """Multiplies one axis of a tensor by a matrix."""
    n = tensor.shape[axis]
    before = math.prod(tensor.shape[:axis])
    return np.matmul(matrix, tensor.reshape(before, n, -1)).reshape(tensor.shape)


@dataclass(frozen=True)
class Cost:
    """Memory and operations of a computation."""

    numbers: float  # how many numbers of eight bytes are held at once
    operations: float  # how many of them are multiplied or added

    @property
    def gigabytes(self) -> float:
        """Memory, as numbers of eight bytes."""
        return 8 * self.numbers / 1e9

    @property
    def seconds(self) -> float:
        """Time on one core, at :data:`OPERATIONS_PER_SECOND`."""
        return self.operations / OPERATIONS_PER_SECOND

    def __str__(self) -> str:
        return f"about {_format_number(self.gigabytes)} GB and {_format_time(self.seconds)}"


def setup_cost(group: Group, size: int) -> Cost:
    """The cost of reading all generators, and of going through so many coordinates once."""
    generators = len(group.lie) + len(group.discrete)
    entries = generators * group.dim**2
    return Cost(4 * size + 14 * entries, 50 * size + 10 * generators * entries)


def check_axes(what: str, rank: int) -> None:
    """Refuses tensors of more indices than an array has, however small they are."""
    if rank > MAX_AXES:
        raise InputError(f"{what} has {rank} tensor indices; at most {MAX_AXES} can be computed with")


def check_cost(what: str, cost: Cost, *, announce: bool = True) -> None:
    """Refuses a computation that would exceed the limit, and warns of a slow one, by its description."""
    most = limit()
    if cost.gigabytes > most.gigabytes or cost.seconds > 60 * most.minutes:
        raise InputError(
            f"{what} would take {cost}, more than the limit of {most.gigabytes:g} GB and {most.minutes:g} min; "
            "pass smaller representations, or allow it: with softsym.spaces.at_most(gigabytes=..., minutes=...)"
        )
    if announce and cost.seconds > SLOW_SECONDS:
        warnings.warn(f"{what} will take {cost}", SlowSolveWarning, stacklevel=2)


def _format_number(value: float) -> str:
    return f"{value:.2g}" if value < 1e3 else f"{value:.0e}"


def _format_time(seconds: float) -> str:
    units = ((1.0, 100, "s"), (60.0, 100, "min"), (3600.0, 50, "h"), (86400.0, 400, "days"))
    for size, most, name in units:
        if seconds / size < most:
            return f"{seconds / size:.2g} {name}"
    return f"{_format_number(seconds / 3.15e7)} years"
