"""Operators: compiled code as torch knows it, each with its gradient and a torch twin.

``torch.ops.softsym.*`` are what ``torch.compile`` puts into a graph: custom operators with fake kernels and gradients. Called one by
one, the way through torch's dispatcher would cost a step of a small network several percent (README.md has the numbers), so outside
of graphs the same functions are called by an :class:`torch.autograd.Function`, which has rules for ``torch.func`` too. Where compiled
code cannot run, and in exported programs, which must not need softsym, the twin does the same in torch operations.
"""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from softsym.native import blocks, hidden_layer
from softsym.native.blocks import Blocks, SmallMatrices
from softsym.native.build import Numbered, Source, load
from softsym.native.hidden_layer import HiddenLayer
from softsym.typing import Index

LARGEST_BLOCK = 512  # entries of a block; in larger ones two thin products are cheaper than a square one


def is_mixed(values: Tensor) -> bool:
    """Whether mixed precision is in force where values are; a device that knows none, such as ``meta``, has none.

    Example:
        >>> is_mixed(torch.ones(2)), is_mixed(torch.ones(2, device="meta"))
        (False, False)
    """
    kind = values.device.type
    # torch.compile traces the second question only, and never runs on devices that cannot answer it.
    is_known = torch.compiler.is_compiling() or torch.amp.is_autocast_available(kind)
    return is_known and torch.is_autocast_enabled(kind)


def full_precision(values: Tensor) -> AbstractContextManager[object]:
    """A block in which operations have the precision of their operands."""
    return torch.autocast(values.device.type, enabled=False) if is_mixed(values) else nullcontext()


@dataclass(frozen=True, eq=False)
class Subspace:
    """Blocks of equal size in one of several tensors.

    Args:
        tensor: Which tensor.
        index: Flat positions, (copies, size).
        factor: Orthonormal columns (size, rank) that span each block's subspace; None where that is everything.
    """

    tensor: int
    index: Index
    factor: Tensor | None


