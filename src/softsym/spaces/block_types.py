r"""Which entries of a tensor form blocks of one tensor type each.

A map :math:`W` from a sum of copies of A to a sum of copies of B is a grid of blocks of the type :math:`B \otimes A'`, and each block must
be an invariant of that type; a tensor with one axis for each of several representations likewise. Blocks whose types agree up to the
order of their indices (and, for orthogonal groups, up to duals) share one small basis.

A type is split further where the groups preserve coordinate blocks: O(2) about z acts on x and y and fixes z, so V is a plane plus an
axis, and a tensor product of V is a direct sum of products of planes and axes. All products with k planes have the same invariants, those
of k plane vectors. This makes large types small, and everything outside the products with invariants is known to be zero.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse.csgraph import connected_components

from softsym.groups import Group
from softsym.reps import Rep, TensorType
from softsym.reps.atoms import Atom, Element, Sign, discrete_elements, lie_elements
from softsym.reps.permutation import Points
from softsym.typing import Array, Index

Range = tuple[Atom | None, Index]
"""Coordinates of one tensor index, and the atom that acts on them; None if every group fixes them."""
MAX_BLOCK_TYPES = 4096  # types that would be split into more are solved whole


@dataclass(frozen=True, eq=False)
class BlockType:
    """A part of a block in which every tensor index ranges over one coordinate block of its atom.

    Offsets are relative to the corner of the block, one row for each axis of the tensor. They are made when they are asked for, so
    that a type that is too large is refused before.
    """

    type: TensorType  # the canonical type of the indices on which some group acts
    fixed: tuple[tuple[Index, ...], ...]  # for each axis, offsets along each tensor index that every group fixes
    acting: tuple[tuple[Index, ...], ...]  # for each axis, offsets along each other index, in canonical order

    @functools.cached_property
    def copies(self) -> Index:
        """Offsets (axes, choices) of the choices of fixed coordinates, which only multiply the copies."""
        return np.array(list(map(_outer_sum, self.fixed)))

    @functools.cached_property
    def entries(self) -> Index:
        """Offsets (axes, size) of the entries of one copy, in canonical order."""
        return np.array(list(map(_outer_sum, self.acting)))


def positions(
    factors: Sequence[Rep], groups: tuple[Group, ...], support: Callable[[TensorType], Index] | None = None
) -> dict[TensorType, Index]:
    """Flat positions (copies, size) of each canonical type in a tensor with one axis for each factor: its blocks as rows of a matrix."""
    sizes = [rep.size(groups[0]) for rep in factors]
    strides = np.array([math.prod(sizes[k + 1 :]) for k in range(len(sizes))], dtype=np.int64)
    by_type: dict[TensorType, list[Index]] = {}
    for segments in itertools.product(*(rep.segments(groups[0]) for rep in factors)):
        starts = [segment.start + segment.size * np.arange(segment.copies, dtype=np.int64) for segment in segments]
        corners = _outer_sum([stride * start for stride, start in zip(strides, starts, strict=True)])
        for block in block_types(tuple(segment.type for segment in segments), groups):
            wanted = slice(None) if support is None else support(block.type)
            entries = (strides @ block.entries)[wanted]
            if len(entries):
                copies = np.add.outer(corners, strides @ block.copies).ravel()
                by_type.setdefault(block.type, []).append(np.add.outer(copies, entries))
    ordered = sorted(by_type, key=lambda tensor_type: (tensor_type.rank, str(tensor_type)))
    return {tensor_type: np.concatenate(by_type[tensor_type]) for tensor_type in ordered}


@functools.lru_cache(maxsize=1024)
def block_types(types: tuple[TensorType, ...], groups: tuple[Group, ...]) -> tuple[BlockType, ...]:
    """The block types of a block with one tensor type on each axis."""
    atoms = [atom for tensor_type in types for atom in tensor_type.atoms]
    splits = [split_atom(atom, groups) for atom in atoms]
    if math.prod(map(len, splits)) > MAX_BLOCK_TYPES:
        splits = [_unsplit(atom, groups) for atom in atoms]
    strides, column = np.zeros((len(types), len(atoms)), dtype=np.int64), 0
    for axis, tensor_type in enumerate(types):
        shape = tensor_type.shape(groups[0])
        for k in range(len(shape)):
            strides[axis, column] = math.prod(shape[k + 1 :])
            column += 1
    return tuple(_block_type(ranges, strides, groups) for ranges in itertools.product(*splits))


def _block_type(ranges: Sequence[Range], strides: Index, groups: tuple[Group, ...]) -> BlockType:
    signs = [atom for atom, _ in ranges if isinstance(atom, Sign)]  # of size one: no offsets
    acting = [(atom, index) for index, (atom, _) in enumerate(ranges) if not (atom is None or isinstance(atom, Sign))]
    tensor_type, order = TensorType((*signs, *(atom for atom, _ in acting))).canonical(groups)
    left = tensor_type.rank - len(acting)  # of the signs
    fixed_indices = [index for index, (atom, _) in enumerate(ranges) if atom is None]
    acting_indices = [acting[i - left][1] for i in order[left:]]

    def offsets(indices: list[int]) -> tuple[tuple[Index, ...], ...]:
        return tuple(tuple(row[k] * ranges[k][1] for k in indices) for row in strides)

    return BlockType(tensor_type, offsets(fixed_indices), offsets(acting_indices))


def _outer_sum(parts: Sequence[Index]) -> Index:
    """All sums of one number of each part, flat, the last part running fastest."""
    return functools.reduce(np.add.outer, parts, np.zeros((), dtype=np.int64)).ravel()


@dataclass(frozen=True)
class Slice(Atom):
    """Some coordinates of an atom, which the groups in question map to themselves."""

    base: Atom
    coordinates: tuple[int, ...]

    @property
    def dual(self) -> Slice:
        return Slice(self.base.dual, self.coordinates)

    def size(self, group: Group) -> int:
        return len(self.coordinates)

    def rho(self, group: Group, g: Element) -> Array:
        return self._cut(self.base.rho(group, g))

    def drho(self, group: Group, A: Element) -> Array:
        return self._cut(self.base.drho(group, A))

    def is_permutation(self, group: Group) -> bool:
        return self.base.is_permutation(group)

    def without_dual(self) -> Slice:
        return Slice(self.base.without_dual(), self.coordinates)

    def order_key(self) -> tuple[object, ...]:
        return (*self.base.order_key(), self.coordinates)

    def _cut(self, matrix: Array) -> Array:
        rows = np.array(self.coordinates)
        return np.ascontiguousarray(matrix[..., rows[:, None], rows])

    def __str__(self) -> str:
        return f"{self.base}{{{','.join(map(str, self.coordinates))}}}"


@functools.lru_cache(maxsize=256)
def split_atom(atom: Atom, groups: tuple[Group, ...]) -> tuple[Range, ...]:
    """The finest direct sum of coordinate blocks that all groups preserve; the coordinates that all fix come last, together."""
    n = atom.size(groups[0])
    if isinstance(atom, Points):
        return _unsplit(atom, groups)
    is_coupled = np.zeros((n, n), dtype=bool)
    for group in groups:
        for A in lie_elements(group):
            is_coupled |= atom.drho(group, A) != 0
        for h in discrete_elements(group):
            is_coupled |= atom.rho(group, h) != np.eye(n)
    _, labels = connected_components(is_coupled, directed=False)
    is_fixed = ~(is_coupled.any(axis=0) | is_coupled.any(axis=1))
    blocks = [np.flatnonzero(labels == k) for k in np.unique(labels[~is_fixed])]
    if len(blocks) == 1 and not is_fixed.any():
        return _unsplit(atom, groups)
    acting = tuple((Slice(atom, tuple(block.tolist())), block) for block in blocks)
    return (*acting, (None, np.flatnonzero(is_fixed))) if is_fixed.any() else acting


def _unsplit(atom: Atom, groups: Sequence[Group]) -> tuple[Range, ...]:
    """The atom as a single block."""
    return ((atom, np.arange(atom.size(groups[0]))),)
