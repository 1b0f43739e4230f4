r"""The factors of a tensor product: the base representation, its dual, and permutation representations.

An atom says how one tensor index transforms. :class:`Base` is the space the group's matrices act on (V), or one Kronecker factor of
it (V[0], V[1], ... of a direct product), or the dual, on which :math:`g` acts by :math:`g^{-T}`. :class:`Points` is the space of
functions on a finite set of points that the group moves among themselves: pixels of an image, vertices of a polyhedron.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups.generators import batched_kron
from softsym.reps.element import Element

Array = NDArray[np.float64]


class Atom(Protocol):
    """How one tensor index transforms."""

    def __hash__(self) -> int: ...

    @property
    def dual(self) -> Atom:
        """The dual atom."""

    def size(self, group: Group) -> int:
        """Number of coordinates under a group."""

    def rho(self, group: Group, g: Element) -> Array:
        """Matrices of group elements, shape (..., size, size)."""

    def drho(self, group: Group, A: Element) -> Array:
        """Matrices of algebra elements, shape (..., size, size)."""

    def is_permutation(self, group: Group) -> bool:
        """Whether the group only permutes these coordinates."""

    def without_dual(self) -> Atom:
        """The same atom under an orthogonal group, where V and V' coincide."""

    def order_key(self) -> tuple[object, ...]:
        """Where the atom stands in canonical order."""


@dataclass(frozen=True)
class Base:
    """The base representation V of a group, or of one part of a direct product.

    Args:
        part: Which Kronecker factor; None for the whole space.
        is_dual: Whether elements act by their inverse transpose.
    """

    part: int | None = None
    is_dual: bool = False

    @property
    def dual(self) -> Base:
        """The dual atom."""
        return Base(self.part, not self.is_dual)

    def size(self, group: Group) -> int:
        """Number of coordinates under a group."""
        if self.part is None:
            return group.dim
        if self.part >= len(group.part_dims):
            raise InputError(
                f"{self} needs a direct product of at least {self.part + 1} groups; {group.name} is not one"
            )
        return group.part_dims[self.part]

    def rho(self, group: Group, g: Element) -> Array:
        """Matrices of group elements, shape (..., size, size)."""
        matrix = g.whole if self.part is None else g.part(self.part, str(self))
        return (
            np.asarray(np.linalg.inv(matrix).swapaxes(-1, -2), dtype=np.float64) if self.is_dual else matrix
        )

    def drho(self, group: Group, A: Element) -> Array:
        """Matrices of algebra elements, shape (..., size, size)."""
        matrix = A.whole if self.part is None else A.part(self.part, str(self))
        return -matrix.swapaxes(-1, -2) if self.is_dual else matrix

    def is_permutation(self, group: Group) -> bool:
        """Whether the group only permutes these coordinates."""
        return group.is_permutation

    def without_dual(self) -> Base:
        """The same atom under an orthogonal group, where V and V' coincide."""
        return Base(self.part)

    def order_key(self) -> tuple[object, ...]:
        """Whole space first, then parts in order; duals last."""
        return (0, -1 if self.part is None else self.part, self.is_dual)

    def __str__(self) -> str:
        return ("V" if self.part is None else f"V[{self.part}]") + ("'" if self.is_dual else "")


@dataclass(frozen=True)
class Points:
    """Functions on points of R^d that the group permutes.

    Args:
        points: Coordinates, one tuple per point.
        text: The text form.
    """

    points: tuple[tuple[float, ...], ...]
    text: str = field(compare=False)

    @property
    def dual(self) -> Points:
        """Permutations are orthogonal: the dual is the same."""
        return self

    def size(self, group: Group) -> int:
        """Number of points."""
        if len(self.points[0]) != group.dim:
            raise InputError(
                f"{self.text} has points of R^{len(self.points[0])}; {group.name} acts on R^{group.dim}"
            )
        return len(self.points)

    def rho(self, group: Group, g: Element) -> Array:
        """Permutation matrices of group elements, shape (..., size, size)."""
        n = self.size(group)
        batch = g.whole.reshape(-1, group.dim, group.dim)
        out = np.zeros((len(batch), n, n))
        for k, matrix in enumerate(batch):
            out[k, self.images(group, matrix), np.arange(n)] = 1.0
        return out.reshape(*g.whole.shape[:-2], n, n)

    def images(self, group: Group, matrix: Array) -> NDArray[np.intp]:
        """The index of the point each point is moved to."""
        places = np.array(self.points)
        distance, index = self._tree().query(places @ matrix.T)
        if (distance > 1e-6 * (1 + np.abs(places).max())).any() or len(set(index.tolist())) < len(places):
            raise InputError(
                f"{group.name} moves {self.text} off its points; pass a set the group maps to itself"
            )
        return np.asarray(index)

    def drho(self, group: Group, A: Element) -> Array:
        """Zero: a continuous motion among finitely many points stands still."""
        n = self.size(group)
        if np.abs(np.array(self.points) @ A.whole.swapaxes(-1, -2)).max(initial=0.0) > 1e-9:
            raise InputError(f"{group.name} moves {self.text} continuously; points need a finite group")
        return np.zeros((*A.whole.shape[:-2], n, n))

    def is_permutation(self, group: Group) -> bool:
        """Always."""
        return True

    def without_dual(self) -> Points:
        """The same."""
        return self

    def order_key(self) -> tuple[object, ...]:
        """After base atoms, smaller sets first."""
        return (1, len(self.points), self.points)

    def _tree(self) -> _Tree:
        return _tree(self.points)

    def __str__(self) -> str:
        return self.text


class _Tree:
    """Nearest point of a fixed set."""

    def __init__(self, points: tuple[tuple[float, ...], ...]) -> None:
        from scipy.spatial import cKDTree

        self._tree = cKDTree(np.array(points))

    def query(self, places: Array) -> tuple[Array, NDArray[np.intp]]:
        distance, index = self._tree.query(places)
        return distance, index


@functools.lru_cache(maxsize=32)
def _tree(points: tuple[tuple[float, ...], ...]) -> _Tree:
    return _Tree(points)


def kron_all(matrices: list[Array], batch: tuple[int, ...]) -> Array:
    """Kronecker product of stacks of matrices; the number one for none."""
    return functools.reduce(batched_kron, matrices, np.ones((*batch, 1, 1)))
