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
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm, logm, null_space, sqrtm
from scipy.spatial.transform import Rotation

from softsym.errors import InputError
from softsym.groups import elements, finite
from softsym.groups.group import Group

Array = NDArray[np.float64]
LIMIT = 1_200
"""A larger set is refused: averaging a kernel over it costs more than it tells."""
POLYGON = 8
"""The smallest polygon that stands for a circle, so that functions that are no polynomials are averaged well too."""
TOLERANCE = 1e-9
_POLYHEDRA = {"tetrahedron": 2, "octahedron": 3, "icosahedron": 5}
"""Up to which spin the rotations of each polyhedron average exactly."""


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
            raise _UnknownError(f"{size} elements are more than {limit}")
    except _UnknownError as reason:
        raise InputError(f"{group.name} has no closed set to average over: {reason}") from reason
    if len(sets) == 1:
        return sets[0]
    rows = np.array(list(itertools.product(*(range(len(one)) for one in sets))))
    parts = tuple(one.parts[0][rows[:, k]] for k, one in enumerate(sets))
    return ClosedSet(parts, min(one.degree for one in sets), " * ".join(one.label for one in sets))


class _UnknownError(Exception):
    """Why there is no closed set."""


@dataclass(frozen=True, eq=False)
class _Piece:
    """What stands for one ideal of the algebra: generators of its finite group, and how exact it is."""

    generators: list[Array]
    degree: float
    label: str


def _of_part(group: Group, part: int, degree: int, limit: int) -> ClosedSet:
    """The closed set of the generators that act on one part."""
    d = group.part_dims[part]
    lie = [g.matrix for g in group.lie if g.part == part]
    discrete = [g.matrix for g in group.discrete if g.part == part]
    if not lie:
        return _listed(np.array(discrete).reshape(-1, d, d), d, math.inf, "all elements", limit)
    frame = _orthogonal_frame(lie, discrete)
    back = np.linalg.inv(frame)
    lie, discrete = [frame @ A @ back for A in lie], [frame @ h @ back for h in discrete]
    algebra = _closed_algebra(lie, discrete)
    centre, ideals = _split(algebra)
    pieces = [_circle(A, degree) for A in _circles(centre, lie)]
    triples = _aligned([_triple(ideal) for ideal in ideals if len(ideal) == 3], discrete)
    pieces += [_polyhedron(J, degree) for J in triples]
    axes = [_support(ideal) for ideal in ideals if len(ideal) != 3]
    pieces += [_shifts(U) for U in axes]
    steps = [_straightened(h, triples, axes) for h in discrete]
    steps = [h for h in steps if not _is_within(h, algebra)]
    generators = np.array([g for piece in pieces for g in piece.generators] + steps)
    label = " * ".join(piece.label for piece in pieces) + (f" and {len(steps)} discrete" if steps else "")
    found = _listed(generators, d, min(piece.degree for piece in pieces), label, limit)
    return ClosedSet((back @ found.parts[0] @ frame,), found.degree, found.label)


def _listed(generators: Array, d: int, degree: float, label: str, limit: int) -> ClosedSet:
    if len(generators) and all(elements.is_permutation(h) for h in generators):
        order = elements.permutation_group(generators).order()  # counted without listing, however large
        if order > limit:
            raise _UnknownError(f"{order} elements are more than {limit}")
    found = elements.closure(generators, d)
    if found is None or len(found) > limit:
        raise _UnknownError(f"its finite subgroup has more than {limit} elements")
    return ClosedSet((found,), degree, label)


def _orthogonal_frame(lie: Sequence[Array], discrete: Sequence[Array]) -> Array:
    """A matrix M such that every M g M^-1 is orthogonal: the root of an invariant inner product; the group must be compact."""
    d = len(lie[0])
    if all(np.allclose(A, -A.T, atol=TOLERANCE) for A in lie) and all(
        np.allclose(h @ h.T, np.eye(d), atol=TOLERANCE) for h in discrete
    ):
        return np.eye(d)
    one = np.eye(d)
    rows = [np.kron(A.T, one) + np.kron(one, A.T) for A in lie] + [
        np.kron(h.T, h.T) - np.eye(d * d) for h in discrete
    ]
    forms = null_space(np.concatenate(rows), rcond=1e-9)
    # The mean of g'g over long random words is near to a positive invariant form; its part in the exact space is one.
    rng, words = np.random.default_rng(0), np.zeros((d, d))
    for _ in range(200):
        g = np.eye(d)
        for _ in range(6):
            g = g @ expm(sum(rng.normal(0, 3) * A for A in lie))
            for h in discrete:
                g = g @ (h if rng.random() < 0.5 else one)
        if not np.isfinite(g).all() or np.abs(g).max() > 1e6:
            raise _UnknownError("it is not compact")
        words += g.T @ g / 200
    form = (forms @ (forms.T @ words.ravel())).reshape(d, d)
    form = (form + form.T) / 2
    if not forms.size or np.linalg.eigvalsh(form)[0] <= 1e-9 * np.trace(words):
        raise _UnknownError("it is not compact")
    return np.asarray(np.real(sqrtm(form)), dtype=np.float64)


