"""Choosing a solver.

``auto`` asks the solvers in the order of :data:`SOLVERS` and takes the first that applies well. In words:

1. ``orbits`` if every generator permutes the coordinates (a scalar's single one included): exact and fastest.
2. ``reynolds`` if the group has at most 256 elements: the rank is an exact character count.
3. ``signs`` beyond 2,000 coordinates, if the group has a Lie algebra and signed permutations, such as rotations by 90 degrees.
4. ``weights`` if the Lie algebra has a normal element and its zero-weight space is of manageable size.
5. ``dense`` up to 2,000 coordinates.
6. ``iterative`` otherwise.

A solve that would take too much memory or time is refused before anything is allocated (:func:`softsym.spaces.at_most` raises the
limit).
Where a tolerance was given, only ``orbits`` (which needs none) and ``dense`` apply: noisy generators need the whole spectrum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from softsym.errors import InputError
from softsym.groups import Group
from softsym.registry import Registry
from softsym.reps import TensorType
from softsym.spaces.solution import Solution
from softsym.spaces.solvers.solver import NO_TOLERANCE, Solver, check_axes, check_cost, setup_cost

SOLVERS: Registry[Solver] = Registry(
    "solver",
    {
        "orbits": "softsym.spaces.solvers.orbits:ORBITS",
        "reynolds": "softsym.spaces.solvers.reynolds:REYNOLDS",
        "signs": "softsym.spaces.solvers.orbits:SIGNS",
        "weights": "softsym.spaces.solvers.zero_weight:WEIGHTS",
        "dense": "softsym.spaces.solvers.null_space:DENSE",
        "iterative": "softsym.spaces.solvers.null_space:ITERATIVE",
    },
)
"""The solvers in the order of preference."""


@dataclass(frozen=True)
class Choice:
    """Which solver, and why."""

    solver: str
    reason: str


def choose(group: Group, tensor_type: TensorType, tol: float | None = None, solver: str = "auto") -> Choice:
    """The solver for one tensor type, with its reason.

    Args:
        group: The group.
        tensor_type: The tensor type.
        tol: Singular values up to this count as zero; None for exact generators.
        solver: ``auto``, or the name of a solver, which is refused where it does not apply.

    Example:
        >>> import softsym as ss
        >>> from softsym.spaces.solvers.auto import choose
        >>> choose(ss.group("S(5)"), ss.rep("T(2)").terms[0][1])
        Choice(solver='orbits', reason='every generator permutes the coordinates')
    """
    if solver != "auto" and solver not in SOLVERS:
        raise InputError(f"unknown solver {solver!r}; pass one of auto, {', '.join(SOLVERS)}")
    if tensor_type.rank == 0:
        return Choice("orbits", "a scalar is invariant")
    if solver != "auto":
        answer = SOLVERS[solver].applies(group, tensor_type, tol)
        if answer.how == "not":
            raise InputError(f"solver {solver!r} {answer.why}")
        return Choice(solver, "asked for")
    refusals = []
    for name in SOLVERS:
        answer = SOLVERS[name].applies(group, tensor_type, tol)
        if answer.how == "well":
            return Choice(name, answer.why)
        if answer is not NO_TOLERANCE:
            refusals.append(f"{name} {answer.why}")
    raise InputError(f"no solver applies to {tensor_type} under {group.name}: {'; '.join(refusals)}")


def check(
    group: Group, tensor_type: TensorType, tol: float | None = None, solver: str = "auto", *, announce: bool = True
) -> Choice:
    """The choice of a solver, after checking that it takes no more memory and time than allowed; a long time is announced."""
    what = f"{tensor_type} under {group.name}"
    check_cost(what, setup_cost(group, tensor_type.size(group)), announce=announce)
    check_axes(what, tensor_type.rank)
    choice = choose(group, tensor_type, tol, solver)
    if tensor_type.rank:
        cost = SOLVERS[choice.solver].cost(group, tensor_type)
        check_cost(f"{what} (solver {choice.solver})", cost, announce=announce)
    return choice


def solve(group: Group, tensor_type: TensorType, tol: float | None = None, solver: str = "auto") -> Solution:
    """Invariants of one tensor type by the named solver, or by the one that :func:`choose` picks."""
    choice = check(group, tensor_type, tol, solver)
    solution = SOLVERS[choice.solver].solve(group, tensor_type, tol)
    return replace(solution, reason=choice.reason)
