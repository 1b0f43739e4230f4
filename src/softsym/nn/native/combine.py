"""A tensor from its coordinates in an equivariant space, in compiled code."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from softsym.native import Blocks, SmallMatrices
from softsym.nn.fusing import can_fuse

if TYPE_CHECKING:
    from softsym.nn.linear import Coordinates

Pair = tuple[Blocks, Blocks]
_written: WeakKeyDictionary[Coordinates, Pair] = WeakKeyDictionary()


def can_combine(layer: Coordinates, theta: Tensor) -> bool:
    """Whether compiled code may compute the tensor."""
    return (
        theta.device.type == "cpu"
        and can_fuse(layer, theta)
        and Blocks.usable(theta.dtype, math.prod(layer.shape))
    )


class Combine(torch.autograd.Function):
    """Fills a tensor with basis vectors times coordinates."""

    @staticmethod
    def forward(ctx: Any, theta: Tensor, layer: Coordinates) -> Tensor:
        """The tensor."""
        forward, ctx.backward_blocks = _blocks(layer, theta.dtype)
        out = theta.new_zeros(layer.shape)
        forward.run(theta.contiguous(), out)
        return out

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        """The coordinates of the gradient."""
        blocks: Blocks = ctx.backward_blocks
        out = grad.new_empty(blocks.size)
        blocks.run(grad.contiguous(), out)
        return out, None


def _blocks(layer: Coordinates, dtype: torch.dtype) -> Pair:
    """From coordinates to entries, and back; written once for each kind of numbers."""
    found = _written.get(layer)
    if found is None or found[0].dtype != dtype:
        forward, backward = [], []
        theta = 0
        position = 0
        index = layer.index.numpy()
        for k, numbers in enumerate(layer.sizes):
            basis = getattr(layer, f"basis{k}")
            rank, size = (1, 1) if basis is None else basis.shape
            copies = numbers // rank
            where = index[position : position + copies * size].reshape(copies, size)
            back = None if basis is None else basis.T
            forward.append(SmallMatrices(copies, rank, size, basis, theta, where))
            backward.append(SmallMatrices(copies, size, rank, back, where, theta))
            theta += numbers
            position += copies * size
        found = _written[layer] = (
            Blocks(forward, dtype, math.prod(layer.shape)),
            Blocks(backward, dtype, theta),
        )
    return found
