"""Lists of instructions for the interpreter in ``samples.c``, and the spaces they refer to."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from softsym.native.library import compiled, matrix_product, thread_limit

SOURCE = Path(__file__).with_name("samples.c")
CHUNK = 64  # samples that are carried through a program together: what they need should fit the second cache
_WORTH_THREADS = 25_000  # numbers of a batch; about where torch, too, begins to share work out


class Op(IntEnum):
    """What an instruction does; as in samples.c."""

    SPREAD = 0
    CLEAR = 1
    FORM_LEFT = 2
    FORM_Z = 3
    GATHER = 4
    OPEN = 5
    SWISH = 6
    GATE = 7
    SWISH_BACK = 8
    GATE_BACK = 9
    TIMES_TRANSPOSED = 10
    TIMES = 11
    ADD_OUTER = 12


class Kind(IntEnum):
    """What a space has room for: the whole batch, the part of it that a thread is at, one set of numbers, or one for each thread."""

    WHOLE = 0
    PART = 1
    SHARED = 2
    OWN = 3


_FOR_EACH_THREAD = (Kind.PART, Kind.OWN)


class _Place(ctypes.Structure):
    _fields_ = [(name, ctypes.c_int32) for name in ("space", "width", "before", "start")]


class _Instruction(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_int32) for name in ("op", "rows", "columns", "inner", "adds")),
        ("scale", ctypes.c_double),
        *((name, _Place) for name in ("z", "left", "right", "weight", "out")),
        ("row", ctypes.c_void_p),
        ("column", ctypes.c_void_p),
    ]


class _Space(ctypes.Structure):
    _fields_ = [("base", ctypes.c_void_p), ("kind", ctypes.c_int64), ("apart", ctypes.c_int64)]


Place = tuple[int, int, int, int]
NOWHERE: Place = (0, 0, 0, 0)


@dataclass(frozen=True)
class Region:
    """``width`` numbers for each sample in a space, after ``before`` numbers for each sample that belong to others."""

    space: int
    width: int
    before: int = 0

    def at(self, start: int = 0) -> Place:
        """Where an instruction finds it, from one of its numbers on."""
        return self.space, self.width, self.before, start


class Layout:
    """Regions of one space, one after the other."""

    def __init__(self, space: int) -> None:
        self.space, self.width = space, 0

    def add(self, width: int) -> Region:
        """A new region."""
        region = Region(self.space, width, self.width)
        self.width += width
        return region


@dataclass(frozen=True)
class Split:
    """How a batch is shared out: ``threads`` threads carry ``chunk`` samples at a time."""

    batch: int
    threads: int
    chunk: int

    @classmethod
    def of(cls, batch: int, width: int) -> Split:
        """Chunks of nearly equal size, as many for each thread; small batches of narrow layers are not worth a second thread."""
        threads = torch.get_num_threads() if batch * width >= _WORTH_THREADS else 1
        rounds = -(-batch // (threads * CHUNK))
        return cls(batch, threads, -(-batch // (threads * rounds)))


def usable(dtype: torch.dtype) -> bool:
    """Whether this machine can run programs."""
    return compiled(SOURCE, dtype) is not None and matrix_product(dtype) is not None


class Program:
    """Instructions that are carried out one after the other for each sample of a batch."""

    def __init__(self, kinds: Sequence[Kind]) -> None:
        self.kinds = tuple(kinds)
        self._instructions: list[_Instruction] = []
        self._tables: list[np.ndarray] = []  # what instructions point to
        self._packed: ctypes.Array[_Instruction] | None = None

    def add(
        self,
        op: Op,
        rows: int = 0,
        columns: int = 0,
        inner: int = 0,
        *,
        adds: bool = False,
        scale: float = 1.0,
        z: Place = NOWHERE,
        left: Place = NOWHERE,
        right: Place = NOWHERE,
        weight: Place = NOWHERE,
        out: Place = NOWHERE,
        row: Sequence[int] = (),
        column: Sequence[int] = (),
    ) -> None:
        """Appends an instruction; ``samples.c`` says what its operands mean."""
        places = (_Place(*place) for place in (z, left, right, weight, out))
        self._instructions.append(
            _Instruction(
                op, rows, columns, inner, adds, scale, *places, self._table(row), self._table(column)
            )
        )
        self._packed = None

    def run(self, split: Split, spaces: Sequence[Tensor]) -> None:
        """Carries it out; spaces that threads do not share have one row for each of them."""
        if self._packed is None:
            self._packed = (_Instruction * len(self._instructions))(*self._instructions)
        loaded = compiled(SOURCE, spaces[0].dtype)
        assert loaded is not None
        found = (_Space * len(spaces))()
        for entry, space, kind in zip(found, spaces, self.kinds, strict=True):
            entry.base, entry.kind = space.data_ptr(), kind
            if kind in _FOR_EACH_THREAD:
                entry.apart = space.stride(0)
        loaded.run(
            self._packed,
            len(self._packed),
            found,
            ctypes.c_int64(split.batch),
            ctypes.c_int64(split.chunk),
            split.threads,
            matrix_product(spaces[0].dtype),
            thread_limit(),
        )

    def _table(self, numbers: Sequence[int]) -> int | None:
        if not len(numbers):
            return None
        table = np.ascontiguousarray(numbers, np.int32)
        self._tables.append(table)
        return table.ctypes.data
