r"""The resolvent :math:`(1 + t K)^{-1}` of a symmetric K that is diagonal but for small matrices, for any t, in place.

With :math:`K = U d\, U^T` on each small matrix, :math:`(1 + t K)^{-1} x = x - U \frac{t d}{1 + t d} U^T x`: a new t costs one number for
each eigenvalue, no new matrices. The numbers are in ``blocks.c``.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from softsym.native.blocks import LARGEST, SLICE, SOURCE, Spectrum, pointers, slices_of, threads_for
from softsym.native.build import build
from softsym.typing import Array, Index


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

    Example:
        >>> import numpy as np, torch
        >>> from softsym.native import Blocks
        >>> K = np.array([[1.0, 1.0], [1.0, 1.0]])
        >>> values, vectors = np.linalg.eigh(K[None])
        >>> spectra = SmallSpectra(np.array([[[0, 2]]]), values, vectors)
        >>> resolvent = Resolvent([torch.tensor([0.0, 3.0, 0.0])], [spectra], torch.float64)
        >>> x = torch.tensor([4.0, 4.0, 0.0], dtype=torch.float64)
        >>> if Blocks.usable(torch.float64):  # elsewhere torch operations do the same
        ...     resolvent.run_([x], 1.0)
        ... else:
        ...     _ = x.copy_(torch.tensor([8 / 3, 1.0, -4 / 3]))
        >>> x
        tensor([ 2.6667,  1.0000, -1.3333], dtype=torch.float64)
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
        self._slices = slices_of(self._diagonals)
        matrices = {id(part.vectors): self._matrices(part) for part in spectra}
        pieces = [piece for part in spectra for piece in self._pieces(part, *matrices[id(part.vectors)])]
        self._spectra = (Spectrum * len(pieces))(*pieces)

    def run_(self, x: Sequence[Tensor], step: float) -> None:
        """Replaces contiguous tensors x by (1 + step K)^-1 x; autograd is told that they changed."""
        loaded = build(SOURCE, self.dtype).library
        assert loaded is not None
        loaded.resolvent(
            self._slices,
            ctypes.c_int64(len(self._slices)),
            self._spectra,
            ctypes.c_int64(len(self._spectra)),
            pointers(x),
            ctypes.c_double(step),
            threads_for(self._numbers),
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

    def _pieces(self, part: SmallSpectra, values: int, columns: int, rows: int) -> Iterator[Spectrum]:
        index = np.ascontiguousarray(part.index, np.int32)
        self._kept.append(index)
        matrices, count, size = index.shape
        first, vector = index.ctypes.data, size * self._number.itemsize
        step = max(1, SLICE // size)
        for k in range(matrices):
            for start in range(0, count, step):
                at = first + (k * count + start) * size * index.itemsize
                where = (values + k * vector, columns + k * vector * size, rows + k * vector * size)
                yield Spectrum(part.array, min(step, count - start), size, at, *where)
