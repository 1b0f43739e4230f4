"""Choosing a solver.

The decision list, first match wins:

1. ``orbits`` if every generator permutes the coordinates (a scalar's single one included): exact and fastest.
2. ``dense`` if a tolerance was given: noisy generators need the whole spectrum.
3. ``reynolds`` if the group has at most 256 elements: the rank is an exact character count.
4. ``weights`` if the Lie algebra has a normal element and its zero-weight space is of manageable size.
5. ``dense`` up to 2,000 coordinates.
6. ``iterative`` otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from softsym.errors import InputError
from softsym.groups import Group
from softsym.reps import TensorType
from softsym.spaces.solution import Solution
from softsym.spaces.solvers import dense, iterative, orbits, reynolds
from softsym.spaces.solvers import zero_weight as weights

DENSE_LIMIT = 2_000
TOLERANCE_LIMIT = 8_000
REYNOLDS_LIMIT = 256
WEIGHTS_LIMIT = 40_000_000  # numbers in the zero-weight basis: 320 MB

SOLVERS: dict[str, Callable[[Group, TensorType, float | None], Solution]] = {
    "orbits": lambda group, kind, tol: orbits.solve(group, kind),
    "reynolds": lambda group, kind, tol: reynolds.solve(group, kind),
    "weights": lambda group, kind, tol: weights.solve(group, kind),
    "dense": dense.solve,
    "iterative": lambda group, kind, tol: iterative.solve(group, kind),
}


@dataclass(frozen=True)
class Choice:
    """Which solver, and why."""

    solver: str
    reason: str


def choose(group: Group, kind: TensorType, tol: float | None = None) -> Choice:
    """The solver that ``auto`` takes for one tensor type, with its reason.

    Example:
        >>> import softsym as ss
        >>> from softsym.spaces.solvers.auto import choose
        >>> choose(ss.group("S(5)"), ss.rep("T(2)").terms[0][1])
        Choice(solver='orbits', reason='every generator permutes the coordinates')
    """
    n = kind.size(group)
    if kind.rank == 0:
        return Choice("orbits", "a scalar is invariant")
    if _permutes(group, kind):
        return Choice("orbits", "every generator permutes the coordinates")
    if tol is not None:
        if n > TOLERANCE_LIMIT:
            raise InputError(
                f"{kind} under {group.name} has {n} coordinates; a tolerance needs the whole spectrum, which is computed "
                f"up to {TOLERANCE_LIMIT} (pass exact generators without `tol`, or smaller representations)"
            )
        return Choice("dense", "a tolerance was given, which needs the whole spectrum")
    if group.is_finite and (group.order or 0) <= REYNOLDS_LIMIT:
        return Choice("reynolds", f"the group has only {group.order} elements")
    if weights.applies(group) and n * weights.start_size(group, kind) <= WEIGHTS_LIMIT:
        return Choice("weights", "the Lie algebra has a normal element whose zero-weight vectors are few")
    if n <= DENSE_LIMIT:
        return Choice("dense", f"only {n} coordinates")
    return Choice("iterative", f"{n} coordinates are too many for a dense solve")


def solve(group: Group, kind: TensorType, tol: float | None = None, solver: str = "auto") -> Solution:
    """Invariants of one tensor type by the named solver, or by the one that :func:`choose` picks."""
    if solver == "auto":
        choice = choose(group, kind, tol)
    elif solver in SOLVERS:
        _check_applicable(group, kind, tol, solver)
        choice = Choice(solver, "asked for") if kind.rank else choose(group, kind)
    else:
        raise InputError(f"unknown solver {solver!r}; pass one of auto, {', '.join(SOLVERS)}")
    return replace(SOLVERS[choice.solver](group, kind, tol), reason=choice.reason)


def _permutes(group: Group, kind: TensorType) -> bool:
    return not group.lie and kind.is_permutation(group)


def _check_applicable(group: Group, kind: TensorType, tol: float | None, solver: str) -> None:
    if solver == "orbits" and kind.rank and not _permutes(group, kind):
        raise InputError(
            f"solver 'orbits' needs a group that permutes coordinates; {group.name} on {kind} does not"
        )
    if solver == "reynolds" and not group.is_finite:
        raise InputError(f"solver 'reynolds' needs a finite group; {group.name} is not")
    if solver == "weights" and not weights.applies(group):
        raise InputError(f"solver 'weights' needs a normal Lie-algebra element; {group.name} has none")
    if tol is not None and solver != "dense":
        raise InputError(f"solver {solver!r} has no tolerance; pass solver='dense' with `tol`")
