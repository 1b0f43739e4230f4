r"""Splitting the base space into coordinate blocks that a group keeps apart.

O(2) about z turns x and y among themselves and leaves z alone: V is a plane plus an axis. A tensor product of V then falls into words
over {plane, axis}, and every word with k planes has the same invariants, those of k plane vectors. Solving the words
instead of the whole tensor makes large types small, and everything outside the words with invariants is known to be zero.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from softsym.groups import Group
from softsym.reps.atoms import Atom, Element, discrete_elements, lie_elements
from softsym.reps.permutation import Points
from softsym.typing import Array


@dataclass(frozen=True)
class Slice(Atom):
    """Some coordinates of an atom, which the groups in question map to themselves."""

    base: Atom
    coordinates: tuple[int, ...]

    @property
    def dual(self) -> Slice:
        """The same coordinates of the dual atom."""
        return Slice(self.base.dual, self.coordinates)

    def size(self, group: Group) -> int:
        """Number of coordinates."""
        return len(self.coordinates)

    def rho(self, group: Group, g: Element) -> Array:
        """Matrices of group elements, shape (..., size, size)."""
        return self._cut(self.base.rho(group, g))

    def drho(self, group: Group, A: Element) -> Array:
        """Matrices of algebra elements, shape (..., size, size)."""
        return self._cut(self.base.drho(group, A))

    def is_permutation(self, group: Group) -> bool:
        """Whether the group only permutes these coordinates."""
        return self.base.is_permutation(group)

    def without_dual(self) -> Slice:
        """The same atom under an orthogonal group."""
        return Slice(self.base.without_dual(), self.coordinates)

    def order_key(self) -> tuple[object, ...]:
        """As the base atom, then by coordinates."""
        return (*self.base.order_key(), self.coordinates)

    def _cut(self, matrix: Array) -> Array:
        rows = np.array(self.coordinates)
        return np.ascontiguousarray(matrix[..., rows[:, None], rows])

    def __str__(self) -> str:
        return f"{self.base}{{{','.join(map(str, self.coordinates))}}}"


@dataclass(frozen=True)
class Split:
    """An atom as a direct sum of coordinate blocks.

    Args:
        moving: The blocks on which some group acts, each as an atom with its coordinates.
        fixed: The coordinates that every group leaves alone.
    """

    moving: tuple[tuple[Atom, tuple[int, ...]], ...]
    fixed: tuple[int, ...]


@functools.lru_cache(maxsize=256)
def split(atom: Atom, groups: tuple[Group, ...]) -> Split:
    """The finest direct sum of coordinate blocks that all groups respect."""
    n = atom.size(groups[0])
    everything = tuple(range(n))
    if isinstance(atom, Points):
        return Split(((atom, everything),), ())
    touched = np.zeros((n, n), dtype=bool)
    for group in groups:
        for matrix in _generator_matrices(atom, group):
            touched |= np.abs(matrix) > 0
    _, labels = connected_components(touched, directed=False)
    blocks = [tuple(np.flatnonzero(labels == k).tolist()) for k in range(labels.max() + 1)]
    fixed = tuple(b[0] for b in blocks if len(b) == 1 and not touched[b[0], b[0]])
    moving = [b for b in blocks if not (len(b) == 1 and b[0] in fixed)]
    if len(moving) == 1 and not fixed:
        return Split(((atom, everything),), ())
    return Split(tuple((Slice(atom, b), b) for b in moving), fixed)


def whole(atom: Atom, groups: Sequence[Group]) -> Split:
    """The atom as a single block."""
    return Split(((atom, tuple(range(atom.size(groups[0])))),), ())


def _generator_matrices(atom: Atom, group: Group) -> list[Array]:
    """What each generator does beyond leaving coordinates alone."""
    lie = [atom.drho(group, A) for A in lie_elements(group)]
    return lie + [atom.rho(group, h) - np.eye(atom.size(group)) for h in discrete_elements(group)]
