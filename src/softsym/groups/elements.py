"""Elements of finite groups: listing them, counting them, drawing them uniformly.

A group of permutation matrices is counted and sampled exactly by its stabiliser chain (SymPy's Schreier-Sims), however large it
is; other small groups are listed by closing their generators under multiplication.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softsym.typing import Array

MAX_ELEMENTS = 10_000
MAX_ENTRIES = 50_000_000
"""Matrix entries of all listed elements together."""


def is_permutation(matrix: Array) -> bool:
    """Whether a matrix only permutes coordinates, exactly."""
    return bool(
        np.isin(matrix, (0.0, 1.0)).all() and (matrix.sum(0) == 1).all() and (matrix.sum(1) == 1).all()
    )


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
    return is_permutation(matrix) or bool(
        np.allclose(np.abs(np.linalg.eigvals(matrix)), 1.0, rtol=0.0, atol=1e-6)
    )


def permutation_group(generators: Array) -> Any:
    """SymPy's permutation group of a stack of permutation matrices (m, d, d)."""
    return _permutation_group(tuple(tuple(images(h).tolist()) for h in generators))


@functools.lru_cache(maxsize=64)
def _permutation_group(rows: tuple[tuple[int, ...], ...]) -> Any:
    from sympy.combinatorics import Permutation, PermutationGroup

    return PermutationGroup([Permutation(list(row)) for row in rows])


def uniform_permutations(generators: Array, n: int, rng: np.random.Generator) -> Array:
    """Uniform elements of the group that permutation matrices generate: one coset representative from each level."""
    group = permutation_group(generators)
    d = generators.shape[-1]
    levels = [list(level.values()) for level in group.basic_transversals]
    out = np.zeros((n, d, d))
    for k in range(n):
        row = np.arange(d)
        for level in levels:
            chosen = level[rng.integers(len(level))]
            step = np.array(chosen.array_form if hasattr(chosen, "array_form") else chosen)
            row = row[step]
        out[k, row, np.arange(d)] = 1.0
    return out


def _key(matrix: Array) -> bytes:
    """Equal for matrices that agree to about 1e-6: rounded, without negative zeros."""
    return bytes((np.round(matrix, 6) + 0.0).tobytes())
