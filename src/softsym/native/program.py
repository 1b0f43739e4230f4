"""Lists of instructions for the interpreter in ``hidden_layer.c``, and the spaces they refer to; README.md explains both."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from softsym.native.build import Source, build, compiled
from softsym.native.matrix_product import matrix_product

CHUNK = 64  # samples that are carried through a program together: what they need should fit the second cache
_WORTH_THREADS = 25_000  # numbers of a batch; about where torch, too, begins to share work out


class Op(IntEnum):
    """What an instruction does; as in hidden_layer.c."""

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


SOURCE = Source(
    Path(__file__).with_name("hidden_layer.c"),
    {"number of opcodes": len(Op), "kinds of spaces": len(Kind)},
    (_Place, _Space, _Instruction),
)

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
    def of(cls, batch: int, width: int, dtype: torch.dtype = torch.float32) -> Split:
        """Chunks of nearly equal size, as many for each thread; small batches of narrow layers are not worth a second thread."""
        several = batch * width >= _WORTH_THREADS and build(SOURCE, dtype).threaded
        threads = torch.get_num_threads() if several else 1
        rounds = max(1, -(-batch // (threads * CHUNK)))
        return cls(batch, threads, max(1, -(-batch // (threads * rounds))))


def usable(dtype: torch.dtype) -> bool:
    """Whether this machine can run programs, and may."""
    return compiled(SOURCE, dtype) is not None and matrix_product(dtype) is not None


class Program:
    """Instructions that are carried out one after the other for each sample of a batch.

    Args:
        spaces: Name and kind of each space of a call.

    Example:
        >>> program = Program({"x": Kind.WHOLE, "out": Kind.WHOLE})
        >>> program.add(Op.SPREAD, 3, 2, 2, left=Region(1, 6).at(), right=Region(0, 6).at())
        >>> print(program)
        SPREAD              3 x    2 x    2  left=out[6] right=x[6]
    """

    def __init__(self, spaces: Mapping[str, Kind]) -> None:
        self.spaces = dict(spaces)
        self._instructions: list[_Instruction] = []
        self._tables: list[np.ndarray] = []  # what instructions point to
        self._packed: ctypes.Array[_Instruction] | None = None
        self._blank = (_Space * len(self.spaces))(*(_Space(None, kind, 0) for kind in self.spaces.values()))
        per_thread = (Kind.PART, Kind.OWN)
        self._per_thread = [k for k, kind in enumerate(self.spaces.values()) if kind in per_thread]

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
        """Appends an instruction; ``hidden_layer.c`` says what its operands mean."""
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
        dtype = spaces[0].dtype
        library, product = build(SOURCE, dtype).library, matrix_product(dtype)
        assert library is not None
        assert product is not None
        entries = type(self._blank).from_buffer_copy(
            self._blank
        )  # one for each call: several may run at a time
        for entry, space in zip(entries, spaces, strict=True):
            entry.base = space.data_ptr()
        for k in self._per_thread:
            entries[k].apart = spaces[k].stride(0)
        library.run(
            self._packed,
            len(self._packed),
            entries,
            ctypes.c_int64(split.batch),
            ctypes.c_int64(split.chunk),
            split.threads,
            product.address,
            product.limit,
        )

    def __str__(self) -> str:
        """One line for each instruction: what it does, its sizes, and where its operands lie."""
        return "\n".join(self._line(instruction) for instruction in self._instructions)

    def _line(self, instruction: _Instruction) -> str:
        names = list(self.spaces)
        sizes = " x ".join(f"{getattr(instruction, name):4}" for name in ("rows", "columns", "inner"))
        operands = []
        for operand in ("z", "left", "right", "weight", "out"):
            place: _Place = getattr(instruction, operand)
            if (place.space, place.width, place.before, place.start) != NOWHERE:
                first = f"{place.before}+" if place.before else ""
                begin = f"{place.start}:" if place.start else ""
                operands.append(f"{operand}={names[place.space]}[{first}{begin}{place.width}]")
        adds = " adds" if instruction.adds else ""
        scale = f" scale={instruction.scale:g}" if instruction.scale != 1 else ""
        return f"{Op(instruction.op).name:16} {sizes}{adds}{scale}  {' '.join(operands)}"

    def _table(self, numbers: Sequence[int]) -> int | None:
        if not len(numbers):
            return None
        table = np.ascontiguousarray(numbers, np.int32)
        self._tables.append(table)
        return table.ctypes.data
