"""A group or algebra element as representations see it: the matrix on the whole space, and its parts if the group has several."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups.generators import batched_kron

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Element:
    """An element (or a batch of them).

    Args:
        whole: Matrices on the whole space, shape (..., d, d).
        parts: One stack of matrices for each Kronecker factor; None if only the whole matrix is known.
    """

    whole: Array
    parts: tuple[Array, ...] | None

    def part(self, index: int, atom: str) -> Array:
        """Matrices on one Kronecker factor."""
        if self.parts is None:
            raise InputError(
                f"{atom} needs the factors of the element: pass a tuple, as Group.sample_parts gives them"
            )
        return self.parts[index]


def group_element(group: Group, g: ArrayLike | Sequence[ArrayLike]) -> Element:
    """Reads a group element given as one matrix or as a tuple of parts."""
    if not isinstance(g, tuple | list) or len(group.part_dims) == 1:
        return _single(group, g)
    parts = _parts(group, g)
    return Element(functools.reduce(batched_kron, parts), parts)


def algebra_element(group: Group, A: ArrayLike | Sequence[ArrayLike]) -> Element:
    """Reads an algebra element given as one matrix or as a tuple of parts, whose Kronecker sum it is."""
    if not isinstance(A, tuple | list) or len(group.part_dims) == 1:
        return _single(group, A)
    parts = _parts(group, A)
    whole = parts[0]
    for part in parts[1:]:
        whole = kron_sum(whole, part)
    return Element(whole, parts)


def lie_elements(group: Group) -> list[Element]:
    """The Lie-algebra generators of a group, as elements."""
    zeros = [np.zeros((d, d)) for d in group.part_dims]
    return [
        Element(whole, (*zeros[: g.part], g.matrix, *zeros[g.part + 1 :]))
        for whole, g in zip(group.lie_algebra, group.lie, strict=True)
    ]


def discrete_elements(group: Group) -> list[Element]:
    """The discrete generators of a group, as elements."""
    eyes = [np.eye(d) for d in group.part_dims]
    return [
        Element(whole, (*eyes[: g.part], g.matrix, *eyes[g.part + 1 :]))
        for whole, g in zip(group.discrete_generators, group.discrete, strict=True)
    ]


def kron_sum(a: Array, b: Array) -> Array:
    """A (x) 1 + 1 (x) b, for stacks of square matrices."""
    eye_a = np.broadcast_to(np.eye(a.shape[-1]), a.shape)
    eye_b = np.broadcast_to(np.eye(b.shape[-1]), b.shape)
    return batched_kron(a, eye_b) + batched_kron(eye_a, b)


def _single(group: Group, g: object) -> Element:
    if isinstance(g, tuple | list) and len(group.part_dims) == 1 and len(g) == 1 and np.ndim(g[0]) >= 2:
        g = g[0]
    matrix = np.asarray(g, dtype=np.float64)
    if matrix.ndim < 2 or matrix.shape[-2:] != (group.dim, group.dim):
        d = group.dim
        raise InputError(f"an element of {group.name} has shape (..., {d}, {d}), got {matrix.shape}")
    return Element(matrix, (matrix,) if len(group.part_dims) == 1 else None)


def _parts(group: Group, values: Sequence[ArrayLike]) -> tuple[Array, ...]:
    parts = tuple(np.asarray(v, dtype=np.float64) for v in values)
    if tuple(p.shape[-1] if p.ndim >= 2 else 0 for p in parts) != group.part_dims:
        raise InputError(f"{group.name} has parts of size {group.part_dims}, got {[p.shape for p in parts]}")
    return parts
