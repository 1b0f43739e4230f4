"""A quadratic form of several tensors with its gradient, for a matrix that is diagonal but for small blocks."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence

import torch
from torch import Tensor

from softsym.native.blocks import SOURCE, Blocks, SmallMatrices, pointers, threads_for
from softsym.native.library import compiled

_SLICE = 8192  # numbers that one thread takes at a time


class _Slice(ctypes.Structure):
    _fields_ = [
        *((name, ctypes.c_int64) for name in ("array", "first", "count")),
        ("diagonal", ctypes.c_void_p),
    ]


class Quadratic:
    """x -> (K x, x . K x, x . x) for tensors x, taken as one vector, in one call.

    Args:
        diagonals: The diagonal of K on each tensor; whatever it is where blocks write.
        matrices: The blocks of K; each lies within one tensor.
        dtype: What kind of numbers.

    Example:
        >>> import numpy as np, torch
        >>> swap = SmallMatrices(1, 2, 2, torch.tensor([[0.0, 1.0], [1.0, 0.0]]), index := np.array([[0, 2]]), index)
        >>> form = Quadratic([torch.tensor([0.0, 5.0, 0.0])], [swap], torch.float32)
        >>> if Blocks.usable(torch.float32):
        ...     (Kx,), _, _ = form.run([torch.tensor([1.0, 2.0, 3.0])])
    """

    def __init__(
        self, diagonals: Sequence[Tensor], matrices: Sequence[SmallMatrices], dtype: torch.dtype
    ) -> None:
        self._diagonals = [d.to(dtype).contiguous() for d in diagonals]  # kept: slices point to them
        sizes = [d.numel() for d in diagonals]
        self._blocks = Blocks(matrices, dtype)
        self._numbers = sum(sizes)
        slices = [
            _Slice(k, first, min(_SLICE, d.numel() - first), d.data_ptr() + first * d.element_size())
            for k, d in enumerate(self._diagonals)
            for first in range(0, d.numel(), _SLICE)
        ]
        self._slices = (_Slice * len(slices))(*slices)
        self._sums = ctypes.c_double * (2 * len(slices))
        self.dtype = dtype

    def run(self, x: Sequence[Tensor]) -> tuple[list[Tensor], float, float]:
        """K x as new tensors of the same shapes, x . K x and x . x, for contiguous tensors."""
        loaded = compiled(SOURCE, self.dtype)
        assert loaded is not None
        out = [torch.empty_like(part) for part in x]
        sums = self._sums()
        loaded.quadratic(
            self._slices,
            ctypes.c_int64(len(self._slices)),
            *self._blocks.pointers,
            pointers(x),
            pointers(out),
            sums,
            threads_for(self._numbers),
        )
        return out, sums[0], sums[1]
