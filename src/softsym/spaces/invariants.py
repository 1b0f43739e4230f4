"""Invariants of one tensor type: from memory, from disk, or solved."""

from __future__ import annotations

import functools

from softsym.groups import Group
from softsym.reps import TensorType
from softsym.spaces import cache
from softsym.spaces.solution import Solution, warn_if_unclear
from softsym.spaces.solvers import auto
from softsym.spaces.stored import solution_from_arrays, solution_to_arrays


def invariants_of_type(
    group: Group, kind: TensorType, tol: float | None = None, solver: str = "auto"
) -> Solution:
    """A basis of the invariant vectors of a tensor type, with its evidence.

    Args:
        group: The group.
        kind: The tensor type, in canonical form if solutions are to be shared.
        tol: Singular values up to this (relative to each constraint's norm) count as zero.
        solver: ``auto`` or the name of a solver.
    """
    found = remembered_invariants(group, kind, tol, solver)
    warn_if_unclear(found, tol, f"{kind} under {group.name}")
    return found


def remembered_invariants(
    group: Group, kind: TensorType, tol: float | None = None, solver: str = "auto"
) -> Solution:
    """:func:`invariants_of_type` without its warning, for callers that warn themselves."""
    return _remembered(group, kind, tol, solver, cache.current_folder())


def forget() -> None:
    """Empties the memory of this process (not the disk), as a new process would find it."""
    _remembered.cache_clear()


@functools.lru_cache(maxsize=512)
def _remembered(group: Group, kind: TensorType, tol: float | None, solver: str, folder: object) -> Solution:
    path = cache.file_of(group, kind, tol, solver)
    if path is None:
        return auto.solve(group, kind, tol, solver)
    arrays = cache.read(path)
    if arrays is not None:
        return solution_from_arrays(arrays)
    found = auto.solve(group, kind, tol, solver)
    cache.write(path, solution_to_arrays(found))
    return found
