"""Drawing and listing group elements.

A sampler is a function of (n, generator) that returns one array (n, d, d) for each part of the group. Compact groups are drawn
from Haar measure. Other groups have no uniform distribution; their elements are bounded, so that transformed inputs stay finite.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from softsym.typing import Array

if TYPE_CHECKING:
    from softsym.groups.group import Group

Sampler = Callable[..., list[Array]]
WALK_STEPS = 8
MAX_ELEMENTS = 10_000
MAX_ENTRIES = 50_000_000  # matrix entries of all listed elements together


def haar_orthogonal(n: int, rng: np.random.Generator, *, d: int, special: bool) -> list[Array]:
    """Haar measure on O(d) or SO(d): the Q of a Gaussian's QR, with the signs of R multiplied into it."""
    q, r = np.linalg.qr(rng.standard_normal((n, d, d)))
    q = q * np.sign(np.einsum("nii->ni", r))[:, None, :]
    if special:
        q[:, :, 0] *= np.linalg.det(q)[:, None]
    return [q]


def haar_unitary(n: int, rng: np.random.Generator, *, d: int, special: bool) -> list[Array]:
    """Haar measure on U(d) or SU(d), in the real form [[Re, -Im], [Im, Re]]."""
    q, r = np.linalg.qr(rng.standard_normal((n, d, d)) + 1j * rng.standard_normal((n, d, d)))
    diagonal = np.einsum("nii->ni", r)
    q = q * (diagonal / np.abs(diagonal))[:, None, :]
    if special:
        q[:, :, 0] /= np.linalg.det(q)[:, None]
    return [np.concatenate([np.concatenate([q.real, -q.imag], 2), np.concatenate([q.imag, q.real], 2)], 1)]


def bounded_linear(n: int, rng: np.random.Generator, *, d: int, special: bool) -> list[Array]:
    """K exp(s) K' with Haar rotations K, K' and a diagonal s uniform in [-1, 1], traceless for SL: condition number at most e^4."""
    (left,) = haar_orthogonal(n, rng, d=d, special=special)
    (right,) = haar_orthogonal(n, rng, d=d, special=True)
    s = rng.uniform(-1, 1, (n, d))
    if special:
        s -= s.mean(1, keepdims=True)
    return [left * np.exp(s)[:, None, :] @ right]


def scaling(n: int, rng: np.random.Generator, *, d: int) -> list[Array]:
    """Positive multiples of the identity, log-uniform between 1/e and e."""
    return [np.exp(rng.uniform(-1, 1, n))[:, None, None] * np.eye(d)]


def affine(n: int, rng: np.random.Generator, *, linear: Group) -> list[Array]:
    """Homogeneous matrices: an element of a linear group, and a standard-normal translation."""
    d = linear.dim
    g = place(linear.sample(n, rng), dim=d + 1, axes=range(d), fill=1.0)
    g[:, :d, d] = rng.standard_normal((n, d))
    return [g]


def random_permutation(n: int, rng: np.random.Generator, *, d: int, even: bool) -> list[Array]:
    """Uniform permutation matrices; for ``even`` an odd one is made even by swapping its first two coordinates."""
    g = np.zeros((n, d, d))
    for k in range(n):
        row = rng.permutation(d)
        g[k, row, np.arange(d)] = 1.0
        if even and d > 1 and np.linalg.det(g[k]) < 0:
            g[k, :, [0, 1]] = g[k, :, [1, 0]]
    return [g]


def finite(n: int, rng: np.random.Generator, *, generators: Array) -> list[Array]:
    """Uniform over all elements: of a permutation group of any size, or of any group small enough to list; else a random walk."""
    if not len(generators):
        return [np.tile(np.eye(generators.shape[-1]), (n, 1, 1))]
    if all(is_permutation(h) for h in generators):
        return [uniform_permutations(generators, n, rng)]
    listed = closure(generators)
    if listed is None:
        return exponential(n, rng, lie=[], discrete=generators, steps=WALK_STEPS)
    return [listed[rng.integers(len(listed), size=n)]]


def exponential(
    n: int,
    rng: np.random.Generator,
    *,
    lie: Sequence[Array],
    discrete: Sequence[Array] | Array,
    bound: float = 1.0,
    steps: int = 1,
) -> list[Array]:
    """Factors exp(A), A standard normal in the algebra and of norm at most ``bound``, times random discrete generators."""
    choices = np.array([np.eye(len([*lie, *discrete][0])), *discrete])
    g = np.tile(choices[0], (n, 1, 1))
    for _ in range(steps):
        if len(lie):
            A = np.einsum("nk,kij->nij", rng.standard_normal((n, len(lie))), np.array(lie))
            norm = np.linalg.norm(A, axis=(1, 2), keepdims=True)
            g = g @ expm(A * np.minimum(1.0, bound / np.maximum(norm, 1e-300)))
        for _ in range(2 if len(discrete) else 0):
            g = g @ choices[rng.integers(len(choices), size=n)]
    return [g]


