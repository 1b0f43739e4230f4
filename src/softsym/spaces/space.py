r"""The space of equivariant linear maps between two representations.

A map :math:`W` is equivariant to :math:`G` iff :math:`\rho_{out}(g) W = W \rho_{in}(g)` for all :math:`g`, that is iff it is an invariant
vector of :math:`\rho_{out} \otimes \rho_{in}'`; vectors are tensors of one factor, and there may be more than two. An
:class:`EquivariantSpace` knows this subspace through one small basis per tensor type; its orthogonal projector costs as much memory as
W itself.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.reps import Rep, TensorType
from softsym.reps import rep as read_rep
from softsym.spaces.cache import current_folder, file_of, read, write
from softsym.spaces.invariants import forget as forget_invariants
from softsym.spaces.invariants import remembered_invariants
from softsym.spaces.layout import positions, words
from softsym.spaces.packed import Packed, PackedBlock
from softsym.spaces.solution import Evidence, Solution, warn_if_unclear
from softsym.spaces.split import split
from softsym.spaces.stored import LARGEST_SPACE, space_from_arrays, space_to_arrays

Array = NDArray[np.float64]


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

    def project(self, W: Any) -> Any:
        """The nearest equivariant map, P W.

        Args:
            W: Maps (..., n_out, n_in) or vectors (..., n_out): a NumPy array, or a torch tensor (differentiable).
        """
        W, flat = self._flatten(W)
        if isinstance(flat, np.ndarray):
            return self.packed.project(flat).reshape(W.shape)
        from softsym.spaces import autograd

        return autograd.project(flat, self.packed).reshape(W.shape)

    def residual(self, W: Any) -> Any:
        """What is not equivariant, W - P W."""
        W = _as_float(W, "W")
        return W - self.project(W)

    def distance(self, W: Any) -> Any:
        """Frobenius distance to the space, |W - P W|, shape (...)."""
        axes = tuple(range(-len(self.shape), 0))
        rest = self.residual(W)
        if isinstance(rest, np.ndarray):
            return np.sqrt((rest**2).sum(axes))
        import torch

        return torch.linalg.vector_norm(rest, dim=axes)  # its gradient at zero is zero, not NaN

    def coefficients(self, W: Any) -> Any:
        """Coordinates of P W in the basis, shape (..., dim)."""
        W, flat = self._flatten(W)
        batch = tuple(W.shape[: len(W.shape) - len(self.shape)])
        if isinstance(flat, np.ndarray):
            return self.packed.coefficients(flat).reshape(*batch, self.dim)
        from softsym.spaces import autograd

        return autograd.Coefficients.apply(flat, self.packed).reshape(*batch, self.dim)

    def combine(self, theta: Any) -> Any:
        """The equivariant map with coordinates theta (..., dim): the adjoint of :meth:`coefficients`."""
        theta = _as_float(theta, "theta")
        if tuple(theta.shape[-1:]) != (self.dim,):
            raise InputError(f"`theta` must have shape (..., {self.dim}), got {tuple(theta.shape)}")
        shape = (*theta.shape[:-1], *self.shape)
        flat = theta.reshape(-1, self.dim) if self.dim else theta.reshape(math.prod(theta.shape[:-1]), 0)
        if isinstance(theta, np.ndarray):
            return self.packed.combine(flat).reshape(shape)
        from softsym.spaces import autograd

        return autograd.Combine.apply(flat, self.packed).reshape(shape)

    def _flatten(self, W: Any) -> tuple[Any, Any]:
        """W checked, and flattened to (batch, size); whole numbers become floating-point ones."""
        W = _as_float(W, "W")
        if tuple(W.shape[-len(self.shape) :]) != self.shape:
            expected = ", ".join(map(str, self.shape))
            raise InputError(
                f"`W` must have shape (..., {expected}) for {_route(self.factors)} under {self.group.name}, "
                f"got {tuple(W.shape)}"
            )
        batch = math.prod(W.shape[: len(W.shape) - len(self.shape)])
        return W, W.reshape(batch, self.size)

    def __repr__(self) -> str:
        about = f"{_route(self.factors)} under {self.group.name}, dim {self.dim} of {self.size}"
        return f"EquivariantSpace({about})"


def equivariant_maps(
    rep_in: Rep | str,
    rep_out: Rep | str,
    group: Group | str,
    *,
    tol: float | None = None,
    solver: str = "auto",
) -> EquivariantSpace:
    """The linear maps from ``rep_in`` to ``rep_out`` that commute with a group.

    Args:
        rep_in: Representation of the input.
        rep_out: Representation of the output.
        group: The group.
        tol: Singular values up to this count as zero; pass it when generators are noisy or learned.
        solver: ``auto``, ``orbits``, ``reynolds``, ``weights``, ``dense`` or ``iterative``.

    Example:
        >>> import softsym as ss
        >>> ss.equivariant_maps("5S + 5V", "T(2)", "O(2)@z").dim
        30
    """
    return invariant_tensors((rep_out, read_rep(rep_in).dual), group, tol=tol, solver=solver)


def invariants(
    rep: Rep | str, group: Group | str, *, tol: float | None = None, solver: str = "auto"
) -> EquivariantSpace:
    """The vectors of a representation that a group leaves alone: the equivariant biases.

    Example:
        >>> import softsym as ss
        >>> ss.invariants("T(2)", "O(3)").dim
        1
    """
    return invariant_tensors((rep,), group, tol=tol, solver=solver)


def invariant_tensors(
    factors: Sequence[Rep | str], group: Group | str, *, tol: float | None = None, solver: str = "auto"
) -> EquivariantSpace:
    """The tensors that a group leaves alone, with one axis for each representation.

    Args:
        factors: The representation of each axis, those of inputs as duals.
        group: The group.
        tol: As for :func:`equivariant_maps`.
        solver: As for :func:`equivariant_maps`.

    Example:
        >>> import softsym as ss
        >>> ss.spaces.invariant_tensors(("V", "V'", "Grid(3,3)"), "C(4)").dim  # kernels of a convolution of vector fields
        10
    """
    read = tuple(read_rep(rep) for rep in factors)
    if not read:
        raise InputError("a tensor has at least one axis; pass its representation")
    return _space(read, read_group(group), _tolerance(tol), solver)


def forget() -> None:
    """Empties the memory of this process (not the disk), as a new process would find it."""
    _remembered.cache_clear()
    words.cache_clear()
    split.cache_clear()
    forget_invariants()


def _space(factors: tuple[Rep, ...], group: Group, tol: float | None, solver: str) -> EquivariantSpace:
    space = _remembered(factors, group, tol, solver, current_folder())
    for kind, evidence in space.evidence.items():  # every time, not only when the solution was computed
        warn_if_unclear(evidence, tol, f"{kind} under {group.name}")
    return space


@functools.lru_cache(maxsize=128)
def _remembered(
    factors: tuple[Rep, ...], group: Group, tol: float | None, solver: str, folder: object
) -> EquivariantSpace:
    shape = tuple(rep.size(group) for rep in factors)
    asked = _route(factors) if len(factors) > 1 else f"None -> {factors[0]}"
    path = file_of(group, asked, tol, solver, "space")
    arrays = None if path is None else read(path)
    if arrays is not None:
        return EquivariantSpace(factors, group, shape, *space_from_arrays(arrays))
    packed, evidence = _solved(factors, group, tol, solver, math.prod(shape))
    if path is not None and packed.index.size <= LARGEST_SPACE:
        write(path, space_to_arrays(packed, evidence))
    return EquivariantSpace(factors, group, shape, packed, evidence)


def _route(factors: tuple[Rep, ...]) -> str:
    """A tensor's text: where it leads (its first axis) and, if it has others, where it comes from."""
    target, *sources = factors
    origin = " (x) ".join(str(rep.dual) for rep in sources)
    return f"{origin} -> {target}" if sources else str(target)


