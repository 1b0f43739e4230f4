r"""Closed sets: finite subgroups that stand for a compact group.

An average over a compact group G is an average over a finite subgroup F for every polynomial in the entries of g up to some
degree p,

.. math:: \frac{1}{|F|} \sum_{g \in F} \rho(g) = \int_G \rho(g)\, dg \quad \text{on tensors } T(q),\ q \le p ,

because both sides project onto invariant tensors, and up to degree p those of F are those of G. F must be a group: only then is
what it averages exactly symmetric. The set is found from the generators alone, so a group turned into another basis, embedded or
joined from others is recognised by what it is:

- a circle by the regular polygon C_m: exact below degree m;
- three rotations that close (so(3), su(2), both halves of so(4)) by the rotations of the tetrahedron, octahedron or icosahedron,
  doubled for half-integer spin: exact up to spin 2, 3 and 5;
- SO(n), n >= 5, by cyclic shifts of the axes with signs: exact up to degree 3;
- a finite group by itself; direct products by products; what a discrete generator adds by closing.

References:
    McLaren's rule is the icosahedral one: Optimal numerical integration on a sphere (McLaren, 1963),
    https://doi.org/10.1090/S0025-5718-1963-0159418-2
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from softsym.errors import InputError
from softsym.groups import elements
from softsym.groups.group import Group
from softsym.groups.quadrature.algebra import (
    UnknownError,
    aligned,
    circles,
    closed_algebra,
    orthogonal_frame,
    split,
    support,
    triple,
)
from softsym.groups.quadrature.discrete import is_within, straightened
from softsym.groups.quadrature.pieces import circle, polyhedron, shifts

Array = NDArray[np.float64]
LIMIT = 1_200
"""A larger set is refused: averaging a kernel over it costs more than it tells."""


@dataclass(frozen=True, eq=False)
class ClosedSet:
    """A finite group that stands for a compact one.

    Args:
        parts: Its elements, one array (q, d_p, d_p) for each part of the group, the identity first.
        degree: Up to which degree in the entries of g averages are those over the whole group; infinite if it is the group.
        label: What it is, in words.

    Example:
        >>> import softsym as ss
        >>> closed = closed_set(ss.O(2).about("z"))
        >>> len(closed), closed.degree, closed.label
        (16, 7.0, 'C(8) and 1 discrete')
    """

    parts: tuple[Array, ...]
    degree: float
    label: str

    def __len__(self) -> int:
        return len(self.parts[0])


@functools.lru_cache(maxsize=128)
def closed_set(group: Group, degree: int = 5, limit: int = LIMIT) -> ClosedSet:
    """The finite group that stands for a compact one.

    Args:
        group: A compact group.
        degree: Up to which degree averages should be exact; the set says how far it comes.
        limit: The largest set.

    Raises:
        InputError: The group is not compact, or no small enough finite subgroup is known.
    """
    try:
        sets = [_of_part(group, part, degree, limit) for part in range(len(group.part_dims))]
        size = math.prod(map(len, sets))
        if size > limit:
            raise UnknownError(f"{size} elements are more than {limit}")
    except UnknownError as reason:
        raise InputError(f"{group.name} has no closed set to average over: {reason}") from reason
    if len(sets) == 1:
        return sets[0]
    rows = np.array(list(itertools.product(*(range(len(one)) for one in sets))))
    parts = tuple(one.parts[0][rows[:, k]] for k, one in enumerate(sets))
    return ClosedSet(parts, min(one.degree for one in sets), " * ".join(one.label for one in sets))


def _of_part(group: Group, part: int, degree: int, limit: int) -> ClosedSet:
    """The closed set of the generators that act on one part."""
    d = group.part_dims[part]
    lie = [g.matrix for g in group.lie if g.part == part]
    discrete = [g.matrix for g in group.discrete if g.part == part]
    if not lie:
        return _listed(np.array(discrete).reshape(-1, d, d), d, math.inf, "all elements", limit)
    if d * 2**d > limit and _all_turns(lie):
        raise UnknownError(f"signs and shifts of {d} axes are {d * 2**d:,} elements, more than {limit}")
    frame = orthogonal_frame(lie, discrete)
    back = np.linalg.inv(frame)
    lie, discrete = [frame @ A @ back for A in lie], [frame @ h @ back for h in discrete]
    algebra = closed_algebra(lie, discrete)
    centre, ideals = split(algebra)
    pieces = [circle(A, degree) for A in circles(centre, lie)]
    triples = aligned([triple(ideal) for ideal in ideals if len(ideal) == 3], discrete)
    pieces += [polyhedron(J, degree) for J in triples]
    axes = [support(ideal) for ideal in ideals if len(ideal) != 3]
    pieces += [shifts(U) for U in axes]
    steps = [straightened(h, triples, axes) for h in discrete]
    steps = [h for h in steps if not is_within(h, algebra)]
    generators = np.array([g for piece in pieces for g in piece.generators] + steps)
    label = " * ".join(piece.label for piece in pieces) + (f" and {len(steps)} discrete" if steps else "")
    found = _listed(generators, d, min(piece.degree for piece in pieces), label, limit)
    return ClosedSet((back @ found.parts[0] @ frame,), found.degree, found.label)


def _all_turns(lie: Sequence[Array]) -> bool:
    """Whether generators turn pairs of axes that connect all: then they generate every turn, and closing the algebra would take long."""
    pairs = [np.argwhere(np.triu(A)) for A in lie if np.allclose(A, -A.T)]
    if len(pairs) < len(lie) or any(len(pair) != 1 for pair in pairs):
        return False
    rows, columns = np.concatenate(pairs).T
    d = len(lie[0])
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(d, d))
    return bool(connected_components(graph, directed=False)[0] == 1)


def _listed(generators: Array, d: int, degree: float, label: str, limit: int) -> ClosedSet:
    if len(generators) and all(elements.is_permutation(h) for h in generators):
        order = elements.permutation_group(generators).order()  # counted without listing, however large
        if order > limit:
            raise UnknownError(f"{order} elements are more than {limit}")
    found = elements.closure(generators, d)
    if found is None or len(found) > limit:
        raise UnknownError(f"its finite subgroup has more than {limit} elements")
    return ClosedSet((found,), degree, label)
