"""Groups that act on vectors and on equal particles, as candidates of one question.

A table of ``2x(V) + 5x(S + V)`` has the direct product of a group of space, of permutations of two and of permutations of five as its
largest group. Groups of fewer factors are multiplied by trivial ones: O(3) by Trivial(2) * Trivial(5), S(5) by Trivial(3) * Trivial(2).
"""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Sequence
from dataclasses import replace

from softsym.errors import InputError
from softsym.groups import Group, Trivial
from softsym.groups import group as read_group
from softsym.reps.atoms import Particles
from softsym.reps.rep import Rep, TensorType, on_part


def has_particles(*reps: Rep) -> bool:
    """Whether one of the representations is written with particles, as ``5x(V)``."""
    return any(kind.particles is not None for rep in reps for _, kind in rep)


def particles_hint(rep: Rep, group: Group) -> str:
    """How to write columns that a group of permutations may exchange, for a message on sizes; empty if it is none.

    Example:
        >>> import softsym as ss
        >>> particles_hint(ss.rep("5S + 10V"), ss.S(5))
        '; if S(5) permutes equal particles, write 5x(S + 2V)'
    """
    n = group.dim
    if not group.is_permutation or n < 2 or any(copies % n for copies, _ in rep):
        return ""
    each = Rep(tuple((copies // n, kind) for copies, kind in rep))
    return f"; if {group.name} permutes equal particles, write {n}x({each})"


def read_particles(
    rep_in: Rep, rep_out: Rep, groups: Sequence[Group | str], columns: tuple[int, int]
) -> tuple[Rep, Rep, list[Group]]:
    """Representations and groups of the same factors: space, then every kind of particles; names stay as they are.

    Args:
        rep_in: Representation of the inputs,
        rep_out: and of the outputs.
        groups: Candidates. A permutation group of as many as there are particles of a kind acts on these; write ``Trivial(3) * S(3)`` or
            ``S(3) * Trivial(3)`` where space has as many dimensions.
        columns: Numbers of columns of inputs and outputs, from which the dimension of space is found.

    Example:
        >>> import softsym as ss
        >>> _, rep_out, groups = read_particles(ss.rep("5x(S + V)"), ss.rep("T(2)"), ["O(3)", "S(5)", "O(3) * S(5)"], (20, 9))
        >>> rep_out, [str(group) for group in groups], groups[1].name
        (V[0]*V[0], ['O(3) * Trivial(5)', 'Trivial(3) * S(5)', 'O(3) * S(5)'], 'S(5)')
    """
    factors = read_factors(rep_in, rep_out, columns)
    return on_part(rep_in, 0), on_part(rep_out, 0), [place_among(read_group(group), factors) for group in groups]


def read_factors(rep_in: Rep, rep_out: Rep, columns: tuple[int, int]) -> list[Group]:
    """The trivial groups of space and of every kind of particles."""
    reps = on_part(rep_in, 0), on_part(rep_out, 0)
    found = {kind.particles for rep in reps for _, kind in rep} - {None}
    counts = {atom.part: atom.count for atom in found if atom is not None}
    kinds = [counts.get(part, 1) for part in range(1, max(counts, default=0) + 1)]
    for d in range(1, max(columns) + 1):
        factors = [Trivial(n) for n in (d, *kinds)]
        if count_columns(reps, functools.reduce(operator.mul, factors)) == list(columns):
            return factors
    raise InputError(
        f"{columns[0]} and {columns[1]} columns are not {rep_in} and {rep_out} of any space; pass other `rep_in` and `rep_out`"
    )


def count_columns(reps: Sequence[Rep], group: Group) -> list[int]:
    """Numbers of columns of representations; none where tensors have no components."""
    try:
        return [rep.size(group) for rep in reps]
    except InputError:
        return []


def place_among(group: Group, factors: Sequence[Group]) -> Group:
    """A group times trivial ones before and after it."""
    dims, size = [each.dim for each in factors], len(group.part_dims)
    places = [k for k in range(len(dims) - size + 1) if group.part_dims == tuple(dims[k : k + size])]
    if size == 1 and group.is_permutation and places[1:]:
        places = places[1:]  # of particles, not of coordinates
    if not places or (places[1:] and group.is_permutation):
        shape = " x ".join(map(str, dims))
        raise InputError(
            f"{group.name} on {' x '.join(map(str, group.part_dims))} does not act on {shape} (space, then particles of each kind)"
            + ("" if not places else " in one way")
            + f"; write all factors, such as {' * '.join(each.text for each in factors)} with groups for some of them"
        )
    return place_group(group, factors, places[0])


def place_group(group: Group, factors: Sequence[Group], place: int) -> Group:
    """A group on the factors from one place on, of the same name, which leaves the others alone."""
    listed = [*factors[:place], group, *factors[place + len(group.part_dims) :]]
    return replace(functools.reduce(operator.mul, listed), label=group.name) if len(listed) > 1 else group


def forget_particles(rep: Rep) -> Rep:
    """The quantities of particles without which particle has them, in the same columns.

    Example:
        >>> import softsym as ss
        >>> forget_particles(ss.rep("5x(S + V) + V"))
        5S + 6V
    """
    terms = []
    for copies, kind in rep:
        particles = [atom for atom in kind.atoms if isinstance(atom, Particles)]
        own = TensorType(tuple(atom for atom in kind.atoms if atom not in particles))
        terms.append((copies * math.prod(atom.count for atom in particles), own))
    return on_part(Rep(tuple(terms)), None)