def _closed_algebra(lie: Sequence[Array], discrete: Sequence[Array]) -> Array:
    """An orthonormal basis (k, d, d) of the smallest algebra that holds the generators and that the discrete ones keep."""
    basis: list[Array] = []
    waiting = list(lie)
    while waiting:
        A = waiting.pop(0)
        size = float(np.linalg.norm(A))
        for _ in range(2):
            A = A - sum((np.sum(A * B) * B for B in basis), np.zeros_like(A))
        if np.linalg.norm(A) <= 1e-7 * max(size, 1e-300):
            continue
        A = A / np.linalg.norm(A)
        waiting += [A @ B - B @ A for B in basis] + [h @ A @ np.linalg.inv(h) for h in discrete]
        basis.append(A)
    return np.array(basis)


def _split(algebra: Array) -> tuple[Array, list[Array]]:
    """The centre (c, d, d) of a compact algebra and its simple ideals, each (k, d, d), by orthonormal bases."""
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
    moves = [np.kron(A, one) - np.kron(one, A.T) for A in inner]
    values, vectors = np.linalg.eigh(sum((move.T @ move for move in moves), np.zeros((m * m, m * m))))
    commutant = vectors[:, values < 1e-9 * float(values.max())]
    mixed = (commutant @ np.random.default_rng(0).standard_normal(commutant.shape[1])).reshape(m, m)
    values, vectors = np.linalg.eigh(mixed + mixed.T)
    cuts = np.flatnonzero(np.diff(values) > 1e-6 * np.abs(values).max()) + 1
    ideals = np.split(rest @ vectors, cuts, axis=1)
    return centre, [np.einsum("ia,ijk->ajk", ideal, algebra) for ideal in ideals]


def _circles(centre: Array, lie: Sequence[Array]) -> list[Array]:
    """Generators of the circles that make up the centre."""
    if len(centre) <= 1:
        return list(centre)
    chosen: list[Array] = []
    for A in [np.einsum("cij,ij,ckl->kl", centre, A, centre) for A in lie]:
        rank = np.linalg.matrix_rank(np.array([*chosen, A]).reshape(len(chosen) + 1, -1), tol=1e-7)
        if rank > len(chosen):
            chosen.append(A)
    return chosen


