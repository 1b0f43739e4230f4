"""The operations of :class:`~softsym.spaces.packed.NumPy` for torch, with projection and basis coordinates as differentiable operations.

The projector is its own adjoint, and taking coordinates is the adjoint of combining basis vectors, so each backward pass is
another operation of this file: derivatives of any order come for free. Half precision is computed in float32.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, cast

import torch
from numpy.typing import NDArray
from torch import Tensor

from softsym.errors import InputError

if TYPE_CHECKING:
    from softsym.spaces.packed import Packed


ADJOINT = {"project": "project", "coefficients": "combine", "combine": "coefficients"}
"""The adjoint of each operation of blocks."""


class _Blockwise(torch.autograd.Function):
    """A linear operation of blocks by its name, on rows (batch, n); its gradient is the adjoint operation."""

    @staticmethod
    def forward(x: Tensor, packed: Packed, name: str) -> Tensor:
        operation: Callable[[Tensor], Tensor] = getattr(packed, name)
        single = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
        return operation(single).to(x.dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        _, ctx.packed, ctx.name = inputs

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        return _Blockwise.apply(grad, ctx.packed, ADJOINT[ctx.name]), None, None


class _Torch:
    """The twin of :class:`~softsym.spaces.packed.NumPy`."""

    def as_float(self, values: Tensor, name: str) -> Tensor:
        if values.is_complex():
            raise InputError(f"`{name}` must be real, got {values.dtype}")
        return values if values.is_floating_point() else values.to(torch.get_default_dtype())

    def place(self, x: Tensor) -> Hashable:
        return x.dtype, x.device

    def constant(self, values: NDArray[Any], like: Tensor) -> Tensor:
        dtype = torch.int64 if values.dtype.kind == "i" else like.dtype
        return torch.tensor(values, dtype=dtype, device=like.device)

    def zeros(self, like: Tensor, *shape: int) -> Tensor:
        return like.new_zeros(shape)

    def gather(self, x: Tensor, index: Tensor) -> Tensor:
        # One row is by far the most common case, and one-dimensional indexing is twice as fast.
        return x.reshape(-1).index_select(0, index)[None] if len(x) == 1 else x.index_select(1, index)

    def scatter(self, rows: Tensor, index: Tensor, out: Tensor) -> None:
        if len(rows) == 1:
            out.view(-1).scatter_(0, index, rows[0])
        else:
            out.scatter_(1, index.expand(len(rows), -1), rows)

    def sums(self, rows: Tensor, labels: Tensor, count: int) -> Tensor:
        return self.zeros(rows, len(rows), count).index_add_(1, labels, rows)

    def norm(self, x: Tensor, axes: tuple[int, ...]) -> Tensor:
        return torch.linalg.vector_norm(x, dim=axes)  # its gradient at zero is zero, not NaN

    def apply(self, packed: Packed, name: str, x: Tensor) -> Tensor:
        if torch.is_grad_enabled() and x.requires_grad:
            return cast(Tensor, _Blockwise.apply(x, packed, name))
        return _Blockwise.forward(x, packed, name)  # without the bookkeeping of autograd


TORCH = _Torch()
