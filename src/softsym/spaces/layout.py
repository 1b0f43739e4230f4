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
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softsym.groups import Group
from softsym.reps import Rep, Segment, TensorType
from softsym.reps.atoms import Atom
from softsym.spaces.split import Split, split, whole

Index = NDArray[np.int64]
MAX_WORDS = 4096


@dataclass(frozen=True)
class Axis:
    """One tensor index of a block: how its coordinates split, and how far apart they lie in the flat map."""

    split: Split
    stride: int


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
    columns: list[Segment | None] = [None] if rep_in is None else list(rep_in.segments(groups[0]))
    found: dict[TensorType, list[Index]] = {}
    for out, into in itertools.product(rep_out.segments(groups[0]), columns):
        for kind, index in _piece(out, into, n_in, groups, support):
            found.setdefault(kind, []).append(index)
    by_rank = sorted(found, key=lambda kind: (kind.rank, str(kind)))
    return {kind: np.concatenate(found[kind]) for kind in by_rank}


def _piece(
    out: Segment,
    into: Segment | None,
    n_in: int,
    groups: tuple[Group, ...],
    support: Callable[[TensorType], Index] | None,
) -> Iterator[tuple[TensorType, Index]]:
    """The blocks between one run of equal types in the output and one in the input."""
    base = (out.start + out.size * np.arange(out.copies, dtype=np.int64)) * n_in
    axes = _axes(out.type, n_in, groups)
    if into is not None:
        base = np.add.outer(base, into.start + into.size * np.arange(into.copies, dtype=np.int64))
        axes += _axes(into.type.dual, 1, groups)
    if math.prod(len(axis.split.moving) + 1 for axis in axes) > MAX_WORDS:
        kinds = out.type.atoms + (() if into is None else into.type.dual.atoms)
        axes = [Axis(whole(atom, groups), axis.stride) for atom, axis in zip(kinds, axes, strict=True)]
    for word in itertools.product(*(_letters(axis) for axis in axes)):
        copies = base.ravel()
        moving: list[tuple[Atom, Index]] = []
        for atom, offsets in word:
            if atom is None:  # a fixed coordinate only multiplies the copies
                copies = np.add.outer(copies, offsets).ravel()
            else:
                moving.append((atom, offsets))
        kind, order = TensorType(tuple(atom for atom, _ in moving)).canonical(groups)
        entries = functools.reduce(
            np.add.outer, [moving[i][1] for i in order], np.zeros((), np.int64)
        ).ravel()
        if support is not None:
            entries = entries[support(kind)]
        if len(entries):
            yield kind, np.add.outer(copies, entries)


def _axes(kind: TensorType, unit: int, groups: tuple[Group, ...]) -> list[Axis]:
    shape = kind.shape(groups[0])
    strides = [unit * math.prod(shape[k + 1 :]) for k in range(len(shape))]
    return [Axis(split(atom, groups), stride) for atom, stride in zip(kind.atoms, strides, strict=True)]


def _letters(axis: Axis) -> list[tuple[Atom | None, Index]]:
    """The blocks an index can range over, with the flat offsets of their coordinates; None marks the fixed coordinates."""
    letters: list[tuple[Atom | None, Index]] = [
        (atom, axis.stride * np.array(coordinates, dtype=np.int64)) for atom, coordinates in axis.split.moving
    ]
    if axis.split.fixed:
        letters.append((None, axis.stride * np.array(axis.split.fixed, dtype=np.int64)))
    return letters