class Projection(Numbered):
    """The nearest tensors with every block in its subspace, and zero outside all blocks; copies of a layer share it.

    Args:
        subspaces: The blocks; no two hold the same place.
    """

    def __init__(self, subspaces: Sequence[Subspace]) -> None:
        super().__init__(subspaces)
        self.subspaces = tuple(subspaces)
        self.fits = all(part.index.shape[1] <= LARGEST_BLOCK for part in self.subspaces)
        self._blocks: dict[torch.dtype, Blocks] = {}

    def run(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """The projections of tensors of one kind of numbers, in compiled code."""
        dtype = tensors[0].dtype
        if dtype not in self._blocks:
            self._blocks[dtype] = Blocks([_matrices(part, dtype) for part in self.subspaces], dtype)
        outs = [torch.zeros_like(tensor, memory_format=torch.contiguous_format) for tensor in tensors]
        self._blocks[dtype].run([tensor.contiguous() for tensor in tensors], outs)
        return outs


def _matrices(part: Subspace, dtype: torch.dtype) -> SmallMatrices:
    copies, size = part.index.shape
    F = None if part.factor is None else part.factor.to(dtype)
    return SmallMatrices(
        copies, size, size, None if F is None else F @ F.T, part.index, part.index, part.tensor
    )


def run_hidden_layer(layer: HiddenLayer, x: Tensor, *weights: Tensor) -> Tensor:
    """A bilinear layer and the gates after it, compiled where possible.

    Args:
        layer: What it computes.
        x: Gates and values, (batch, size).
        weights: Weight of each value's swish, (values,), and those of the bilinear layer.

    Returns:
        The values, (batch, values); in float32 under autocast, as the formulas need more than half precision.
    """
    if is_mixed(x):
        with full_precision(x):
            return run_hidden_layer(layer, *map(_single, (x, *weights)))
    if not _runs(hidden_layer.SOURCE, (x, *weights)):
        return layer.twin(layer.plan, layer.gates, x, *weights)
    stacked = torch.cat([weight.flatten() for weight in weights])
    if torch.compiler.is_compiling():
        return _hidden_layer(x, stacked, layer.number)[0]
    return _HiddenLayer.apply(layer, x, stacked)[0]


def project(projection: Projection, tensors: Sequence[Tensor]) -> list[Tensor] | None:
    """The nearest tensors in their subspaces, in compiled code; None where it cannot run."""
    fits = projection.fits and all(tensor.numel() < blocks.MOST_PLACES for tensor in tensors)
    if not fits or not _runs(blocks.SOURCE, tensors):
        return None
    if torch.compiler.is_compiling():
        return list(_project(list(tensors), projection.number))
    return list(_Project.apply(projection, *tensors))


def _runs(source: Source, tensors: Sequence[Tensor]) -> bool:
    """Whether compiled code can run on these tensors: on the CPU, of one dtype, and not in a program that will run without softsym."""
    dtype = tensors[0].dtype
    exporting = getattr(torch.compiler, "is_exporting", torch.compiler.is_compiling)  # new in torch 2.7
    leaves = bool(exporting() or torch.jit.is_tracing())  # type: ignore[attr-defined]
    return not leaves and all(t.is_cpu and t.dtype == dtype for t in tensors) and _is_compiled(source, dtype)


def _is_compiled(source: Source, dtype: torch.dtype) -> bool:
    return load(source, dtype) is not None


# What torch.compiler.assume_constant_result does, without the seconds that the import of torch's compiler takes.
_is_compiled._dynamo_marked_constant = True  # type: ignore[attr-defined]


def _single(tensor: Tensor) -> Tensor:
    return tensor.float() if tensor.dtype in (torch.bfloat16, torch.float16) else tensor


# Schemas are written out: the oldest supported torch infers none from lists and tuples.
@torch.library.custom_op(
    "softsym::hidden_layer",
    mutates_args=(),
    device_types="cpu",
    schema="(Tensor x, Tensor weights, SymInt layer) -> (Tensor, Tensor)",
)
def _hidden_layer(x: Tensor, weights: Tensor, layer: int) -> tuple[Tensor, Tensor]:
    return HiddenLayer.numbered(layer).forward(x, weights)


@torch.library.custom_op(
    "softsym::hidden_layer_backward",
    mutates_args=(),
    device_types="cpu",
    schema="(Tensor grad, Tensor weights, Tensor kept, SymInt layer) -> (Tensor, Tensor)",
)
def _hidden_layer_backward(grad: Tensor, weights: Tensor, kept: Tensor, layer: int) -> tuple[Tensor, Tensor]:
    return HiddenLayer.numbered(layer).backward(grad, weights, kept)


@torch.library.custom_op(
    "softsym::project",
    mutates_args=(),
    device_types="cpu",
    schema="(Tensor[] tensors, SymInt projection) -> Tensor[]",
)
def _project(tensors: list[Tensor], projection: int) -> list[Tensor]:
    return Projection.numbered(projection).run(tensors)


@_hidden_layer.register_fake
def _(x: Tensor, weights: Tensor, layer: int) -> tuple[Tensor, Tensor]:
    return HiddenLayer.numbered(layer).empty(x)


@_hidden_layer_backward.register_fake
def _(grad: Tensor, weights: Tensor, kept: Tensor, layer: int) -> tuple[Tensor, Tensor]:
    size = HiddenLayer.numbered(layer).plan.size
    return grad.new_empty(len(grad), size), torch.empty_like(weights)


@_project.register_fake
def _(tensors: list[Tensor], projection: int) -> list[Tensor]:
    return [torch.empty_like(tensor, memory_format=torch.contiguous_format) for tensor in tensors]


def _keep(ctx: Any, inputs: tuple[Tensor, Tensor, int], output: tuple[Tensor, Tensor]) -> None:
    _, weights, ctx.number = inputs
    ctx.save_for_backward(weights, output[1])


def _gradients(ctx: Any, grad: Tensor, _: Tensor) -> tuple[Tensor, Tensor, None]:
    return *_hidden_layer_backward(grad, *ctx.saved_tensors, ctx.number), None


def _keep_projection(ctx: Any, inputs: tuple[Any, ...], output: list[Tensor]) -> None:
    ctx.number = inputs[1]


def _projected_gradients(ctx: Any, grads: list[Tensor]) -> tuple[list[Tensor], None]:
    return _project(grads, ctx.number), None  # a projection is its own adjoint


_hidden_layer.register_autograd(_gradients, setup_context=_keep)
_project.register_autograd(_projected_gradients, setup_context=_keep_projection)


class _HiddenLayer(torch.autograd.Function):
    """The operator without the dispatcher: a layer, x and all weights to the result and what is kept."""

    @staticmethod
    def forward(layer: HiddenLayer, x: Tensor, weights: Tensor) -> tuple[Tensor, Tensor]:
        return layer.forward(x, weights)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
        ctx.layer, x, weights = inputs
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(x, weights, output[1])
        ctx.save_for_forward(x, weights)

    @staticmethod
    def backward(ctx: Any, grad: Tensor, _: None) -> tuple[Tensor | None, ...]:
        x, weights, kept = ctx.saved_tensors
        if torch.is_grad_enabled():  # derivatives of the gradient are wanted too
            return None, *torch.func.vjp(ctx.layer, x, weights)[1](grad)
        return None, *ctx.layer.backward(grad, weights, kept)

    @staticmethod
    def jvp(ctx: Any, _: None, *tangents: Tensor | None) -> tuple[Tensor, None]:
        inputs = ctx.saved_tensors
        filled = tuple(torch.zeros_like(p) if t is None else t for p, t in zip(inputs, tangents, strict=True))
        return torch.func.jvp(ctx.layer, inputs, filled)[1], None

    @staticmethod
    def vmap(info: Any, in_dims: tuple[Any, ...], layer: HiddenLayer, *inputs: Tensor) -> tuple[Any, Any]:
        out = torch.vmap(layer, in_dims[1:], randomness=info.randomness)(*inputs)
        return (out, out.new_empty(0)), (0, None)  # nothing is kept: gradients, too, come from the twin


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
        stacked = [
            tensor.expand(info.batch_size, *tensor.shape) if dim is None else tensor.movedim(dim, 0)
            for tensor, dim in zip(inputs, in_dims[1:], strict=True)
        ]
        rows = [_Project.apply(projection, *row) for row in zip(*stacked, strict=True)]
        return tuple(map(torch.stack, zip(*rows, strict=True))), (0,) * len(inputs)


# Torch looks a function's signature up at every call, and Python works it out anew unless it is written down: 30 microseconds a layer.
for _function in (_HiddenLayer, _Project):
    setattr(_function.forward, "__signature__", inspect.signature(_function.forward))  # noqa: B010
