r"""Which entries of a linear map form blocks of one tensor type each.

A map :math:`W` from a sum of copies of A to a sum of copies of B is a grid of blocks of the type :math:`B \otimes A'`, and each block must
be an invariant of that type. Blocks whose types agree up to the order of their indices (and, for orthogonal groups, up to duals)
share one small basis. The layout lists, for every canonical type, the flat positions in W of all its copies as an
array (copies, size): gathering W there puts a type's blocks in the rows of one matrix.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softsym.groups import Group
from softsym.reps import Rep, Segment, TensorType
from softsym.reps.atoms import Atom
from softsym.spaces.split import Split, split, whole

Index = NDArray[np.int64]
Letter = tuple[Atom | None, Index]
MAX_WORDS = 4096
_ZERO = np.zeros((), dtype=np.int64)
_ONE = Segment(start=0, copies=1, type=TensorType(), size=1)  # the columns of a vector


@dataclass(frozen=True, eq=False)
class Word:
    """A part of a block in which every tensor index ranges over one coordinate block of its atom.

    Offsets are pairs (rows, columns) relative to the corner of the block.

    Args:
        type: The canonical type of the indices that some group moves.
        copies: Offsets of the choices of fixed coordinates, which only multiply the copies.
        entries: Offsets of the entries of one copy, in canonical order.
    """

    type: TensorType
    copies: tuple[Index, Index]
    entries: tuple[Index, Index]


def positions(
    rep_out: Rep,
    rep_in: Rep | None,
    groups: tuple[Group, ...],
    support: Callable[[TensorType], Index] | None = None,
) -> dict[TensorType, Index]:
    """Flat positions (copies, size) of all copies of each canonical type in a map ``rep_in`` -> ``rep_out``.

    Args:
        rep_out: Where maps lead.
        rep_in: Where they come from; None for vectors of ``rep_out``.
        groups: The groups that will act; they must agree on all sizes.
        support: Which coordinates of a type are wanted; all by default. A type with none is left out.
    """
    n_in = 1 if rep_in is None else rep_in.size(groups[0])
    columns = [_ONE] if rep_in is None else rep_in.segments(groups[0])
    found: dict[TensorType, list[Index]] = {}
    for out, into in itertools.product(rep_out.segments(groups[0]), columns):
        corners = np.add.outer(_starts(out) * n_in, _starts(into)).ravel()
        for word in words(out.type, into.type.dual, groups):
            rows, across = word.entries
            entries = rows * n_in + across
            if support is not None:
                entries = entries[support(word.type)]
            if len(entries):
                copies = np.add.outer(corners, word.copies[0] * n_in + word.copies[1]).ravel()
                found.setdefault(word.type, []).append(np.add.outer(copies, entries))
    by_rank = sorted(found, key=lambda kind: (kind.rank, str(kind)))
    return {kind: np.concatenate(found[kind]) for kind in by_rank}


@functools.lru_cache(maxsize=1024)
def words(out: TensorType, into: TensorType, groups: tuple[Group, ...]) -> tuple[Word, ...]:
    """The words of a block of type ``out`` (rows) times ``into`` (columns)."""
    axes = [(atom, stride, 0) for atom, stride in _strides(out, groups)]
    axes += [(atom, 0, stride) for atom, stride in _strides(into, groups)]
    splits = [split(atom, groups) for atom, *_ in axes]
    if math.prod(len(found.moving) + bool(found.fixed) for found in splits) > MAX_WORDS:
        splits = [whole(atom, groups) for atom, *_ in axes]
    return tuple(
        _word(letters, [strides for _, *strides in axes], groups)
        for letters in itertools.product(*map(_letters, splits))
    )


def _word(letters: Sequence[Letter], strides: Sequence[Sequence[int]], groups: tuple[Group, ...]) -> Word:
    moving = [(atom, axis) for axis, (atom, _) in enumerate(letters) if atom is not None]
    kind, order = TensorType(tuple(atom for atom, _ in moving)).canonical(groups)
    fixed_axes = [axis for axis, (atom, _) in enumerate(letters) if atom is None]
    moving_axes = [moving[i][1] for i in order]

    def offsets(axes: list[int]) -> tuple[Index, Index]:
        rows, across = (
            functools.reduce(
                np.add.outer, [strides[axis][side] * letters[axis][1] for axis in axes], _ZERO
            ).ravel()
            for side in (0, 1)
        )
        return rows, across

    return Word(kind, offsets(fixed_axes), offsets(moving_axes))


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
