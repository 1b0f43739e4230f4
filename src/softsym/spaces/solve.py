"""Equivariant spaces by the representations and the group: from memory, from disk, or solved."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence

from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.reps import Rep, TensorType
from softsym.reps import rep as read_rep
from softsym.spaces import cache
from softsym.spaces.layout import positions, words
from softsym.spaces.limits import check, check_axes, to_look_at
from softsym.spaces.packed import Packed, PackedBlock
from softsym.spaces.solution import Evidence, Solution, warn_if_unclear
from softsym.spaces.solvers import auto
from softsym.spaces.space import EquivariantSpace, route
from softsym.spaces.split import split
from softsym.typing import Index


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
        solver: ``auto``, ``orbits``, ``reynolds``, ``signs``, ``weights``, ``dense`` or ``iterative``.

    Example:
        >>> import softsym as ss
        >>> ss.equivariant_maps("5S + 5V", "T(2)", "O(2)@z").dim
        30
    """
    source, acting = read_rep(rep_in), read_group(group)
    source.size(acting)  # refuses what it cannot be, under the name that was given rather than its dual's
    return invariant_tensors((rep_out, source.dual), acting, tol=tol, solver=solver)


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
    axes, acting = tuple(read_rep(rep) for rep in factors), read_group(group)
    if not axes:
        raise InputError("a tensor has at least one axis; pass its representation")
    if tol is not None and not 0 < tol < 1:
        raise InputError(f"`tol` must lie between 0 and 1 (relative to each constraint's norm), got {tol}")
    space = _remembered(axes, acting, tol, solver, cache.current_folder())
    for name, evidence in space.evidence.items():  # every time, not only when the solution was computed
        warn_if_unclear(evidence, tol, f"{name} under {acting.name}")
    return space


def invariants_of_type(
    group: Group, tensor_type: TensorType, tol: float | None = None, solver: str = "auto"
) -> Solution:
    """A basis of the invariant vectors of one tensor type, in canonical form so that solutions are shared."""
    return _solution(group, tensor_type, tol, solver, cache.current_folder())


def forget() -> None:
    """Empties the memory of this process (not the disk), as a new process would find it."""
    for remembered in (_remembered, _solution, words, split):
        remembered.cache_clear()


# The folder is part of what is remembered, so that another one is filled too.
@functools.lru_cache(maxsize=128)
def _remembered(
    factors: tuple[Rep, ...], group: Group, tol: float | None, solver: str, folder: object
) -> EquivariantSpace:
    shape = tuple(rep.size(group) for rep in factors)
    asked = route(factors) if len(factors) > 1 else f"None -> {factors[0]}"
    path = cache.file_of(group, asked, tol, solver, "space")
    arrays = cache.read(path)
    if arrays is not None:
        return EquivariantSpace(factors, group, shape, *cache.space_from_arrays(arrays))
    size = math.prod(shape)
    check(f"{asked} under {group.name}", to_look_at(group, size))
    check_axes(
        f"{asked} under {group.name}", sum(max((kind.rank for _, kind in rep), default=0) for rep in factors)
    )
    packed, evidence = _solved(factors, group, tol, solver, size)
    if packed.index.size <= cache.LARGEST_SPACE:
        cache.write(path, cache.space_to_arrays(packed, evidence))
    return EquivariantSpace(factors, group, shape, packed, evidence)


@functools.lru_cache(maxsize=512)
def _solution(
    group: Group, tensor_type: TensorType, tol: float | None, solver: str, folder: object
) -> Solution:
    path = cache.file_of(group, tensor_type, tol, solver)
    arrays = cache.read(path)
    if arrays is not None:
        return cache.solution_from_arrays(arrays)
    solution = auto.solve(group, tensor_type, tol, solver)
    cache.write(path, cache.solution_to_arrays(solution))
    return solution


def _solved(
    factors: tuple[Rep, ...], group: Group, tol: float | None, solver: str, size: int
) -> tuple[Packed, dict[str, Evidence]]:
    """The blocks of a space with the evidence for each type, from the invariants of its types."""
    solutions: dict[TensorType, Solution] = {}

    def support(tensor_type: TensorType) -> Index:
        if tensor_type not in solutions:
            solutions[tensor_type] = invariants_of_type(group, tensor_type, tol, solver)
        return solutions[tensor_type].support

    places = positions(factors, (group,), support)
    blocks = tuple(PackedBlock(index, solutions[each].on_support) for each, index in places.items())
    return Packed(size, blocks), {str(each): solution.evidence for each, solution in solutions.items()}
