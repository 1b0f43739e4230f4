r"""The space of equivariant linear maps between two representations: from memory, from disk, or solved.

A map :math:`W` is equivariant to :math:`G` iff :math:`\rho_{out}(g) W = W \rho_{in}(g)` for all :math:`g`, that is iff it is an invariant
vector of :math:`\rho_{out} \otimes \rho_{in}'`; vectors are tensors of one factor, and there may be more than two. An
:class:`EquivariantSpace` represents this subspace by one small basis per tensor type; its orthogonal projector costs as much memory as
W itself.
"""

from __future__ import annotations

import functools
import itertools
import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softsym.errors import InputError, UnclearNullSpaceWarning
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.limits import current_folder
from softsym.reps import Rep, TensorType
from softsym.reps import rep as read_rep
from softsym.spaces import cache
from softsym.spaces.block_types import block_types, positions, split_atom
from softsym.spaces.packed import A, Packed, PackedBlock, backend_of
from softsym.spaces.solution import DEFAULT_TOL, Evidence, Solution
from softsym.spaces.solvers import auto
from softsym.spaces.solvers.solver import check_axes, check_cost, setup_cost
from softsym.typing import Array, Index


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
        backend = backend_of(W)
        return backend.apply(self.packed, "project", self._flat(W)).reshape(np.shape(W))

    def residual(self, W: A) -> A:
        """The part of W that is not equivariant, W - P W."""
        W = backend_of(W).as_float(W, "W")
        return W - self.project(W)

    def distance(self, W: A) -> Any:
        """Frobenius distance to the space, |W - P W|, shape (...)."""
        return backend_of(W).norm(self.residual(W), tuple(range(-len(self.shape), 0)))

    def coefficients(self, W: A) -> A:
        """Coordinates of P W in the basis, shape (..., dim)."""
        theta = backend_of(W).apply(self.packed, "coefficients", self._flat(W))
        return theta.reshape(*np.shape(W)[: -len(self.shape)], self.dim)

    def combine(self, theta: A) -> A:
        """The equivariant map with coordinates theta (..., dim): the adjoint of :meth:`coefficients`."""
        backend = backend_of(theta)
        theta = backend.as_float(theta, "theta")
        if tuple(theta.shape[-1:]) != (self.dim,):
            raise InputError(f"`theta` must have shape (..., {self.dim}), got {tuple(theta.shape)}")
        batch = tuple(theta.shape[:-1])
        flat = backend.apply(self.packed, "combine", theta.reshape(math.prod(batch), self.dim))
        return flat.reshape(*batch, *self.shape)

    def _flat(self, W: A) -> A:
        """Maps (..., n_out, n_in) as rows (batch, size) of floating-point numbers."""
        W = backend_of(W).as_float(W, "W")
        if tuple(W.shape[-len(self.shape) :]) != self.shape:
            expected = ", ".join(map(str, self.shape))
            raise InputError(
                f"`W` must have shape (..., {expected}) for {format_map(self.factors)} under {self.group.name}, got {tuple(W.shape)}"
            )
        return W.reshape(math.prod(W.shape[: -len(self.shape)]), self.size)

    def __repr__(self) -> str:
        return f"EquivariantSpace({format_map(self.factors)} under {self.group.name}, dim {self.dim} of {self.size})"


def format_map(factors: tuple[Rep, ...]) -> str:
    """The text of a tensor: its first axis is the target, the others are sources."""
    target, *sources = factors
    origin = " (x) ".join(str(rep.dual) for rep in sources)
    return f"{origin} -> {target}" if sources else str(target)


def equivariant_maps(
    rep_in: Rep | str, rep_out: Rep | str, group: Group | str, *, tol: float | None = None, solver: str = "auto"
) -> EquivariantSpace:
    """The linear maps from ``rep_in`` to ``rep_out`` that commute with a group.

    Args:
        rep_in: Representation of the input.
        rep_out: Representation of the output.
        group: The group.
        tol: Singular values up to this count as zero; pass it when generators are noisy or learned.
        solver: ``auto``, ``orbits``, ``reynolds``, ``signs``, ``weights``, ``dense`` or ``iterative``.

    Example:
        >>> import softsym as ss
        >>> ss.equivariant_maps("5S + 5V", "T(2)", "O(2)@z").dim
        30
    """
    source, acting = read_rep(rep_in), read_group(group)
    source.size(acting)  # an error names the representation as given rather than its dual
    return invariant_tensors((rep_out, source.dual), acting, tol=tol, solver=solver)


def invariants(
    rep: Rep | str, group: Group | str, *, tol: float | None = None, solver: str = "auto"
) -> EquivariantSpace:
    """The vectors of a representation that are invariant under a group: the equivariant biases.

    Example:
        >>> import softsym as ss
        >>> ss.invariants("T(2)", "O(3)").dim
        1
    """
    return invariant_tensors((rep,), group, tol=tol, solver=solver)


