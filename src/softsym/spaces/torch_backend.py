"""The operations of :class:`~softsym.spaces.backend.Backend` for torch, with projection and basis coordinates as differentiable operations.

The projector is its own adjoint, and taking coordinates is the adjoint of combining basis vectors, so each backward pass is
another operation of this file: derivatives of any order come for free. Half precision is computed in float32.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any, cast

import torch
from numpy.typing import NDArray
from torch import Tensor

from softsym.errors import InputError
from softsym.spaces.backend import Backend

if TYPE_CHECKING:
    from softsym.spaces.packed import Packed


class _Blockwise(torch.autograd.Function):
    """A linear operation of the blocks that are its second argument."""

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        ctx.packed = inputs[1]


class _Project(_Blockwise):
    """P W for W (batch, size)."""

    @staticmethod
    def forward(W: Tensor, packed: Packed) -> Tensor:
        return packed.project(_at_least_float32(W)).to(W.dtype)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return _Project.apply(grad, ctx.packed), None


class _Coefficients(_Blockwise):
    """Q^T W for W (batch, size): coordinates (batch, dim)."""

    @staticmethod
    def forward(W: Tensor, packed: Packed) -> Tensor:
        return packed.coefficients(_at_least_float32(W)).to(W.dtype)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return _Combine.apply(grad, ctx.packed), None


class _Combine(_Blockwise):
    """Q theta for theta (batch, dim): maps (batch, size)."""

    @staticmethod
    def forward(theta: Tensor, packed: Packed) -> Tensor:
        return packed.combine(_at_least_float32(theta)).to(theta.dtype)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        return _Coefficients.apply(grad, ctx.packed), None


def _at_least_float32(x: Tensor) -> Tensor:
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x


class _TorchBackend(Backend[Tensor]):
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

    def empty(self, like: Tensor, *shape: int) -> Tensor:
        return like.new_empty(shape)

    def gather(self, x: Tensor, index: Tensor) -> Tensor:
        # One row is by far the most common case, and one-dimensional indexing is twice as fast.
        return x.reshape(-1).index_select(0, index)[None] if len(x) == 1 else x.index_select(1, index)

    def scatter(self, rows: Tensor, index: Tensor, out: Tensor) -> None:
        if len(rows) == 1:
            out.view(-1).scatter_(0, index, rows[0])
        else:
            out.scatter_(1, index.expand(len(rows), -1), rows)

    def split(self, rows: Tensor, sizes: list[int]) -> Sequence[Tensor]:
        return rows.split(sizes, dim=1) if sizes else []

    def concatenate(self, parts: list[Tensor], like: Tensor) -> Tensor:
        return torch.cat(parts, dim=1) if parts else self.zeros(like, len(like), 0)

    def product_into(self, a: Tensor, b: Tensor, out: Tensor) -> None:
        torch.mm(a, b, out=out)

    def sums(self, rows: Tensor, labels: Tensor, count: int) -> Tensor:
        return self.zeros(rows, len(rows), count).index_add_(1, labels, rows)

    def norm(self, x: Tensor, axes: tuple[int, ...]) -> Tensor:
        return torch.linalg.vector_norm(x, dim=axes)  # its gradient at zero is zero, not NaN

    def project(self, packed: Packed, x: Tensor) -> Tensor:
        if torch.is_grad_enabled() and x.requires_grad:
            return cast(Tensor, _Project.apply(x, packed))
        return _Project.forward(x, packed)  # without the bookkeeping of autograd

    def coefficients(self, packed: Packed, x: Tensor) -> Tensor:
        return cast(Tensor, _Coefficients.apply(x, packed))

    def combine(self, packed: Packed, theta: Tensor) -> Tensor:
        return cast(Tensor, _Combine.apply(theta, packed))


TORCH = _TorchBackend()