def random_walk(n: int, rng: np.random.Generator, *, lie: Sequence[Array], discrete: Sequence[Array]) -> list[Array]:
    """Products of random elements near the identity, for generators about which nothing is known.

    Finite groups are drawn uniformly. Orthogonal ones by a walk of several long steps, which forgets its start and so is close to
    Haar; any other group by a single step of norm at most one, so that its elements stay bounded.
    """
    if not lie:
        return finite(n, rng, generators=np.array(discrete))
    if generate_rotations(lie, discrete):
        return exponential(n, rng, lie=lie, discrete=discrete, bound=np.inf, steps=WALK_STEPS)
    return exponential(n, rng, lie=lie, discrete=discrete)


def expm(A: Array) -> Array:
    """Matrix exponentials of (..., d, d)."""
    from scipy.linalg import expm as exponentials  # imported here: it takes longer than this whole package

    return np.asarray(exponentials(A))


def gaussian(group: Group, n: int, seed: int | np.random.Generator = 0) -> Array:
    """The published code's draw (n, d, d): exp of standard-normal algebra coefficients times random powers of the generators.

    It is not Haar measure; the paper's printed equivariance errors were measured with it. Random numbers are drawn in the order of
    that code, so that the same seed gives the same elements for a group with up to one discrete generator (with more of them, the
    published order of factors is random too; here each of the three repetitions takes them in order).
    """
    rng = np.random.default_rng(seed)
    g = np.tile(np.eye(group.dim), (n, 1, 1))
    coefficients = rng.standard_normal((n, len(group.lie_algebra)))
    if len(group.lie_algebra):
        g = expm(np.einsum("nk,kij->nij", coefficients, group.lie_algebra))
    powers = rng.integers(-5, 5, (n, len(group.discrete_generators), 3))
    for repetition in range(3):
        for k, h in enumerate(group.discrete_generators):
            inverse = np.linalg.inv(h)
            steps = [np.linalg.matrix_power(h if p >= 0 else inverse, abs(p)) for p in powers[:, k, repetition]]
            g = g @ np.array(steps).reshape(n, *h.shape)
    return np.asarray(g, dtype=np.float64)


def batched_kron(a: Array, b: Array) -> Array:
    """Kronecker products of square matrices (..., p, p) and (..., q, q), one for each of a batch."""
    p, q = a.shape[-1], b.shape[-1]
    return np.einsum("...ij,...kl->...ikjl", a, b).reshape(*a.shape[:-2], p * q, p * q)


def place(matrix: Array, *, dim: int, axes: Sequence[int], fill: float) -> Array:
    """A matrix (or a stack) written on chosen coordinates of a larger identity (fill 1) or zero (fill 0) matrix."""
    out = np.zeros((*matrix.shape[:-2], dim, dim))
    out[..., range(dim), range(dim)] = fill
    out[..., np.asarray(axes)[:, None], np.asarray(axes)] = matrix
    return out


def embedding(n: int, rng: np.random.Generator, *, inner: Group, dim: int, axes: Sequence[int]) -> list[Array]:
    """Elements of an inner group, on chosen coordinates."""
    return [place(inner.sample(n, rng), dim=dim, axes=axes, fill=1.0)]


def conjugation(n: int, rng: np.random.Generator, *, inner: Group, matrix: Array, back: Array) -> list[Array]:
    """Elements of an inner group, in another basis."""
    return [matrix @ inner.sample(n, rng) @ back]


def product(n: int, rng: np.random.Generator, *, groups: Sequence[Group]) -> list[Array]:
    """Independent elements of the factors: Haar measure if each factor's is."""
    return [part for group in groups for part in group.sample_parts(n, rng)]


def one_part(n: int, rng: np.random.Generator, *, inner: Group, part: int) -> list[Array]:
    """One part of the elements of a direct product."""
    return [inner.sample_parts(n, rng)[part]]


