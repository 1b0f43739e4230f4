"""Generators of groups as matrices: checks, limits on their size, Kronecker products."""

from __future__ import annotations

import operator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from softsym.errors import InputError
from softsym.limits import limit
from softsym.typing import Array

MEMORY_SHARE = 20
"""Generators of a group may take one part in so many of the memory limit: 0.2 GB of 4 GB by default."""


def max_generator_entries() -> int:
    """How many matrix entries all generators of a group may have together.

    Example:
        >>> max_generator_entries()
        25000000
    """
    return int(limit().gigabytes * 1e9 / 8 / MEMORY_SHARE)


def read_dimension(name: str, n: int, growth: int = 4, factor: int = 1) -> int:
    """Checks a constructor's argument: a whole number of at least one whose generators fit into memory."""
    try:
        n = operator.index(n)
    except TypeError:
        raise InputError(f"{name}(n) needs a whole number n, got {n!r}") from None
    if n < 1:
        raise InputError(f"{name}(n) needs n >= 1, got {n}")
    entries = factor * n**growth
    if entries > max_generator_entries():
        most, size = int((max_generator_entries() / factor) ** (1 / growth) + 1e-9), 8 * entries / 1e9
        raise InputError(
            f"the generators of {name}({n}) would take about {size:,.1f} GB; {name}({most}) is the largest that is made, unless you "
            f"allow more: with softsym.spaces.at_most(gigabytes={MEMORY_SHARE * size:.2g})"
        )
    return n


@dataclass(frozen=True)
class Generator:
    """One generator: a matrix acting on one part of the group's space."""

    part: int
    matrix: Array


def freeze(values: ArrayLike) -> Array:
    """Makes a read-only float64 copy without negative zeros, so that equal values have equal bytes."""
    array = np.array(values, dtype=np.float64) + 0.0
    array.flags.writeable = False
    return array


def read_generators(values: ArrayLike | None, name: str) -> list[Array]:
    """Checks a list of square finite matrices."""
    if values is None:
        return []
    try:
        matrices = [np.asarray(v, dtype=np.float64) for v in values]  # type: ignore[union-attr]
    except (TypeError, ValueError) as error:
        raise InputError(f"`{name}` must be a list of square real matrices, shape (k, d, d)") from error
    for i, matrix in enumerate(matrices):
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
            raise InputError(f"`{name}[{i}]` has shape {matrix.shape}; generators must be square, (d, d)")
        if not np.isfinite(matrix).all():
            raise InputError(f"`{name}[{i}]` contains NaN or infinity")
    return matrices


def check_generators(lie: list[Array], discrete: list[Array], name: str) -> int:
    """The size d of all generators of a group; refuses none, different sizes and singular discrete ones."""
    dims = {matrix.shape[-1] for matrix in (*lie, *discrete)}
    if not dims:
        raise InputError(
            f"group {name!r} has no generators; pass `lie_algebra` or `discrete`, or use Trivial(d)"
        )
    if len(dims) > 1:
        sizes = ", ".join(map(str, sorted(dims)))
        raise InputError(f"generators of group {name!r} have different sizes ({sizes}); all must be d x d")
    for j, h in enumerate(discrete):
        if np.linalg.cond(h) > 1e12:
            raise InputError(f"discrete generator {j} of group {name!r} is singular; it must be invertible")
    return dims.pop()


def batched_kron(a: Array, b: Array) -> Array:
    """Kronecker products of square matrices (..., p, p) and (..., q, q), one for each of a batch."""
    p, q = a.shape[-1], b.shape[-1]
    return np.einsum("...ij,...kl->...ikjl", a, b).reshape(*a.shape[:-2], p * q, p * q)
