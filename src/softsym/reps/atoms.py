r"""The factors of a tensor product, and the group elements that act on them.

An :class:`Atom` says how one tensor index transforms: as V, as V[0], V[1], ... of the Kronecker factors of a direct product, as the dual,
on which :math:`g` acts by :math:`g^{-T}`, by the sign of :math:`\det g`, or as a permutation of equal particles.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike

from softsym.errors import InputError
from softsym.groups import Generator, Group
from softsym.groups.sampling import batched_kron, is_permutation
from softsym.typing import Array


@dataclass(frozen=True)
class Element:
    """A group or algebra element, or a batch of them."""

    whole: Array  # matrices on the whole space, shape (..., d, d)
    # one stack of matrices for each Kronecker factor; None if only the whole matrix is known
    parts: tuple[Array, ...] | None

    def part(self, index: int | None, atom: str) -> Array:
        """Matrices on one Kronecker factor, or on the whole space (None)."""
        if index is None:
            return self.whole
        if self.parts is None:
            raise InputError(f"{atom} needs the factors of the element: pass a tuple, as Group.sample_parts gives them")
        return self.parts[index]


class Atom(ABC):
    """How one tensor index transforms; by default an atom is its own dual."""

    @property
    def dual(self) -> Atom:
        """The dual atom, on which elements act by their inverse transpose."""
        return self

    @property
    def degree(self) -> int:
        """By which power of s it grows under multiplication by s."""
        return 0

    @abstractmethod
    def size(self, group: Group) -> int:
        """Number of coordinates under a group."""

    @abstractmethod
    def rho(self, group: Group, g: Element) -> Array:
        """Matrices of group elements, shape (..., size, size)."""

    @abstractmethod
    def drho(self, group: Group, A: Element) -> Array:
        """Matrices of algebra elements, shape (..., size, size)."""

    def is_permutation(self, group: Group) -> bool:
        """Whether the group only permutes these coordinates."""
        return not any(self.drho(group, A).any() for A in lie_elements(group)) and all(
            is_permutation(self.rho(group, h)) for h in discrete_elements(group)
        )

    def without_dual(self) -> Atom:
        """The representative of this atom and its dual under an orthogonal group, where they coincide."""
        return self

    def on_part(self, part: int | None) -> Atom:
        """The same atom of the first Kronecker factor (0), or of the whole space (None), if it is one of these."""
        return self

    @abstractmethod
    def order_key(self) -> tuple[object, ...]:
        """Where the atom stands in canonical order."""


@dataclass(frozen=True)
class Dualizable(Atom):
    """An atom that is not its own dual."""

    is_dual: bool = field(default=False, kw_only=True)  # whether elements act by their inverse transpose

    @property
    def dual(self) -> Self:
        return replace(self, is_dual=not self.is_dual)

    def without_dual(self) -> Self:
        return replace(self, is_dual=False)


@dataclass(frozen=True)
class Base(Dualizable):
    """The base representation V of a group, or of one part of a direct product."""

    part: int | None = None  # which Kronecker factor; None for the whole space

    @property
    def degree(self) -> int:
        return -1 if self.is_dual else 1

    def size(self, group: Group) -> int:
        if self.part is None:
            return group.dim
        if self.part >= len(group.part_dims):
            raise InputError(
                f"{self} needs a direct product of at least {self.part + 1} groups; {group.name} is not one"
            )
        return group.part_dims[self.part]

    def rho(self, group: Group, g: Element) -> Array:
        matrix = g.part(self.part, str(self))
        return inverse_transpose(matrix) if self.is_dual else matrix

    def drho(self, group: Group, A: Element) -> Array:
        matrix = A.part(self.part, str(self))
        return -matrix.swapaxes(-1, -2) if self.is_dual else matrix

    def is_permutation(self, group: Group) -> bool:
        return group.is_permutation

    def on_part(self, part: int | None) -> Base:
        return self if self.part else replace(self, part=part)

    def order_key(self) -> tuple[object, ...]:
        """Whole space first, then parts in order; duals last."""
        return (0, -1 if self.part is None else self.part, self.is_dual)

    def __str__(self) -> str:
        return ("V" if self.part is None else f"V[{self.part}]") + ("'" if self.is_dual else "")


@dataclass(frozen=True)
class Sign(Atom):
    """The sign of the determinant: what pseudoscalars are multiplied by; of permutations, their sign."""

    part: int | None = None  # which Kronecker factor; None for the whole space

    def size(self, group: Group) -> int:
        Base(self.part).size(group)
        return 1

    def rho(self, group: Group, g: Element) -> Array:
        return np.asarray(np.sign(np.linalg.det(g.part(self.part, str(self)))))[..., None, None]

    def drho(self, group: Group, A: Element) -> Array:
        """Zero: signs do not change along a curve."""
        return np.zeros((*A.whole.shape[:-2], 1, 1))

    def on_part(self, part: int | None) -> Sign:
        return self if self.part else Sign(part)

    def order_key(self) -> tuple[object, ...]:
        """Before all others."""
        return (-1, -1 if self.part is None else self.part)

    def __str__(self) -> str:
        return "pS" if self.part is None else f"pS[{self.part}]"


@dataclass(frozen=True)
class Particles(Atom):
    """Which of some equal particles: permuted by one Kronecker factor of a group, left alone by groups without that factor."""

    count: int
    part: int  # the Kronecker factor; 1 for the first kind of particles

    def size(self, group: Group) -> int:
        if len(group.part_dims) > self.part and group.part_dims[self.part] != self.count:
            dims = " x ".join(map(str, group.part_dims))
            raise InputError(f"{self} needs a group that permutes {self.count}; {group.name} acts on {dims}")
        return self.count

    def rho(self, group: Group, g: Element) -> Array:
        if len(group.part_dims) > self.part:
            return g.part(self.part, str(self))
        return np.broadcast_to(np.eye(self.count), (*g.whole.shape[:-2], self.count, self.count))

    def drho(self, group: Group, A: Element) -> Array:
        if len(group.part_dims) > self.part:
            return A.part(self.part, str(self))
        return np.zeros((*A.whole.shape[:-2], self.count, self.count))

    def is_permutation(self, group: Group) -> bool:
        return len(group.part_dims) <= self.part or group.is_permutation

    def order_key(self) -> tuple[object, ...]:
        """After base atoms, as a factor of its own."""
        return (2, self.part, self.count)

    def __str__(self) -> str:
        return f"{self.count}x(S)"


def group_element(group: Group, g: ArrayLike | Sequence[ArrayLike]) -> Element:
    """Reads a group element given as one matrix or as a tuple of parts."""
    return _read_element(group, g, batched_kron)


def algebra_element(group: Group, A: ArrayLike | Sequence[ArrayLike]) -> Element:
    """Reads an algebra element given as one matrix or as a tuple of parts, whose Kronecker sum it is."""
    return _read_element(group, A, kron_sum)


def lie_elements(group: Group) -> list[Element]:
    """The Lie-algebra generators of a group."""
    return _generators(group.lie_algebra, group.lie, [np.zeros((d, d)) for d in group.part_dims])


def discrete_elements(group: Group) -> list[Element]:
    """The discrete generators of a group."""
    return _generators(group.discrete_generators, group.discrete, [np.eye(d) for d in group.part_dims])


def _generators(matrices: Array, generators: Sequence[Generator], idle: list[Array]) -> list[Element]:
    """Generators as elements that are ``idle`` on all parts but their own."""
    pairs = zip(matrices, generators, strict=True)
    return [Element(whole, (*idle[: g.part], g.matrix, *idle[g.part + 1 :])) for whole, g in pairs]


def inverse_transpose(matrix: Array) -> Array:
    """How elements (..., d, d) act on a dual."""
    return np.asarray(np.linalg.inv(matrix).swapaxes(-1, -2), dtype=np.float64)


def kron_sum(a: Array, b: Array) -> Array:
    """A (x) 1 + 1 (x) b, for stacks of square matrices."""
    eye_a = np.broadcast_to(np.eye(a.shape[-1]), a.shape)
    eye_b = np.broadcast_to(np.eye(b.shape[-1]), b.shape)
    return batched_kron(a, eye_b) + batched_kron(eye_a, b)


def _read_element(group: Group, g: Any, combine: Callable[[Array, Array], Array]) -> Element:
    """One matrix on the whole space, or a matrix of each part that are combined to it."""
    if isinstance(g, tuple | list) and len(group.part_dims) > 1:
        parts = tuple(np.asarray(v, dtype=np.float64) for v in g)
        if tuple(p.shape[-1] if p.ndim >= 2 else 0 for p in parts) != group.part_dims:
            raise InputError(f"{group.name} has parts of size {group.part_dims}, got {[p.shape for p in parts]}")
        return Element(functools.reduce(combine, parts), parts)
    if isinstance(g, tuple | list) and len(g) == 1 and np.ndim(g[0]) >= 2:
        g = g[0]
    matrix = np.asarray(g, dtype=np.float64)
    d = group.dim
    if matrix.ndim < 2 or matrix.shape[-2:] != (d, d):
        raise InputError(f"an element of {group.name} has shape (..., {d}, {d}), got {matrix.shape}")
    return Element(matrix, (matrix,) if len(group.part_dims) == 1 else None)