def alternating_product(n: int, rng: np.random.Generator, *, groups: Sequence[Group]) -> list[Array]:
    """Alternating products of elements of each group."""
    # The product of Haar draws mixes fast; elements of other groups stay bounded.
    rounds = WALK_STEPS if all(group.is_orthogonal for group in groups) else 1
    parts = [np.tile(np.eye(d), (n, 1, 1)) for d in groups[0].part_dims]
    for _ in range(rounds):
        for group in groups:
            parts = [a @ b for a, b in zip(parts, group.sample_parts(n, rng), strict=True)]
    return parts


def generate_rotations(lie: Sequence[Array], discrete: Sequence[Array], rtol: float = 1e-5, atol: float = 1e-8) -> bool:
    """Whether generators generate orthogonal matrices: those of the algebra are antisymmetric, discrete ones orthogonal."""
    return all(np.allclose(A, -A.T, rtol, atol) for A in lie) and all(
        np.allclose(h @ h.T, np.eye(len(h)), rtol, atol) for h in discrete
    )


def is_permutation(matrix: Array) -> bool:
    """Whether a matrix only permutes coordinates, exactly."""
    return bool(np.isin(matrix, (0.0, 1.0)).all() and (matrix.sum(0) == 1).all() and (matrix.sum(1) == 1).all())


def images(matrix: Array) -> NDArray[np.intp]:
    """Where a permutation matrix sends each coordinate: ``matrix @ e_i = e_images[i]``."""
    return matrix.argmax(axis=0)


def closure(generators: Array, dim: int | None = None, most: int = MAX_ELEMENTS) -> Array | None:
    """All products of the generators, shape (order, d, d), identity first; None if there are too many to list."""
    identity = np.eye(dim or generators.shape[-1])
    most = min(most, MAX_ENTRIES // max(identity.size, 1))
    if not all(has_finite_order_spectrum(h) for h in generators):
        return None
    elements = {_key(identity): identity}
    frontier = [identity]
    while frontier:
        before, frontier = frontier, []
        for g in (h @ g for g in before for h in generators):
            key = _key(g)
            if key not in elements:
                elements[key] = g
                frontier.append(g)
            if len(elements) > most:
                return None
    return np.array(list(elements.values()))


def has_finite_order_spectrum(matrix: Array) -> bool:
    """Whether all eigenvalues have modulus one, as those of an element of a finite group must."""
    return is_permutation(matrix) or bool(np.allclose(np.abs(np.linalg.eigvals(matrix)), 1.0, rtol=0.0, atol=1e-6))


def permutation_group(generators: Iterable[Array]) -> Any:
    """SymPy's permutation group of permutation matrices (d, d)."""
    return _permutation_group(tuple(tuple(images(h).tolist()) for h in generators))


@functools.lru_cache(maxsize=64)
def _permutation_group(rows: tuple[tuple[int, ...], ...]) -> Any:
    from sympy.combinatorics import Permutation, PermutationGroup

    return PermutationGroup([Permutation(list(row)) for row in rows])


def uniform_permutations(generators: Array, n: int, rng: np.random.Generator) -> Array:
    """Uniform elements of the group that permutation matrices generate: a coset representative from each level of its stabiliser chain."""
    group = permutation_group(generators)
    d = generators.shape[-1]
    levels = [list(level.values()) for level in group.basic_transversals]
    out = np.zeros((n, d, d))
    for k in range(n):
        row = np.arange(d)
        for level in levels:
            row = row[level[rng.integers(len(level))].array_form]
        out[k, row, np.arange(d)] = 1.0
    return out


def _key(matrix: Array) -> bytes:
    """Equal for matrices that agree to about 1e-6: rounded, without negative zeros."""
    return bytes((np.round(matrix, 6) + 0.0).tobytes())


def close_algebra(lie: Sequence[Array], discrete: Sequence[Array]) -> Array:
    """An orthonormal basis (k, d, d) of the smallest Lie algebra with the generators that discrete ones map to itself."""
    basis: list[Array] = []
    candidates = list(lie)
    d = len([*lie, *discrete, np.eye(0)][0])
    # Once the basis spans so(d) (orthogonal generators) or gl(d), further brackets cannot enlarge it.
    largest = d * (d - 1) // 2 if generate_rotations(lie, discrete) else d * d
    while candidates and len(basis) < largest:
        A = candidates.pop(0)
        norm = float(np.linalg.norm(A))
        for _ in range(2):
            A = A - sum((np.sum(A * B) * B for B in basis), np.zeros_like(A))
        if np.linalg.norm(A) <= 1e-7 * max(norm, 1e-300):
            continue
        A = A / np.linalg.norm(A)
        candidates += [A @ B - B @ A for B in basis] + [h @ A @ np.linalg.inv(h) for h in discrete]
        basis.append(A)
    return np.array(basis)
