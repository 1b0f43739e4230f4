"""Recognising a compact group by its algebra: an orthogonal frame, the centre, the simple ideals and bases for them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm, null_space, sqrtm

Array = NDArray[np.float64]
TOLERANCE = 1e-9
"""Generators that are orthogonal up to this need no frame."""


class UnknownError(Exception):
    """Why there is no closed set."""


def orthogonal_frame(lie: Sequence[Array], discrete: Sequence[Array]) -> Array:
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
            raise UnknownError("it is not compact")
        words += g.T @ g / 200
    form = (forms @ (forms.T @ words.ravel())).reshape(d, d)
    form = (form + form.T) / 2
    if not forms.size or np.linalg.eigvalsh(form)[0] <= 1e-9 * np.trace(words):
        raise UnknownError("it is not compact")
    return np.asarray(np.real(sqrtm(form)), dtype=np.float64)


def closed_algebra(lie: Sequence[Array], discrete: Sequence[Array]) -> Array:
    """An orthonormal basis (k, d, d) of the smallest algebra that holds the generators and that the discrete ones keep."""
    basis: list[Array] = []
    waiting = list(lie)
    d = len([*lie, *discrete, np.eye(0)][0])
    # Nothing is larger than all antisymmetric matrices, where generators are such, or all matrices: brackets need not be tried then.
    turns = all(np.allclose(A, -A.T) for A in lie) and all(np.allclose(h @ h.T, np.eye(d)) for h in discrete)
    largest = d * (d - 1) // 2 if turns else d * d
    while waiting and len(basis) < largest:
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


def split(algebra: Array) -> tuple[Array, list[Array]]:
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


def circles(centre: Array, lie: Sequence[Array]) -> list[Array]:
    """Generators of the circles that make up the centre."""
    if len(centre) <= 1:
        return list(centre)
    chosen: list[Array] = []
    for A in [np.einsum("cij,ij,ckl->kl", centre, A, centre) for A in lie]:
        rank = np.linalg.matrix_rank(np.array([*chosen, A]).reshape(len(chosen) + 1, -1), tol=1e-7)
        if rank > len(chosen):
            chosen.append(A)
    return chosen


def triple(ideal: Array) -> Array:
    """J_1, J_2, J_3 with [J_1, J_2] = J_3 and so on, from an orthonormal basis of a three-dimensional ideal."""
    bracket = ideal[0] @ ideal[1] - ideal[1] @ ideal[0]
    return ideal / np.sum(bracket * ideal[2])


def in_basis(K: Array, J: Array) -> Array:
    """Coordinates (3, 3) of the matrices K in the orthogonal basis J."""
    return np.einsum("aij,bij->ab", K, J) / np.sum(J[0] ** 2)


def same_span(K: Array, J: Array) -> bool:
    """Whether matrices K lie in the span of the orthogonal basis J."""
    return bool(np.allclose(np.einsum("ab,bij->aij", in_basis(K, J), J), K, atol=1e-7))


def aligned(triples: list[Array], discrete: Sequence[Array]) -> list[Array]:
    """The same ideals with bases that discrete generators carry into one another."""
    done: list[Array] = []
    for J in triples:
        images = [h @ other @ np.linalg.inv(h) for other in done for h in discrete]
        matching = [image for image in images if np.abs(in_basis(image, J)).max() > 1e-6]
        done.append(J if not matching or any(same_span(J, other) for other in done) else matching[0])
    return done


def support(ideal: Array) -> Array:
    """Orthonormal axes (d, n) of the space that an ideal moves, which must be all rotations of it."""
    square = np.einsum("aij,ajk->ik", ideal, ideal)
    values, vectors = np.linalg.eigh(-square)
    moved = vectors[:, values > 1e-7]
    n = moved.shape[1]
    if n < 5 or len(ideal) != n * (n - 1) // 2:
        raise UnknownError(f"no finite subgroup is known for its simple part of dimension {len(ideal)}")
    projector = moved @ moved.T
    axes = np.linalg.qr(projector[:, np.argsort(-np.diag(projector), kind="stable")[:n]])[0]
    return np.asarray(axes * np.sign(axes[np.abs(axes).argmax(0), range(n)]), dtype=np.float64)