def _circle(A: Array, degree: int) -> _Piece:
    """A polygon for the turns exp(tA): its frequencies must be multiples of one."""
    frequencies = np.abs(np.linalg.eigvals(A).imag)
    smallest = frequencies[frequencies > 1e-7].min()
    ratios = [Fraction(w / smallest).limit_denominator(12) for w in frequencies]
    if any(abs(float(r) - w / smallest) > 1e-6 for r, w in zip(ratios, frequencies, strict=True)):
        raise _UnknownError("it winds around a torus with frequencies that have no common multiple")
    unit = smallest / math.lcm(*(r.denominator for r in ratios))
    highest = round(frequencies.max() / unit)
    m = max(POLYGON, degree + 1) * highest
    return _Piece([expm(2 * math.pi / (m * unit) * A)], float((m - 1) // highest), f"C({m})")


def _triple(ideal: Array) -> Array:
    """J_1, J_2, J_3 with [J_1, J_2] = J_3 and so on, from an orthonormal basis of a three-dimensional ideal."""
    bracket = ideal[0] @ ideal[1] - ideal[1] @ ideal[0]
    return ideal / np.sum(bracket * ideal[2])


def _aligned(triples: list[Array], discrete: Sequence[Array]) -> list[Array]:
    """The same ideals with bases that discrete generators carry into one another."""
    done: list[Array] = []
    for J in triples:
        images = [h @ other @ np.linalg.inv(h) for other in done for h in discrete]
        matching = [image for image in images if np.abs(_in_basis(image, J)).max() > 1e-6]
        done.append(J if not matching or any(_same_span(J, other) for other in done) else matching[0])
    return done


def _in_basis(K: Array, J: Array) -> Array:
    """Coordinates (3, 3) of the matrices K in the orthogonal basis J."""
    return np.einsum("aij,bij->ab", K, J) / np.sum(J[0] ** 2)


def _same_span(K: Array, J: Array) -> bool:
    return bool(np.allclose(np.einsum("ab,bij->aij", _in_basis(K, J), J), K, atol=1e-7))


def _polyhedron(J: Array, degree: int) -> _Piece:
    """The rotations of a polyhedron, written with the three generators, at the spins at which they act."""
    casimir = np.linalg.eigvalsh(-np.einsum("aij,ajk->ik", J, J)).max()
    spin = round(math.sqrt(1 + 4 * casimir) - 1) / 2
    fitting = [name for name, reach in _POLYHEDRA.items() if reach >= math.floor(degree * spin)]
    name = (fitting or ["icosahedron"])[0]
    turns = [expm(np.einsum("a,aij->ij", vector, J)) for vector in _turns(name)]
    doubled = expm(2 * math.pi * J[0])
    if not np.allclose(doubled, np.eye(len(doubled))):
        turns.append(doubled)
    # Tensors of degree p have integer spins up to floor(p * spin); the doubled group averages half-integer ones to zero.
    exact = math.ceil((_POLYHEDRA[name] + 1) / spin) - 1
    return _Piece(turns, float(exact), f"rotations of the {name}")


def _turns(name: str) -> Array:
    """Rotation vectors that generate the rotations of a polyhedron."""
    if name == "tetrahedron":
        third = np.ones(3) / math.sqrt(3) * 2 * math.pi / 3
        return np.array([third, [math.pi, 0.0, 0.0]])
    group = finite.Octahedral() if name == "octahedron" else finite.Icosahedral()
    return np.asarray(Rotation.from_matrix(group.discrete_generators).as_rotvec())


def _support(ideal: Array) -> Array:
    """Orthonormal axes (d, n) of the space that an ideal moves, which must be all rotations of it."""
    square = np.einsum("aij,ajk->ik", ideal, ideal)
    values, vectors = np.linalg.eigh(-square)
    moved = vectors[:, values > 1e-7]
    n = moved.shape[1]
    if n < 5 or len(ideal) != n * (n - 1) // 2:
        raise _UnknownError(f"no finite subgroup is known for its simple part of dimension {len(ideal)}")
    projector = moved @ moved.T
    axes = np.linalg.qr(projector[:, np.argsort(-np.diag(projector), kind="stable")[:n]])[0]
    return np.asarray(axes * np.sign(axes[np.abs(axes).argmax(0), range(n)]), dtype=np.float64)


def _shifts(axes: Array) -> _Piece:
    """Cyclic shifts of the axes with signs, those that are rotations."""
    n = axes.shape[1]
    shift = np.roll(np.eye(n), 1, axis=0)
    shift[0] *= np.linalg.det(shift)
    signs = np.eye(n)
    signs[[0, 1], [0, 1]] = -1
    rest = np.eye(len(axes)) - axes @ axes.T
    return _Piece([axes @ g @ axes.T + rest for g in (shift, signs)], 3.0, f"signed shifts of {n} axes")


def _straightened(h: Array, triples: Sequence[Array], axes: Sequence[Array]) -> Array:
    """A discrete generator times an element of the continuous part, so that it maps the chosen bases to one another."""
    for J in triples:
        image = h @ J @ np.linalg.inv(h)
        target = next((K for K in triples if _same_span(image, K)), None)
        if target is None:
            raise _UnknownError("a discrete generator mixes its simple parts")
        vector = Rotation.from_matrix(_in_basis(image, target).T).as_rotvec()
        h = expm(-np.einsum("a,aij->ij", vector, target)) @ h
    for U in axes:
        inside = U.T @ h @ U
        if not np.allclose(inside @ inside.T, np.eye(len(inside)), atol=1e-7):
            raise _UnknownError("a discrete generator mixes its simple parts")
        mirror = np.eye(len(inside))
        mirror[0, 0] = np.sign(np.linalg.det(inside))
        h = h @ (U @ (inside.T @ mirror) @ U.T + np.eye(len(h)) - U @ U.T)
    return h


def _is_within(h: Array, algebra: Array) -> bool:
    """Whether an element lies in the continuous part already, as far as its logarithm tells."""
    if np.allclose(h, np.eye(len(h)), atol=1e-9):
        return True
    if np.linalg.det(h) < 0 or np.abs(np.linalg.eigvals(h) + 1).min() < 1e-6:
        return False  # a half turn has no single logarithm; the closure decides
    log = np.real(logm(h))
    inside = np.einsum("aij,ij,akl->kl", algebra, log, algebra)
    return bool(np.allclose(inside, log, atol=1e-7))
