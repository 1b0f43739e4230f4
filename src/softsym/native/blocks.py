r"""Many small matrices K, each applied to many short vectors scattered in long ones: K x, x . K x, and (1 + t K)^-1 x.

With :math:`K = U d\, U^T` on each small matrix, :math:`(1 + t K)^{-1} x = x - U \frac{t d}{1 + t d} U^T x`: a new t costs one number for
each eigenvalue, no new matrices. Everything is computed in ``blocks.c``, in one call for all tensors of a network, since most are small.
Tensors are compared with what was prepared for at every call, and their lengths once more in C: nothing is read or written outside them.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from softsym.errors import InputError
from softsym.native.build import (
    Numbered,
    Source,
    can_run,
    check_tensors,
    custom_op,
    entry,
    full_precision,
    name_signature,
)
from softsym.typing import Array, Index

LARGEST = 1024  # rows of a matrix
LARGEST_PROJECTION = 512  # entries of a projected block; in larger ones two thin products are cheaper than a square one
MOST_PLACES = 2**31  # in an array: they are counted in 32 bits
SLICE = 4096  # numbers that one thread takes at a time
_SLICE_OF_DIAGONAL = 8192
_WORTH_THREADS = 100_000  # numbers in all
_FRESH = 2**25  # bytes from which on memory is fresh each time: the largest threshold of glibc's allocator


@dataclass(frozen=True)
class SmallMatrices:
    """A symmetric matrix (size, size) on short vectors, or None to copy them."""

    index: Index  # where each vector is, shape (count, size)
    matrix: Tensor | None  # the matrix
    array: int = 0  # which of several arrays they lie in


@dataclass(frozen=True)
class SmallSpectra:
    """Symmetric matrices (m, m), each on as many short vectors scattered in one of several arrays."""

    index: Index  # where the vectors of each matrix are, shape (matrices, vectors, m)
    values: Array  # eigenvalues, shape (matrices, m)
    vectors: Array  # eigenvectors in columns, shape (matrices, m, m)
    array: int = 0  # which of several arrays they lie in


def _structure(name: str, numbers: str, pointers: str) -> type[ctypes.Structure]:
    fields: list[tuple[str, Any]] = [(each, ctypes.c_int64) for each in numbers.split()]
    fields += [(each, ctypes.c_void_p) for each in pointers.split()]
    return type(name, (ctypes.Structure,), {"_fields_": fields})


_Block = _structure("Block", "array count size", "at matrix")
_Slice = _structure("Slice", "array first count", "diagonal")
_Spectrum = _structure("Spectrum", "array count size", "at values columns rows")
_SIZES = {f"size of {kind.__name__}": ctypes.sizeof(kind) for kind in (_Block, _Slice, _Spectrum)}
SOURCE = Source(Path(__file__).with_name("blocks.c"), {"largest matrix": LARGEST, **_SIZES})


class _Prepared:
    """What compiled code needs to know of arrays, and the check of arrays against it."""

    def __init__(
        self, dtype: torch.dtype, parts: Sequence[SmallMatrices | SmallSpectra], diagonals: Sequence[Tensor] | None
    ) -> None:
        if any(part.index.shape[-1] > LARGEST for part in parts):
            raise ValueError(f"matrices of more than {LARGEST} rows do not fit compiled code")
        if diagonals is None:
            needed = [0] * (1 + max((part.array for part in parts), default=-1))
        else:
            needed = [diagonal.numel() for diagonal in diagonals]
        for part in parts:
            if part.index.size:
                largest = int(part.index.max()) + 1
                if part.index.min() < 0 or (diagonals is not None and largest > needed[part.array]):
                    raise ValueError(f"places of matrices lie outside of array {part.array}")
                needed[part.array] = max(needed[part.array], largest)
        self.dtype, self._exact, self._needed = dtype, diagonals is not None, needed
        self._needed_array = (ctypes.c_int64 * len(needed))(*needed)
        self._number = np.dtype(str(dtype).removeprefix("torch."))
        self._kept: list[object] = []  # what structures point to
        self._numbers = sum(part.index.size for part in parts) if diagonals is None else sum(needed)
        slices = [
            _Slice(k, n * _SLICE_OF_DIAGONAL, len(piece), self._keep(piece))
            for k, diagonal in enumerate(diagonals or ())
            for n, piece in enumerate(diagonal.split(_SLICE_OF_DIAGONAL))
        ]
        self._slices = (_Slice * len(slices))(*slices)

    def _keep(self, numbers: Any, dtype: type | None = None) -> int:
        """Where numbers begin, in the type and order that compiled code reads; they stay there as long as this object lives."""
        array = np.ascontiguousarray(numbers, dtype or self._number)
        self._kept.append(array)
        return int(array.ctypes.data)

    def _pieces(self, structure: type[Any], array: int, index: Index, *matrices: int | None) -> Iterator[Any]:
        """Structures of matrices on vectors at places (count, size), each of no more than one thread takes at a time."""
        count, size = index.shape
        step = max(1, SLICE // size)
        for start in range(0, count, step):
            piece = index[start : start + step]
            yield structure(array, len(piece), size, self._keep(piece, np.int32), *matrices)

    def _call(
        self, name: str, structures: Sequence[Any], *more: Any, x: Sequence[Tensor], outs: Sequence[Tensor] = ()
    ) -> None:
        """Calls an entry point with (structures, arrays, more arguments), if the arrays are those that were prepared for."""
        check_tensors(x, self.dtype, self._needed, exact=self._exact)
        groups = [x, outs] if outs else [x]
        pairs = [part for kind in structures for part in (kind, ctypes.c_int64(len(kind)))]
        pointers = [(ctypes.c_void_p * len(some))(*(t.data_ptr() for t in some)) for some in groups]
        lengths = (ctypes.c_int64 * (len(groups) * len(x)))(*(t.numel() for some in groups for t in some))
        sizes = (ctypes.c_int64(len(self._needed)), self._needed_array, lengths)
        threads = torch.get_num_threads() if self._numbers > _WORTH_THREADS else 1
        if entry(SOURCE, self.dtype, name)(*pairs, *pointers, *more, *sizes, threads):
            raise InputError("compiled code was given arrays shorter than it was prepared for")


class Blocks(_Prepared):
    """Small matrices applied to arrays in one call; no two of them may hold the same place."""

    def __init__(
        self, matrices: Sequence[SmallMatrices], dtype: torch.dtype, diagonals: Sequence[Tensor] | None = None
    ) -> None:
        super().__init__(dtype, matrices, diagonals)
        pieces: list[Any] = []
        for m in matrices:
            matrix = None if m.matrix is None else self._keep(m.matrix.to(dtype))
            pieces += self._pieces(_Block, m.array, m.index, matrix)
        self._blocks = (_Block * len(pieces))(*pieces)

    @staticmethod
    def usable(arrays: Sequence[Tensor]) -> bool:
        """Whether compiled code can run on these arrays, if they are contiguous, and may."""
        return all(array.numel() < MOST_PLACES for array in arrays) and can_run(SOURCE, arrays)

    def run(self, x: Sequence[Tensor], out: Sequence[Tensor]) -> None:
        """Writes the results for the arrays x into the arrays out, all contiguous."""
        check_tensors(out, self.dtype, self._needed)
        self._call("run", [self._blocks], x=x, outs=out)


class Quadratic(Blocks):
    """x -> (K x, x . K x, x . x) for tensors x, taken as one vector, in one call."""

    def __init__(self, diagonals: Sequence[Tensor], matrices: Sequence[SmallMatrices], dtype: torch.dtype) -> None:
        super().__init__(matrices, dtype, diagonals)

    def quadratic(self, x: Sequence[Tensor]) -> tuple[list[Tensor], float, float]:
        """K x as new tensors of the same shapes, x . K x and x . x, for contiguous tensors."""
        out, sums = [_empty_like(part) for part in x], (ctypes.c_double * (2 * len(self._slices)))()
        self._call("quadratic", [self._slices, self._blocks], sums, x=x, outs=out)
        return out, sums[0], sums[1]


class Resolvent(_Prepared):
    """x -> (1 + t K)^-1 x for tensors x, taken as one vector, in place and in one call."""

    def __init__(self, diagonals: Sequence[Tensor], spectra: Sequence[SmallSpectra], dtype: torch.dtype) -> None:
        super().__init__(dtype, spectra, diagonals)
        shared: dict[int, list[Array]] = {}  # numbers of matrices that act on several arrays
        pieces: list[Any] = []
        for part in spectra:
            if id(part.vectors) not in shared:
                numbers = (part.values, part.vectors, np.swapaxes(part.vectors, 1, 2))
                shared[id(part.vectors)] = [np.ascontiguousarray(each, self._number) for each in numbers]
            for index, *matrices in zip(part.index, *shared[id(part.vectors)], strict=True):
                pieces += self._pieces(_Spectrum, part.array, index, *map(self._keep, matrices))
        self._spectra = (_Spectrum * len(pieces))(*pieces)

    def run_(self, x: Sequence[Tensor], step: float) -> None:
        """Replaces contiguous tensors x by (1 + step K)^-1 x; autograd is notified of the change."""
        self._call("resolvent", [self._slices, self._spectra], ctypes.c_double(step), x=x)
        torch.autograd.graph.increment_version(x)


def _empty_like(tensor: Tensor) -> Tensor:
    """A new tensor like a contiguous one on the CPU, of undefined numbers.

    Fresh memory comes page by page, which takes several times longer than what is computed here; NumPy asks for large pages.
    """
    if tensor.nbytes < _FRESH:
        return torch.empty_like(tensor)
    return torch.from_numpy(np.empty(tensor.shape, str(tensor.dtype).removeprefix("torch.")))


@dataclass(frozen=True, eq=False)
class Subspace:
    """Blocks of equal size in one of several tensors."""

    tensor: int  # which tensor
    index: Index  # flat positions, (copies, size)
    # orthonormal columns (size, rank) that span each block's subspace; None where that is everything
    factor: Tensor | None


class Projection(Numbered):
    """The nearest tensors with every block in its subspace, and zero outside all blocks; copies of a layer share it."""

    def __init__(self, subspaces: Sequence[Subspace]) -> None:
        super().__init__(subspaces)
        self.subspaces = tuple(subspaces)
        self.fits = all(part.index.shape[1] <= LARGEST_PROJECTION for part in self.subspaces)
        self._blocks: dict[torch.dtype, Blocks] = {}

    def run(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """The projections of tensors of one kind of numbers, in compiled code."""
        dtype = tensors[0].dtype
        if dtype not in self._blocks:
            factors = [None if part.factor is None else part.factor.to(dtype) for part in self.subspaces]
            with full_precision(tensors[0]):
                matrices = [None if F is None else F @ F.T for F in factors]
            parts = zip(self.subspaces, matrices, strict=True)
            # An empty block for each tensor, so that those without subspaces are counted too.
            empty = [SmallMatrices(np.zeros((0, 1), np.int64), None, k) for k in range(len(tensors))]
            blocks = [SmallMatrices(part.index, matrix, part.tensor) for part, matrix in parts]
            self._blocks[dtype] = Blocks([*blocks, *empty], dtype)
        outs = [torch.zeros_like(tensor, memory_format=torch.contiguous_format) for tensor in tensors]
        self._blocks[dtype].run([tensor.contiguous() for tensor in tensors], outs)
        return outs


def project(projection: Projection, tensors: Sequence[Tensor]) -> list[Tensor] | None:
    """The nearest tensors in their subspaces, in compiled code; None where it cannot run."""
    if not projection.fits or not Blocks.usable(tensors):
        return None
    if torch.compiler.is_compiling():
        return list(_project(list(tensors), projection.number))
    return list(_Project.apply(projection, *tensors))


@custom_op("softsym::project", schema="(Tensor[] tensors, SymInt projection) -> Tensor[]")
def _project(tensors: list[Tensor], projection: int) -> list[Tensor]:
    return Projection.numbered(projection).run(tensors)


@_project.register_fake
def _(tensors: list[Tensor], projection: int) -> list[Tensor]:
    return [torch.empty_like(tensor, memory_format=torch.contiguous_format) for tensor in tensors]


def _keep_projection(ctx: Any, inputs: tuple[Any, ...], output: list[Tensor]) -> None:
    ctx.number = inputs[1]


def _projected_gradients(ctx: Any, grads: list[Tensor]) -> tuple[list[Tensor], None]:
    return _project(grads, ctx.number), None  # a projection is its own adjoint


_project.register_autograd(_projected_gradients, setup_context=_keep_projection)


@name_signature
class _Project(torch.autograd.Function):
    """The operator without the dispatcher."""

    @staticmethod
    def forward(projection: Projection, *tensors: Tensor) -> tuple[Tensor, ...]:
        return tuple(projection.run(tensors))

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, ...]) -> None:
        ctx.projection = inputs[0]

    @staticmethod
    def backward(ctx: Any, *grads: Tensor) -> tuple[Tensor | None, ...]:
        if torch.is_grad_enabled():  # derivatives of the gradient are wanted too
            return None, *_Project.apply(ctx.projection, *grads)
        return None, *ctx.projection.run(grads)

    @staticmethod
    def jvp(ctx: Any, _: None, *tangents: Tensor) -> tuple[Tensor, ...]:
        return tuple(_Project.apply(ctx.projection, *tangents))

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], projection: Projection, *inputs: Tensor) -> tuple[Any, Any]:
        pairs = zip(inputs, in_dims[1:], strict=True)
        stacked = [x.expand(info.batch_size, *x.shape) if dim is None else x.movedim(dim, 0) for x, dim in pairs]
        rows = [_Project.apply(projection, *row) for row in zip(*stacked, strict=True)]
        return tuple(map(torch.stack, zip(*rows, strict=True))), (0,) * len(inputs)
