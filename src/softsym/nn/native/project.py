"""Weight and bias of an equivariant layer, projected in compiled code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor

from softsym.native import Blocks, SmallMatrices
from softsym.nn.fusing import can_fuse

if TYPE_CHECKING:
    from softsym.nn.linear import EquivariantLinear

LARGEST = 512  # entries of a block; in larger ones two thin products are cheaper than a square one
_written: WeakKeyDictionary[EquivariantLinear, Blocks] = WeakKeyDictionary()


def can_project(layer: EquivariantLinear) -> bool:
    """Whether compiled code may project the weight and the bias of a layer."""
    weight, bias = layer.weight.free, layer.bias.free
    return (
        can_fuse(layer, weight)
        and weight.is_cpu
        and weight.dtype == bias.dtype
        and weight.is_contiguous()
        and Blocks.usable(weight.dtype, weight.numel())
        and all(size <= LARGEST for part in (layer.weight, layer.bias) for _, size in part.blocks)
    )


class Project(torch.autograd.Function):
    """The nearest equivariant weight and bias, both in one call: most layers are small."""

    @staticmethod
    def forward(ctx: Any, layer: EquivariantLinear, weight: Tensor, bias: Tensor) -> tuple[Tensor, Tensor]:
        """Their projections."""
        ctx.blocks = _blocks(layer, weight.dtype)
        return _projected(ctx.blocks, weight, bias)

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, weight: Tensor, bias: Tensor) -> tuple[None, Tensor, Tensor]:
        """The projections of the gradients: a projector is its own adjoint."""
        return None, *_projected(ctx.blocks, weight.contiguous(), bias.contiguous())


def _projected(blocks: Blocks, *values: Tensor) -> tuple[Tensor, Tensor]:
    weight, bias = (torch.zeros_like(value) for value in values)
    blocks.run(values, (weight, bias))
    return weight, bias


def _blocks(layer: EquivariantLinear, dtype: torch.dtype) -> Blocks:
    """The blocks of both spaces; written once for each kind of numbers."""
    found = _written.get(layer)
    if found is None or found.dtype != dtype:
        matrices = []
        for array, part in enumerate((layer.weight, layer.bias)):
            index = part.index.numpy()
            position = 0
            for (copies, size), F in zip(part.blocks, part.factors(), strict=True):
                where = index[position : position + copies * size].reshape(copies, size)
                P = None if F is None else F.detach() @ F.detach().T
                matrices.append(SmallMatrices(copies, size, size, P, where, where, array))
                position += copies * size
        found = _written[layer] = Blocks(matrices, dtype)
    return found