def invariant_tensors(
    factors: Sequence[Rep | str], group: Group | str, *, tol: float | None = None, solver: str = "auto"
) -> EquivariantSpace:
    """The tensors that are invariant under a group, with one axis for each representation.

    ``factors`` are the representations of the axes, those of inputs as duals; other arguments as for :func:`equivariant_maps`.

    Example:
        >>> import softsym as ss
        >>> ss.spaces.invariant_tensors(("V", "V'", "Grid(3,3)"), "C(4)").dim  # kernels of a convolution of vector fields
        10
    """
    axes, acting = tuple(read_rep(rep) for rep in factors), read_group(group)
    if not axes:
        raise InputError("a tensor has at least one axis; pass its representation")
    if tol is not None and not 0 < tol < 1:
        raise InputError(f"`tol` must lie between 0 and 1 (relative to each constraint's norm), got {tol}")
    space = _cached_space(axes, acting, tol, solver, current_folder())
    for name, evidence in space.evidence.items():  # every time, not only when the solution was computed
        _warn_if_unclear(evidence, tol, f"{name} under {acting.name}")
    return space


def invariants_of_type(
    group: Group, tensor_type: TensorType, tol: float | None = None, solver: str = "auto"
) -> Solution:
    """A basis of the invariant vectors of one tensor type, in canonical form so that solutions are shared."""
    return _cached_solution(group, tensor_type, tol, solver, current_folder())


def forget() -> None:
    """Empties the cache of this process, not the one on disk."""
    for function in (_cached_space, _cached_solution, block_types, split_atom):
        function.cache_clear()


# The folder is part of the key, so that another folder is filled too.
@functools.lru_cache(maxsize=128)
def _cached_space(
    factors: tuple[Rep, ...], group: Group, tol: float | None, solver: str, folder: object
) -> EquivariantSpace:
    shape = tuple(rep.size(group) for rep in factors)
    question = format_map(factors) if len(factors) > 1 else f"None -> {factors[0]}"
    path = cache.entry_path(group, question, tol, solver, "space")
    arrays = cache.read(path)
    if arrays is not None:
        return EquivariantSpace(factors, group, shape, *cache.space_from_arrays(arrays))
    size = math.prod(shape)
    what = f"{question} under {group.name}"
    check_cost(what, setup_cost(group, size))
    check_axes(what, sum(max((kind.rank for _, kind in rep), default=0) for rep in factors))
    packed, evidence = _solve(factors, group, tol, solver, size)
    if packed.index.size <= cache.MAX_POSITIONS:
        cache.write(path, cache.space_to_arrays(packed, evidence))
    return EquivariantSpace(factors, group, shape, packed, evidence)


@functools.lru_cache(maxsize=512)
def _cached_solution(group: Group, tensor_type: TensorType, tol: float | None, solver: str, folder: object) -> Solution:
    path = cache.entry_path(group, tensor_type, tol, solver)
    arrays = cache.read(path)
    if arrays is not None:
        return cache.solution_from_arrays(arrays)
    solution = auto.solve(group, tensor_type, tol, solver)
    cache.write(path, cache.solution_to_arrays(solution))
    return solution


def _solve(
    factors: tuple[Rep, ...], group: Group, tol: float | None, solver: str, size: int
) -> tuple[Packed, dict[str, Evidence]]:
    """The blocks of a space with the evidence for each type, from the invariants of its types."""
    solutions: dict[TensorType, Solution] = {}

    def support(tensor_type: TensorType) -> Index:
        if tensor_type not in solutions:
            solutions[tensor_type] = invariants_of_type(group, tensor_type, tol, solver)
        return solutions[tensor_type].support

    for types in itertools.product(*({tensor_type for _, tensor_type in rep} for rep in factors)):
        for block in block_types(types, (group,)):  # whatever is too large is refused before anything is solved
            stored = cache.entry_path(group, block.type, tol, solver)
            if stored is None or not stored.exists():
                auto.check(group, block.type, tol, solver, announce=False)
    index_of = positions(factors, (group,), support)
    blocks = tuple(PackedBlock(index, solutions[tensor_type].on_support) for tensor_type, index in index_of.items())
    return Packed(size, blocks), {str(tensor_type): solution.evidence for tensor_type, solution in solutions.items()}


def _warn_if_unclear(evidence: Evidence, tol: float | None, what: str) -> None:
    """Warns where the spectrum does not separate the null space from the rest."""
    below, above = evidence.below, evidence.above
    threshold = DEFAULT_TOL if tol is None else tol
    is_near_threshold = above < 100 * threshold or below > threshold / 100
    if evidence.gap < 3 if tol is not None else is_near_threshold:
        message = (
            f"the null space of {what} is not clearly separated: largest singular value counted as zero {below:.1e}, smallest counted "
            f"as non-zero {above:.1e}, threshold {threshold:.1e}; if the generators are noisy, pass `tol` above their noise"
        )
        warnings.warn(message, UnclearNullSpaceWarning, stacklevel=4)
