r"""Finite subgroups that integrate polynomials over a compact group exactly.

An average over a compact group G is an average over a finite subgroup F for every polynomial in the entries of g up to some
degree p,

.. math:: \frac{1}{|F|} \sum_{g \in F} \rho(g) = \int_G \rho(g)\, dg \quad \text{on tensors } T(q),\ q \le p ,

because both sides project onto invariant tensors, and up to degree p those of F are those of G. F must be a group: only then are
averages exactly invariant. The subgroup is found from the generators alone, so a group that was conjugated, embedded or
joined from others is recognised too. Its Lie algebra is decomposed into its centre and simple ideals, and each of these gets

- a circle: the regular polygon with eight corners for its highest frequency, exact up to degree 7;
- so(3), su(2), both ideals of so(4): the rotations of the icosahedron, exact up to spin 5; of spin 1/2 the double cover of those of the
  tetrahedron, exact up to spin 2;
- so(n), n >= 5: cyclic permutations of the axes with signs, exact up to degree 3.

A finite group is its own subgroup, a direct product takes the product of the subgroups of its factors.

References:
    The icosahedral rule: Optimal numerical integration on a sphere (McLaren, 1963),
    https://doi.org/10.1090/S0025-5718-1963-0159418-2
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy.linalg import expm, logm, null_space, sqrtm
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial.transform import Rotation

from softsym.errors import InputError
from softsym.groups import catalogue, sampling
from softsym.groups.group import Group
from softsym.typing import Array

MAX_ORDER = 1_200  # averaging a kernel over more elements costs more than it is worth
POLYGON = 8  # corners of the polygon of a circle: enough to average functions well, too, that are no polynomials
COMPACT_TOL = 1e-9  # generators that are orthogonal up to this need no change of basis


class UnknownSubgroupError(Exception):
    """Why no finite subgroup is known."""


@dataclass(frozen=True, eq=False)
class FiniteSubgroup:
    """A finite subgroup of a compact group, as a quadrature rule with equal weights."""

    # its elements, one array (q, d_p, d_p) for each part of the group, the identity first
    parts: tuple[Array, ...]
    degree: float  # up to which degree in the entries of g averages are those over the whole group; infinite if it is the group

    def __len__(self) -> int:
        return len(self.parts[0])


@functools.lru_cache(maxsize=128)
def finite_subgroup(group: Group) -> FiniteSubgroup:
    """A finite subgroup that integrates polynomials over a compact group; an :class:`InputError` if no small enough one is known."""
    try:
        factors = [_subgroup_of_part(group, part) for part in range(len(group.part_dims))]
        size = math.prod(map(len, factors))
        if size > MAX_ORDER:
            raise UnknownSubgroupError(f"{size} elements are more than {MAX_ORDER}")
    except UnknownSubgroupError as reason:
        raise InputError(f"{group.name} has no known finite subgroup to average over: {reason}") from reason
    if len(factors) == 1:
        return factors[0]
    rows = np.array(list(itertools.product(*(range(len(factor)) for factor in factors))))
    parts = tuple(factor.parts[0][rows[:, k]] for k, factor in enumerate(factors))
    return FiniteSubgroup(parts, min(factor.degree for factor in factors))


def _subgroup_of_part(group: Group, part: int) -> FiniteSubgroup:
    """A finite subgroup of the group that the generators of one part generate."""
    d = group.part_dims[part]
    lie = [g.matrix for g in group.lie if g.part == part]
    discrete = [g.matrix for g in group.discrete if g.part == part]
    if not lie:
        return FiniteSubgroup((_enumerate(np.array(discrete).reshape(-1, d, d), d),), math.inf)
    if d * 2**d > MAX_ORDER and _generates_all_rotations(lie):
        raise UnknownSubgroupError(f"signs and shifts of {d} axes are {d * 2**d:,} elements, more than {MAX_ORDER}")
    basis = orthogonal_basis(lie, discrete)
    inverse = np.linalg.inv(basis)
    lie, discrete = [basis @ A @ inverse for A in lie], [basis @ h @ inverse for h in discrete]
    algebra = sampling.close_algebra(lie, discrete)
    centre, ideals = decompose_algebra(algebra)
    factors = [polygon(A) for A in circle_generators(centre, lie)]
    triples = align_triples([so3_triple(ideal) for ideal in ideals if len(ideal) == 3], discrete)
    factors += [polyhedron(J) for J in triples]
    axes = [rotated_axes(ideal) for ideal in ideals if len(ideal) != 3]
    factors += [signed_cycles(U) for U in axes]
    cosets = [coset_representative(h, triples, axes) for h in discrete]
    cosets = [h for h in cosets if not is_in_identity_component(h, algebra)]
    generators = np.array([g for factor in factors for g in factor.generators] + cosets)
    return FiniteSubgroup((inverse @ _enumerate(generators, d) @ basis,), min(factor.degree for factor in factors))


def _generates_all_rotations(lie: Sequence[Array]) -> bool:
    """Whether generators rotate pairs of axes that connect all: then they generate SO(d), and closing the algebra would take long."""
    pairs = [np.argwhere(np.triu(A)) for A in lie if np.allclose(A, -A.T)]
    if len(pairs) < len(lie) or any(len(pair) != 1 for pair in pairs):
        return False
    rows, columns = np.concatenate(pairs).T
    d = len(lie[0])
    graph = coo_array((np.ones(len(rows)), (rows, columns)), shape=(d, d))
    return bool(connected_components(graph, directed=False)[0] == 1)


def _enumerate(generators: Array, d: int) -> Array:
    """All products of the generators, (q, d, d)."""
    if len(generators) and all(sampling.is_permutation(h) for h in generators):
        order = sampling.permutation_group(generators).order()  # counted without listing, however large
        if order > MAX_ORDER:
            raise UnknownSubgroupError(f"{order} elements are more than {MAX_ORDER}")
    products = sampling.closure(generators, d)
    if products is None or len(products) > MAX_ORDER:
        raise UnknownSubgroupError(f"its finite subgroup has more than {MAX_ORDER} elements")
    return products


# Decomposing the Lie algebra


def orthogonal_basis(lie: Sequence[Array], discrete: Sequence[Array]) -> Array:
    """A matrix M such that every M g M^-1 is orthogonal: the root of an invariant inner product; the group must be compact."""
    d = len(lie[0])
    one = np.eye(d)
    if sampling.generate_rotations(lie, discrete, atol=COMPACT_TOL):
        return one
    rows = [np.kron(A.T, one) + np.kron(one, A.T) for A in lie] + [np.kron(h.T, h.T) - np.eye(d * d) for h in discrete]
    forms = null_space(np.concatenate(rows), rcond=1e-9)
    # The mean of g'g over long random products is near to a positive invariant form; its part in the exact space is one.
    rng, mean = np.random.default_rng(0), np.zeros((d, d))
    for _ in range(200):
        g = np.eye(d)
        for _ in range(6):
            g = g @ expm(sum(rng.normal(0, 3) * A for A in lie))
            for h in discrete:
                g = g @ (h if rng.random() < 0.5 else one)
        if not np.isfinite(g).all() or np.abs(g).max() > 1e6:
            raise UnknownSubgroupError("it is not compact")
        mean += g.T @ g / 200
    form = (forms @ (forms.T @ mean.ravel())).reshape(d, d)
    form = (form + form.T) / 2
    if not forms.size or np.linalg.eigvalsh(form)[0] <= 1e-9 * np.trace(mean):
        raise UnknownSubgroupError("it is not compact")
    return np.asarray(np.real(sqrtm(form)), dtype=np.float64)


def decompose_algebra(algebra: Array) -> tuple[Array, list[Array]]:
    """The centre (c, d, d) of a compact Lie algebra and its simple ideals, each (k, d, d), by orthonormal bases."""
    k = len(algebra)
    brackets = np.einsum("aij,bjk->abik", algebra, algebra)
    brackets = brackets - brackets.swapaxes(0, 1)
    ad = np.einsum("abij,cij->acb", brackets, algebra)  # ad_a in the basis: antisymmetric
    central = null_space(ad.reshape(-1, k), rcond=1e-7)
    centre = np.einsum("ac,aij->cij", central, algebra)
    rest = null_space(central.T) if central.shape[1] else np.eye(k)
    if not rest.shape[1]:
        return centre, []
    inner = np.einsum("ia,cij,jb->cab", rest, ad, rest)
    m, one = rest.shape[1], np.eye(rest.shape[1])
    if m == 3:
        return centre, [np.einsum("ia,ijk->ajk", rest, algebra)]
    # A generic symmetric matrix that commutes with all ad_a has one eigenspace for each ideal.
    commutators = [np.kron(A, one) - np.kron(one, A.T) for A in inner]
    values, vectors = np.linalg.eigh(sum((C.T @ C for C in commutators), np.zeros((m * m, m * m))))
    commutant = vectors[:, values < 1e-9 * float(values.max())]
    generic = (commutant @ np.random.default_rng(0).standard_normal(commutant.shape[1])).reshape(m, m)
    values, vectors = np.linalg.eigh(generic + generic.T)
    cuts = np.flatnonzero(np.diff(values) > 1e-6 * np.abs(values).max()) + 1
    ideals = np.split(rest @ vectors, cuts, axis=1)
    return centre, [np.einsum("ia,ijk->ajk", ideal, algebra) for ideal in ideals]


def circle_generators(centre: Array, lie: Sequence[Array]) -> list[Array]:
    """Independent generators of the circles whose product is the centre."""
    if len(centre) <= 1:
        return list(centre)
    circles: list[Array] = []
    for A in [np.einsum("cij,ij,ckl->kl", centre, A, centre) for A in lie]:
        rank = np.linalg.matrix_rank(np.array([*circles, A]).reshape(len(circles) + 1, -1), tol=1e-7)
        if rank > len(circles):
            circles.append(A)
    return circles


def so3_triple(ideal: Array) -> Array:
    """J_1, J_2, J_3 with [J_1, J_2] = J_3 and so on, from an orthonormal basis of a three-dimensional ideal."""
    bracket = ideal[0] @ ideal[1] - ideal[1] @ ideal[0]
    return ideal / np.sum(bracket * ideal[2])


def coordinates(K: Array, J: Array) -> Array:
    """Coordinates (3, 3) of the matrices K in the orthogonal basis J."""
    return np.einsum("aij,bij->ab", K, J) / np.sum(J[0] ** 2)


def _is_in_span(K: Array, J: Array) -> bool:
    """Whether matrices K lie in the span of the orthogonal basis J."""
    return bool(np.allclose(np.einsum("ab,bij->aij", coordinates(K, J), J), K, atol=1e-7))


def align_triples(triples: list[Array], discrete: Sequence[Array]) -> list[Array]:
    """Bases of the same ideals such that discrete generators, which may exchange ideals, map one basis to the other."""
    aligned: list[Array] = []
    for J in triples:
        images = [h @ other @ np.linalg.inv(h) for other in aligned for h in discrete]
        matching = [image for image in images if np.abs(coordinates(image, J)).max() > 1e-6]
        aligned.append(J if not matching or any(_is_in_span(J, other) for other in aligned) else matching[0])
    return aligned


def rotated_axes(ideal: Array) -> Array:
    """Orthonormal axes (d, n) of the space on which an ideal acts, where it must be so(n) with n >= 5."""
    square = np.einsum("aij,ajk->ik", ideal, ideal)
    values, vectors = np.linalg.eigh(-square)
    rotated = vectors[:, values > 1e-7]
    n = rotated.shape[1]
    if n < 5 or len(ideal) != n * (n - 1) // 2:
        raise UnknownSubgroupError(f"no finite subgroup is known for its simple part of dimension {len(ideal)}")
    projector = rotated @ rotated.T
    axes = np.linalg.qr(projector[:, np.argsort(-np.diag(projector), kind="stable")[:n]])[0]
    return np.asarray(axes * np.sign(axes[np.abs(axes).argmax(0), range(n)]), dtype=np.float64)


# Finite subgroups of each factor


@dataclass(frozen=True, eq=False)
class Factor:
    """Generators of the finite subgroup of one ideal, and up to which degree it averages exactly."""

    generators: list[Array]
    degree: float


def polygon(A: Array) -> Factor:
    """The rotations of a regular polygon in the circle exp(tA), whose frequencies must be multiples of one."""
    frequencies = np.abs(np.linalg.eigvals(A).imag)
    smallest = frequencies[frequencies > 1e-7].min()
    ratios = [Fraction(w / smallest).limit_denominator(12) for w in frequencies]
    if any(abs(float(r) - w / smallest) > 1e-6 for r, w in zip(ratios, frequencies, strict=True)):
        raise UnknownSubgroupError("it winds around a torus with frequencies that have no common multiple")
    unit = smallest / math.lcm(*(r.denominator for r in ratios))
    highest = round(frequencies.max() / unit)
    m = POLYGON * highest
    return Factor([expm(2 * math.pi / (m * unit) * A)], float((m - 1) // highest))


def polyhedron(J: Array) -> Factor:
    """The rotations of the smaller polyhedron that is exact up to degree five, in the representation that J generates."""
    casimir = np.linalg.eigvalsh(-np.einsum("aij,ajk->ik", J, J)).max()
    spin = round(math.sqrt(1 + 4 * casimir) - 1) / 2
    if spin < 1:  # a tetrahedron
        vectors = np.array([np.ones(3) / math.sqrt(3) * 2 * math.pi / 3, [math.pi, 0.0, 0.0]])
    else:
        vectors = Rotation.from_matrix(catalogue.Icosahedral().discrete_generators).as_rotvec()
    rotations = [expm(np.einsum("a,aij->ij", vector, J)) for vector in vectors]
    full_rotation = expm(2 * math.pi * J[0])
    if not np.allclose(full_rotation, np.eye(len(full_rotation))):  # half-integer spin: the double cover
        rotations.append(full_rotation)
    # Tensors of degree p have integer spins up to floor(p * spin); the double cover averages half-integer ones to zero.
    reach = math.ceil((3 if spin < 1 else 6) / spin) - 1
    return Factor(rotations, float(reach))


def signed_cycles(axes: Array) -> Factor:
    """Cyclic permutations of the axes with signs, those that are rotations."""
    n = axes.shape[1]
    cycle = np.roll(np.eye(n), 1, axis=0)
    cycle[0] *= np.linalg.det(cycle)
    signs = np.eye(n)
    signs[[0, 1], [0, 1]] = -1
    rest = np.eye(len(axes)) - axes @ axes.T
    return Factor([axes @ g @ axes.T + rest for g in (cycle, signs)], 3.0)


# Discrete generators


def coset_representative(h: Array, triples: Sequence[Array], axes: Sequence[Array]) -> Array:
    """The element of h times the identity component that maps the chosen bases of the ideals to one another."""
    for J in triples:
        image = h @ J @ np.linalg.inv(h)
        target = next((K for K in triples if _is_in_span(image, K)), None)
        if target is None:
            raise UnknownSubgroupError("a discrete generator mixes its simple parts")
        vector = Rotation.from_matrix(coordinates(image, target).T).as_rotvec()
        h = expm(-np.einsum("a,aij->ij", vector, target)) @ h
    for U in axes:
        inside = U.T @ h @ U
        if not np.allclose(inside @ inside.T, np.eye(len(inside)), atol=1e-7):
            raise UnknownSubgroupError("a discrete generator mixes its simple parts")
        reflection = np.eye(len(inside))
        reflection[0, 0] = np.sign(np.linalg.det(inside))
        h = h @ (U @ (inside.T @ reflection) @ U.T + np.eye(len(h)) - U @ U.T)
    return h


def is_in_identity_component(h: Array, algebra: Array) -> bool:
    """Whether the logarithm of an element lies in the algebra; False where the logarithm is not unique."""
    if np.allclose(h, np.eye(len(h)), atol=1e-9):
        return True
    if np.linalg.det(h) < 0 or np.abs(np.linalg.eigvals(h) + 1).min() < 1e-6:
        return False  # a rotation by pi has two logarithms; closing the group finds out
    log = np.real(logm(h))
    inside = np.einsum("aij,ij,akl->kl", algebra, log, algebra)
    return bool(np.allclose(inside, log, atol=1e-7))
