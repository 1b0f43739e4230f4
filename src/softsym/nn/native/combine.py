"""Weight and bias of an equivariant layer from their coordinates, in compiled code."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from softsym.native import Blocks, SmallMatrices
from softsym.nn.fusing import can_fuse

if TYPE_CHECKING:
    from softsym.nn.linear import Coordinates, EquivariantLinear

Pair = tuple[Blocks, Blocks]
_written: WeakKeyDictionary[EquivariantLinear, Pair] = WeakKeyDictionary()


def can_combine(layer: EquivariantLinear, *thetas: Tensor) -> bool:
    """Whether compiled code may compute the weight and bias of a layer from coordinates."""
    first = thetas[0]
    return (
        can_fuse(layer, first)
        and Blocks.usable(first.dtype, math.prod(layer.weight_coordinates.shape))
        and all(theta.is_cpu and theta.dtype == first.dtype and theta.is_contiguous() for theta in thetas)
    )


class Combine(torch.autograd.Function):
    """Fills weight and bias with basis vectors times coordinates, both in one call: most layers are small."""

    @staticmethod
    def forward(ctx: Any, layer: EquivariantLinear, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
        """The weight and the bias."""
        forward, ctx.back = _blocks(layer, weight.dtype)
        ctx.sizes = len(weight), len(bias)
        out = weight.new_zeros(layer.weight_coordinates.shape), bias.new_zeros(layer.bias_coordinates.shape)
        forward.run((weight, bias), out)
        return out

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, weight: Tensor, bias: Tensor) -> tuple[None, Tensor, Tensor]:
        """The coordinates of the gradients."""
        out = weight.new_empty(ctx.sizes[0]), bias.new_empty(ctx.sizes[1])
        ctx.back.run((weight.contiguous(), bias.contiguous()), out)
        return None, *out


def _blocks(layer: EquivariantLinear, dtype: torch.dtype) -> Pair:
    """From coordinates to entries, and back; written once for each kind of numbers."""
    found = _written.get(layer)
    if found is None or found[0].dtype != dtype:
        forward, backward = [], []
        for array, part in enumerate((layer.weight_coordinates, layer.bias_coordinates)):
            for there, back in _matrices(part, array):
                forward.append(there)
                backward.append(back)
        found = _written[layer] = Blocks(forward, dtype), Blocks(backward, dtype)
    return found


def _matrices(part: Coordinates, array: int) -> list[tuple[SmallMatrices, SmallMatrices]]:
    """What each block of a space does, and its transpose."""
    found = []
    theta = position = 0
    index = part.index.numpy()
    for k, numbers in enumerate(part.sizes):
        basis = getattr(part, f"basis{k}")
        rank, size = (1, 1) if basis is None else basis.shape
        copies = numbers // rank
        where = index[position : position + copies * size].reshape(copies, size)
        transposed = None if basis is None else basis.T
        found.append(
            (
                SmallMatrices(copies, rank, size, basis, theta, where, array),
                SmallMatrices(copies, size, rank, transposed, where, theta, array),
            )
        )
        theta += numbers
        position += copies * size
    return found
