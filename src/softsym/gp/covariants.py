r"""Equivariant polynomials: the generators from which every equivariant function is built.

If :math:`c_1, \dots, c_k` generate the equivariant polynomials of a group as a module over its invariants :math:`I(x)`, a smooth
equivariant function is

.. math:: f(x) = \sum_j g_j(I(x))\, c_j(x)

with functions :math:`g_j` of the invariants alone, and every such sum is equivariant at every group element, compact group or not. For
O(n) the invariants are inner products and the generators of vectors are the input vectors; determinants and cross products come in for
SO(n), the metric for O(p, q). Here both are found for any group and any tensor types: polynomials of degree d are invariant tensors of
d input types, and those that are products of lower ones are left out. With pseudovectors among the inputs, products of two pseudoscalars
(inner products of vectors and pseudovectors) are invariant and of a higher degree, and are added.

Reference:
    Scalars are universal: Equivariant machine learning, structured like classical physics (Villar et al., 2021),
    https://arxiv.org/abs/2106.06610
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from softsym.errors import ConvergenceError
from softsym.gp.arrays import stored
from softsym.groups import Group
from softsym.metrics.transform import torch_of
from softsym.reps import Rep, TensorType
from softsym.reps.atoms import Sign, lie_elements
from softsym.spaces import equivariant_maps
from softsym.typing import Array

SCALAR, PSEUDOSCALAR = TensorType(), TensorType((Sign(),))
LARGEST = 20_000  # entries of a tensor (outputs times a product of inputs); larger ones are left out
MOST = 40  # generators beyond which products of pseudoscalars are left out
POINTS = 120  # random points at which polynomials are compared
INDEPENDENT = 1e-6  # relative distance from the span of others below which a polynomial is one of them

Copy = tuple[TensorType, int]
"""A type of the inputs, and which of its copies."""


@stored
@dataclass(frozen=True, eq=False)
class Polynomials:
    """Polynomial maps from inputs to one tensor type."""

    columns: tuple[tuple[tuple[int, int], ...], ...]  # for every product of inputs, first column and end of each factor
    maps: tuple[Array, ...]  # for every product the linear maps (count, size, product of the factors' sizes)
    degrees: tuple[int, ...]  # of every polynomial, in the order of the maps
    size: int  # coordinates of the outputs

    def __len__(self) -> int:
        return len(self.degrees)

    @property
    def factors(self) -> tuple[frozenset[int], ...]:
        """For every polynomial the first columns of the inputs that it multiplies."""
        return tuple(
            frozenset(start for start, _ in factors)
            for factors, maps in zip(self.columns, self.maps, strict=True)
            for _ in maps
        )

    def __call__(self, X: Any) -> Any:
        """Values at rows (n, inputs), an array or a tensor, shape (n, size, polynomials)."""
        xp = torch_of(X) or np
        parts = []
        for factors, maps in zip(self.columns, self.maps, strict=True):
            product = X[:, :0].sum(1)[:, None] + 1.0
            for factor in factors:
                product = (product[:, :, None] * X[:, None, slice(*factor)]).reshape(X.shape[0], -1)
            values = product @ maps.reshape(-1, maps.shape[2]).T
            parts.append(values.reshape(X.shape[0], len(maps), self.size).swapaxes(1, 2))
        return xp.concatenate(parts, axis=2) if parts else xp.zeros((X.shape[0], self.size, 0))


def invariant_polynomials(rep: Rep, group: Group, degree: int = 3) -> Polynomials:
    """Generators of the invariants of all inputs that the group acts on; scalars are not among them.

    Args:
        rep: Representation of the inputs.
        group: The group.
        degree: The highest degree.

    Example:
        >>> import softsym as ss
        >>> len(invariant_polynomials(ss.rep("2V"), ss.O(3))), len(invariant_polynomials(ss.rep("3V"), ss.SO(3)))
        (3, 7)
    """
    return _extend(_invariants(_reduced(rep, group, degree), group, degree), rep, group, SCALAR, degree)


def separates_orbits(invariants: Polynomials, rep: Rep, group: Group) -> bool:
    """Whether as many of the invariants are independent as there are dimensions across generic orbits.

    Else some equivariant functions are no functions of these invariants, and a model of them says nothing about the group.

    Example:
        >>> import softsym as ss
        >>> rep = ss.rep("V")
        >>> [separates_orbits(invariant_polynomials(rep, G), rep, G) for G in (ss.O(3), ss.S(3), ss.S(5))]
        [True, True, False]
    """
    columns = [k for segment in rep.segments(group) if segment.type.rank for k in range(segment.start, segment.stop)]
    if not columns:
        return True
    x = np.random.default_rng(0).standard_normal(rep.size(group))
    step = 1e-20  # imaginary: derivatives of polynomials without rounding
    slopes = invariants(x + 1j * step * np.eye(len(x))[columns])[:, 0].imag / step
    along = [rep.drho(group, A.parts or A.whole) @ x for A in lie_elements(group)]
    across = len(columns) - (int(np.linalg.matrix_rank(np.array(along), tol=1e-8)) if along else 0)
    return int(np.linalg.matrix_rank(slopes, tol=1e-8)) >= across


def equivariant_polynomials(rep: Rep, output: TensorType, group: Group, degree: int = 2) -> Polynomials:
    """Generators of the equivariant maps to one tensor type as a module over the invariants.

    Args:
        rep: Representation of the inputs.
        output: Type of the outputs.
        group: The group.
        degree: The highest degree.

    Example:
        >>> import softsym as ss
        >>> vector = ss.Vector.terms[0][1]
        >>> equivariant_polynomials(ss.rep("2V"), vector, ss.SO(3)).degrees
        (1, 1, 2)
    """
    generators = _covariants(_reduced(rep, group, degree), output, group, degree)
    return _extend(generators, rep, group, output, degree)


def _reduced(rep: Rep, group: Group, degree: int) -> tuple[Copy, ...]:
    """As many copies of each type as a product of this degree can have: what holds for these holds for all copies."""
    counts: dict[TensorType, int] = {}
    for segment in rep.segments(group):
        if segment.type.rank:
            counts[segment.type] = min(degree, counts.get(segment.type, 0) + segment.copies)
    return tuple((kind, k) for kind, count in counts.items() for k in range(count))


Generators = dict[tuple[Copy, ...], Array]
"""Maps (count, size, product) by the copies that they multiply."""


@functools.lru_cache(maxsize=512)
def _invariants(copies: tuple[Copy, ...], group: Group, degree: int) -> Generators:
    return _primitive(copies, SCALAR, group, degree, None)


def _pseudoscalar_products(
    copies: tuple[Copy, ...], output: TensorType, group: Group, degree: int
) -> Iterator[tuple[tuple[Copy, ...], Array]]:
    """Pseudoscalars times generators of the pseudo-outputs, of one degree more than others; none unless inputs have signs."""
    if not any(isinstance(atom, Sign) for kind, _ in copies for atom in kind.atoms):
        return
    odd = _low_degrees(copies, PSEUDOSCALAR, group, 2)
    others = _low_degrees(copies, PSEUDOSCALAR * output, group, degree - 1)
    for (left, A), (right, B) in itertools.product(odd.items(), others.items()):
        factors = left + right
        if len(factors) == degree + 1 and len(left) == 2:
            order = sorted(range(len(factors)), key=lambda k: copies.index(factors[k]))
            shape = [kind.size(group) for kind, _ in factors]
            maps = np.einsum("iap,jbq->ijabpq", A, B).reshape(len(A) * len(B), -1, *shape)
            maps = maps.transpose(0, 1, *(2 + k for k in order))
            yield tuple(factors[k] for k in order), maps.reshape(*maps.shape[:2], -1)


@functools.lru_cache(maxsize=512)
def _low_degrees(copies: tuple[Copy, ...], output: TensorType, group: Group, degree: int) -> Generators:
    """Equivariant linear maps of products up to a degree that have factors, whether they are generators or not."""
    products = (factors for d in range(1, degree + 1) for factors in itertools.combinations_with_replacement(copies, d))
    return {factors: maps for factors in products if len(maps := _equivariant(factors, output, group))}


@functools.lru_cache(maxsize=512)
def _covariants(copies: tuple[Copy, ...], output: TensorType, group: Group, degree: int) -> Generators:
    if output == SCALAR:
        return {(): np.ones((1, 1, 1))}
    return _primitive(copies, output, group, degree, _invariants(copies, group, degree))


def _primitive(
    copies: tuple[Copy, ...], output: TensorType, group: Group, degree: int, invariants: Generators | None
) -> Generators:
    """Generators up to a degree: of every product, what is no combination of invariants times lower generators."""
    rng, found = np.random.default_rng(0), Generators()
    points = {copy: rng.standard_normal((POINTS, copy[0].size(group))) for copy in copies}
    direct = (
        (factors, _equivariant(factors, output, group))
        for d in range(0 if invariants is not None else 1, degree + 1)
        for factors in itertools.combinations_with_replacement(copies, d)
    )
    for factors, maps in itertools.chain(direct, _pseudoscalar_products(copies, output, group, degree)):
        if not len(maps):
            continue
        values = _values(factors, maps, points).reshape(len(maps), -1).T
        before = found.get(factors)
        known = list(_products(factors, found if invariants is None else invariants, found, points))
        known += [] if before is None else list(_values(factors, before, points).reshape(len(before), -1))
        kept = _outside(values, known)
        if kept:
            found[factors] = maps[kept] if before is None else np.concatenate([before, maps[kept]])
    return found


def _equivariant(factors: tuple[Copy, ...], output: TensorType, group: Group) -> Array:
    """Equivariant linear maps of a tensor product, (count, size, product); none where there are too many products to solve for."""
    kind = functools.reduce(lambda left, right: left * right[0], factors, SCALAR)
    inputs, size = kind.size(group), output.size(group)
    if inputs * size > LARGEST:
        return np.zeros((0, size, inputs))
    try:
        space = equivariant_maps(Rep(((1, kind),)), Rep(((1, output),)), group)
    except ConvergenceError:  # frames from data are skewed
        return np.zeros((0, size, inputs))
    return space.basis().T.reshape(space.dim, size, inputs)


def _values(factors: tuple[Copy, ...], maps: Array, points: dict[Copy, Array]) -> Array:
    """Values (count, points, size) of maps of a product."""
    product = np.ones((POINTS, 1))
    for factor in factors:
        product = (product[:, :, None] * points[factor][:, None]).reshape(POINTS, -1)
    return np.asarray(np.einsum("np,kqp->knq", product, maps, optimize=True))


def _products(
    factors: tuple[Copy, ...], invariants: Generators, lower: Generators, points: dict[Copy, Array]
) -> Iterator[Array]:
    """Values of all products of a lower generator and of invariants that have just these factors."""
    for first in lower:
        for parts in _splits(_without(factors, first) or None, invariants):
            values = [
                _values(first, lower[first], points),
                *(_values(each, invariants[each], points) for each in parts),
            ]
            yield from (functools.reduce(np.multiply, chosen).reshape(-1) for chosen in itertools.product(*values))


def _splits(factors: tuple[Copy, ...] | None, known: Generators) -> Iterator[list[tuple[Copy, ...]]]:
    """All ways to write factors as a product of the factors of generators; none for None."""
    if factors == ():
        yield []
    elif factors:
        starting = (part for part in known if part and part[0] == factors[0])
        yield from ([part, *others] for part in starting for others in _splits(_without(factors, part), known))


def _without(factors: tuple[Copy, ...], part: tuple[Copy, ...]) -> tuple[Copy, ...] | None:
    left = list(factors)
    for factor in part:
        if factor not in left:
            return None
        left.remove(factor)
    return tuple(left)


def _outside(values: Array, known: Sequence[Array]) -> list[int]:
    """Which columns are outside of the span of what is known and of the columns before them."""
    span = np.array(known).T if known else np.zeros((len(values), 0))
    if span.size:
        left, sizes, _ = np.linalg.svd(span / np.linalg.norm(span, axis=0), full_matrices=False)
        span = left[:, sizes > INDEPENDENT * sizes[0]]
    kept = []
    for k, column in enumerate(values.T):
        rest = column - span @ (span.T @ column)
        rest = rest - span @ (span.T @ rest)
        length, left_over = float(np.linalg.norm(column)), float(np.linalg.norm(rest))
        if length > 1e-9 and left_over > INDEPENDENT * length:
            kept.append(k)
            span = np.concatenate([span, (rest / left_over)[:, None]], axis=1)
    return kept


def _extend(generators: Generators, rep: Rep, group: Group, output: TensorType, degree: int) -> Polynomials:
    """Generators of a few copies of each type, for all copies of the inputs; of a higher degree only if all are few."""
    places: dict[TensorType, list[tuple[int, int]]] = {}
    for segment in rep.segments(group):
        starts = range(segment.start, segment.stop, segment.size) if segment.type.rank else ()
        places.setdefault(segment.type, []).extend((start, start + segment.size) for start in starts)
    columns, maps, degrees = [], [], []
    for factors, own in generators.items():
        for chosen in _assignments(factors, places):
            columns.append(tuple(places[kind][chosen[kind, k]] for kind, k in factors))
            maps.append(own)
            degrees += len(own) * [len(factors)]
    if len(degrees) > MOST and max(degrees) > degree:
        low = {factors: own for factors, own in generators.items() if len(factors) <= degree}
        return _extend(low, rep, group, output, degree)
    return Polynomials(tuple(columns), tuple(maps), tuple(degrees), output.size(group))


def _assignments(
    factors: tuple[Copy, ...], places: dict[TensorType, list[tuple[int, int]]]
) -> Iterator[dict[Copy, int]]:
    """Actual copies for the first few of each type, in their order; only products of the first copies stand for others."""
    kinds = list(dict.fromkeys(kind for kind, _ in factors))
    used = {kind: sorted({k for other, k in factors if other == kind}) for kind in kinds}
    if any(copies != list(range(len(copies))) for copies in used.values()):
        return
    ways = [itertools.combinations(range(len(places[kind])), len(used[kind])) for kind in kinds]
    for chosen in itertools.product(*ways):
        yield {(kind, k): actual[k] for kind, actual in zip(kinds, chosen, strict=True) for k in used[kind]}
