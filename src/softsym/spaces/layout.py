r"""Which entries of a tensor form blocks of one tensor type each.

A map :math:`W` from a sum of copies of A to a sum of copies of B is a grid of blocks of the type :math:`B \otimes A'`, and each block must
be an invariant of that type; a tensor with one axis for each of several representations likewise. Blocks whose types agree up to the
order of their indices (and, for orthogonal groups, up to duals) share one small basis. The layout lists, for every canonical type, the
flat positions in W of all its copies as an array (copies, size): gathering W there puts a type's blocks in the rows of one matrix.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from softsym.groups import Group
from softsym.reps import Rep, Segment, TensorType
from softsym.reps.atoms import Atom
from softsym.spaces.split import Split, split, whole
from softsym.typing import Index

Letter = tuple[Atom | None, Index]
MAX_WORDS = 4096
_ZERO = np.zeros((), dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Word:
    """A part of a block in which every tensor index ranges over one coordinate block of its atom.

    Offsets are relative to the corner of the block, one row for each axis of the tensor.

    Args:
        type: The canonical type of the indices that some group moves.
        copies: Offsets (axes, choices) of the choices of fixed coordinates, which only multiply the copies.
        entries: Offsets (axes, size) of the entries of one copy, in canonical order.
    """

    type: TensorType
    copies: Index
    entries: Index


def positions(
    factors: Sequence[Rep],
    groups: tuple[Group, ...],
    support: Callable[[TensorType], Index] | None = None,
) -> dict[TensorType, Index]:
    """Flat positions (copies, size) of all copies of each canonical type in a tensor with one axis for each factor.

    Args:
        factors: The representation of each axis: (``rep_out``, dual of ``rep_in``) for a map, (``rep``,) for a vector.
        groups: The groups that will act; they must agree on all sizes.
        support: Which coordinates of a type are wanted; all by default. A type with none is left out.
    """
    sizes = [rep.size(groups[0]) for rep in factors]
    strides = np.array([math.prod(sizes[k + 1 :]) for k in range(len(sizes))], dtype=np.int64)
    found: dict[TensorType, list[Index]] = {}
    for segments in itertools.product(*(rep.segments(groups[0]) for rep in factors)):
        starts = [stride * _starts(segment) for stride, segment in zip(strides, segments, strict=True)]
        corners = _outer_sum(starts)
        for word in words(tuple(segment.type for segment in segments), groups):
            entries = strides @ word.entries
            if support is not None:
                entries = entries[support(word.type)]
            if len(entries):
                copies = np.add.outer(corners, strides @ word.copies).ravel()
                found.setdefault(word.type, []).append(np.add.outer(copies, entries))
    by_rank = sorted(found, key=lambda kind: (kind.rank, str(kind)))
    return {kind: np.concatenate(found[kind]) for kind in by_rank}


@functools.lru_cache(maxsize=1024)
def words(types: tuple[TensorType, ...], groups: tuple[Group, ...]) -> tuple[Word, ...]:
    """The words of a block with one tensor type on each axis."""
    indices = [
        (atom, place, stride) for place, kind in enumerate(types) for atom, stride in _strides(kind, groups)
    ]
    splits = [split(atom, groups) for atom, *_ in indices]
    if math.prod(len(found.moving) + bool(found.fixed) for found in splits) > MAX_WORDS:
        splits = [whole(atom, groups) for atom, *_ in indices]
    strides = np.zeros((len(types), len(indices)), dtype=np.int64)
    for k, (_, place, stride) in enumerate(indices):
        strides[place, k] = stride
    return tuple(_word(letters, strides, groups) for letters in itertools.product(*map(_letters, splits)))


def _word(letters: Sequence[Letter], strides: Index, groups: tuple[Group, ...]) -> Word:
    moving = [(atom, index) for index, (atom, _) in enumerate(letters) if atom is not None]
    kind, order = TensorType(tuple(atom for atom, _ in moving)).canonical(groups)
    fixed_indices = [index for index, (atom, _) in enumerate(letters) if atom is None]
    moving_indices = [moving[i][1] for i in order]

    def offsets(indices: list[int]) -> Index:
        return np.array([_outer_sum([row[k] * letters[k][1] for k in indices]) for row in strides])

    return Word(kind, offsets(fixed_indices), offsets(moving_indices))


def _outer_sum(parts: Sequence[Index]) -> Index:
    """All sums of one number of each part, flat, the last part running fastest."""
    return functools.reduce(np.add.outer, parts, _ZERO).ravel()


def _strides(kind: TensorType, groups: tuple[Group, ...]) -> list[tuple[Atom, int]]:
    shape = kind.shape(groups[0])
    return [(atom, math.prod(shape[k + 1 :])) for k, atom in enumerate(kind.atoms)]


def _letters(found: Split) -> list[Letter]:
    """The coordinate blocks an index can range over; None marks the fixed coordinates."""
    letters: list[Letter] = [
        (atom, np.array(coordinates, dtype=np.int64)) for atom, coordinates in found.moving
    ]
    if found.fixed:
        letters.append((None, np.array(found.fixed, dtype=np.int64)))
    return letters


def _starts(segment: Segment) -> Index:
    return segment.start + segment.size * np.arange(segment.copies, dtype=np.int64)