def _solved(
    factors: tuple[Rep, ...], group: Group, tol: float | None, solver: str, size: int
) -> tuple[Packed, dict[str, Evidence]]:
    """The blocks of a space with the evidence for each type, from the invariants of its types."""
    solve = functools.partial(remembered_invariants, group, tol=tol, solver=solver)
    solutions: dict[TensorType, Solution] = {}

    def support(kind: TensorType) -> NDArray[np.int64]:
        if kind not in solutions:
            solutions[kind] = solve(kind)
        return solutions[kind].support

    found = positions(factors, (group,), support)
    blocks = tuple(PackedBlock(index, solutions[kind].on_support) for kind, index in found.items())
    return Packed(size, blocks), {str(kind): solution.evidence for kind, solution in solutions.items()}


def _as_float(values: Any, name: str) -> Any:
    """An array or tensor of floating-point numbers; lists and whole numbers are converted."""
    if type(values).__module__.partition(".")[0] == "torch":
        import torch

        if values.is_complex():
            raise InputError(f"`{name}` must be real, got {values.dtype}")
        return values if values.is_floating_point() else values.to(torch.get_default_dtype())
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise InputError(f"`{name}` must be an array of real numbers, got {array.dtype}")
    return array if array.dtype.kind == "f" else array.astype(np.float64)


def _tolerance(tol: float | None) -> float | None:
    if tol is not None and not 0 < tol < 1:
        raise InputError(f"`tol` must lie between 0 and 1 (relative to each constraint's norm), got {tol}")
    return tol
