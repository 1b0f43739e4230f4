r"""Many small matrices K, each applied to many short vectors scattered in long ones: K x, x . K x, and (1 + t K)^-1 x.

With :math:`K = U d\, U^T` on each small matrix, :math:`(1 + t K)^{-1} x = x - U \frac{t d}{1 + t d} U^T x`: a new t costs one number for
each eigenvalue, no new matrices. Everything is computed in ``blocks.c``, in one call for all tensors of a network, since most are small.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from softsym.native.build import Source, build, load
from softsym.typing import Array, Index

LARGEST = 1024  # rows or columns of a matrix
MOST_PLACES = 2**31  # in an array: they are counted in 32 bits
SLICE = 4096  # numbers that one thread takes at a time
_SLICE_OF_DIAGONAL = 8192
_WORTH_THREADS = 100_000  # numbers in all
_FRESH = 2**25  # bytes from which on memory is fresh each time: the largest threshold of glibc's allocator


@dataclass(frozen=True)
class SmallMatrices:
    """A matrix (rows, columns) that maps row vectors, or None to copy them.

    Args:
        count: How many vectors.
        rows: Their length.
        columns: Length of what comes out.
        matrix: The matrix.
        source: Where each vector is, (count, rows), or where the first begins if they lie one after the other.
        target: Where each result goes, likewise.
        array: Which of several arrays they lie in.
    """

    count: int
    rows: int
    columns: int
    matrix: Tensor | None
    source: Index | int
    target: Index | int
    array: int = 0


def _pointers(tensors: Sequence[Tensor]) -> ctypes.Array[ctypes.c_void_p]:
    """Where the numbers of tensors are, for compiled code; the tensors must be contiguous."""
    return (ctypes.c_void_p * len(tensors))(*(t.data_ptr() for t in tensors))


def _threads_for(numbers: int) -> int:
    """How many threads are worth starting for a light task on so many numbers."""
    return torch.get_num_threads() if numbers > _WORTH_THREADS else 1


def _slices_of(diagonals: Sequence[Tensor]) -> ctypes.Array[_Slice]:
    """Contiguous diagonals of several arrays in parts for threads; they must outlive these."""
    parts = [
        _Slice(k, first, min(_SLICE_OF_DIAGONAL, d.numel() - first), d.data_ptr() + first * d.element_size())
        for k, d in enumerate(diagonals)
        for first in range(0, d.numel(), _SLICE_OF_DIAGONAL)
    ]
    return (_Slice * len(parts))(*parts)


class _Block(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_int64) for name in ("array", "count", "rows", "columns", "first_from", "first_to")),
        *((name, ctypes.c_void_p) for name in ("source", "target", "matrix")),
    ]


class _Slice(ctypes.Structure):
    """A part of an array, and a diagonal matrix on it."""

    _fields_ = [
        *((name, ctypes.c_int64) for name in ("array", "first", "count")),
        ("diagonal", ctypes.c_void_p),
    ]


class _Spectrum(ctypes.Structure):
    """A symmetric matrix on scattered vectors: places, eigenvalues, eigenvectors in columns and in rows."""

    _fields_ = [
        *((name, ctypes.c_int64) for name in ("array", "count", "size")),
        *((name, ctypes.c_void_p) for name in ("at", "values", "columns", "rows")),
    ]


_SIZES = {f"size of {kind.__name__[1:]}": ctypes.sizeof(kind) for kind in (_Block, _Slice, _Spectrum)}
SOURCE = Source(Path(__file__).with_name("blocks.c"), {"largest matrix": LARGEST, **_SIZES})


class Blocks:
    """All of them, applied in one call.

    Args:
        matrices: No two may write to the same place.
        dtype: What kind of numbers.
    """

    def __init__(self, matrices: Sequence[SmallMatrices], dtype: torch.dtype) -> None:
        if any(max(m.rows, m.columns) > LARGEST for m in matrices):
            raise ValueError(f"matrices of more than {LARGEST} rows or columns do not fit compiled code")
        self.dtype = dtype
        self._kept: list[object] = []  # what blocks point to
        slices = [piece for m in matrices for piece in self._slices(m)]
        self._blocks = (_Block * len(slices))(*slices)
        self._numbers = sum(m.count * max(m.rows, m.columns) for m in matrices)

    @staticmethod
    def usable(dtype: torch.dtype, size: int = 0) -> bool:
        """Whether this machine can run them on arrays of a size, and may."""
        return size < MOST_PLACES and load(SOURCE, dtype) is not None

    def run(self, x: Sequence[Tensor], out: Sequence[Tensor]) -> None:
        """Writes the results for the arrays x into the arrays out, all contiguous."""
        loaded = build(SOURCE, self.dtype).library
        assert loaded is not None
        loaded.run(*self.pointers, _pointers(x), _pointers(out), _threads_for(self._numbers))

    @property
    def pointers(self) -> tuple[ctypes.Array[_Block], ctypes.c_int64]:
        """The blocks as compiled code takes them."""
        return self._blocks, ctypes.c_int64(len(self._blocks))

    def _slices(self, m: SmallMatrices) -> list[_Block]:
        matrix = None if m.matrix is None else m.matrix.to(self.dtype).contiguous()
        self._kept.append(matrix)
        step = max(1, SLICE // max(m.rows, m.columns))
        return [
            _Block(
                m.array,
                min(step, m.count - start),
                m.rows,
                m.columns,
                *(self._first(where, start, n) for where, n in ((m.source, m.rows), (m.target, m.columns))),
                *(self._index(where, start, step) for where in (m.source, m.target)),
                None if matrix is None else matrix.data_ptr(),
            )
            for start in range(0, m.count, step)
        ]

    def _first(self, where: Index | int, start: int, length: int) -> int:
        return where + start * length if isinstance(where, int) else 0

    def _index(self, where: Index | int, start: int, step: int) -> int | None:
        if isinstance(where, int):
            return None
        piece = np.ascontiguousarray(where[start : start + step], np.int32)
        self._kept.append(piece)
        return piece.ctypes.data


class Quadratic:
    """x -> (K x, x . K x, x . x) for tensors x, taken as one vector, in one call.

    Args:
        diagonals: The diagonal of K on each tensor; whatever it is where blocks write.
        matrices: The blocks of K; each lies within one tensor.
        dtype: What kind of numbers.
    """

    def __init__(
        self, diagonals: Sequence[Tensor], matrices: Sequence[SmallMatrices], dtype: torch.dtype
    ) -> None:
        self._diagonals = [d.to(dtype).contiguous() for d in diagonals]  # kept: slices point to them
        self._blocks = Blocks(matrices, dtype)
        self._numbers = sum(d.numel() for d in diagonals)
        self._slices = _slices_of(self._diagonals)
        self._sums = ctypes.c_double * (2 * len(self._slices))
        self.dtype = dtype

    def run(self, x: Sequence[Tensor]) -> tuple[list[Tensor], float, float]:
        """K x as new tensors of the same shapes, x . K x and x . x, for contiguous tensors."""
        loaded = build(SOURCE, self.dtype).library
        assert loaded is not None
        out = [_empty_like(part) for part in x]
        sums = self._sums()
        loaded.quadratic(
            self._slices,
            ctypes.c_int64(len(self._slices)),
            *self._blocks.pointers,
            _pointers(x),
            _pointers(out),
            sums,
            _threads_for(self._numbers),
        )
        return out, sums[0], sums[1]


@dataclass(frozen=True)
class SmallSpectra:
    """Symmetric matrices (m, m), each on as many short vectors scattered in one of several arrays.

    Args:
        index: Where the vectors of each matrix are, shape (matrices, vectors, m).
        values: Eigenvalues, shape (matrices, m).
        vectors: Eigenvectors in columns, shape (matrices, m, m).
        array: Which of several arrays they lie in.
    """

    index: Index
    values: Array
    vectors: Array
    array: int = 0


class Resolvent:
    """x -> (1 + t K)^-1 x for tensors x, taken as one vector, in place and in one call.

    Args:
        diagonals: The diagonal of K on each tensor; zero where spectra are.
        spectra: The small matrices of K; no two hold the same place.
        dtype: What kind of numbers.
    """

    def __init__(
        self, diagonals: Sequence[Tensor], spectra: Sequence[SmallSpectra], dtype: torch.dtype
    ) -> None:
        if any(part.index.shape[2] > LARGEST for part in spectra):
            raise ValueError(f"matrices of more than {LARGEST} rows do not fit compiled code")
        self.dtype = dtype
        self._number = np.dtype(str(dtype).removeprefix("torch."))
        self._kept: list[object] = []  # what structures point to
        self._diagonals = [d.to(dtype).contiguous() for d in diagonals]
        self._numbers = sum(d.numel() for d in diagonals)
        self._slices = _slices_of(self._diagonals)
        matrices = {id(part.vectors): self._matrices(part) for part in spectra}
        pieces = [piece for part in spectra for piece in self._pieces(part, *matrices[id(part.vectors)])]
        self._spectra = (_Spectrum * len(pieces))(*pieces)

    def run_(self, x: Sequence[Tensor], step: float) -> None:
        """Replaces contiguous tensors x by (1 + step K)^-1 x; autograd is notified of the change."""
        loaded = build(SOURCE, self.dtype).library
        assert loaded is not None
        loaded.resolvent(
            self._slices,
            ctypes.c_int64(len(self._slices)),
            self._spectra,
            ctypes.c_int64(len(self._spectra)),
            _pointers(x),
            ctypes.c_double(step),
            _threads_for(self._numbers),
        )
        torch.autograd.graph.increment_version(x)

    def _matrices(self, part: SmallSpectra) -> tuple[int, int, int]:
        """Where eigenvalues and eigenvectors, in columns and in rows, begin; those of several arrays are kept once."""
        arrays = [
            np.ascontiguousarray(numbers, self._number)
            for numbers in (part.values, part.vectors, np.swapaxes(part.vectors, 1, 2))
        ]
        self._kept.extend(arrays)
        values, columns, rows = (array.ctypes.data for array in arrays)
        return values, columns, rows

    def _pieces(self, part: SmallSpectra, values: int, columns: int, rows: int) -> Iterator[_Spectrum]:
        index = np.ascontiguousarray(part.index, np.int32)
        self._kept.append(index)
        matrices, count, size = index.shape
        first, vector = index.ctypes.data, size * self._number.itemsize
        step = max(1, SLICE // size)
        for k in range(matrices):
            for start in range(0, count, step):
                at = first + (k * count + start) * size * index.itemsize
                where = (values + k * vector, columns + k * vector * size, rows + k * vector * size)
                yield _Spectrum(part.array, min(step, count - start), size, at, *where)


def _empty_like(tensor: Tensor) -> Tensor:
    """A new tensor like a contiguous one on the CPU, of undefined numbers; a large one in large pages where the system has them.

    Allocators keep what was freed, but no more than 32 megabytes at a time. Larger memory is fresh and comes page by page when it is first
    written; in pages of four kilobytes that takes several times longer than what is computed here. NumPy asks for large ones, too.
    """
    out = torch.empty_like(tensor)
    if out.nbytes >= _FRESH:
        page = mmap.PAGESIZE
        first = -(-out.data_ptr() // page) * page
        _ask_for_large_pages()(first, (out.data_ptr() + out.nbytes) // page * page - first)
    return out


@functools.cache
def _ask_for_large_pages() -> Callable[[int, int], object]:
    """The system's call for (address, bytes), which it may refuse, or nothing where there is none."""
    advice = getattr(mmap, "MADV_HUGEPAGE", None)
    if advice is None:  # not Linux
        return lambda address, size: None
    advise = ctypes.CDLL(None).madvise
    advise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    return lambda address, size: advise(address, size, advice)
