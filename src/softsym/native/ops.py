"""Operators: compiled code as torch knows it, each with its gradient and a torch twin.

``torch.ops.softsym.*`` are what ``torch.compile`` puts into a graph: custom operators with fake kernels and gradients. Called one by
one, the way through torch's dispatcher would cost a step of a small network several percent (README.md has the numbers), so outside
of graphs the same functions are called by an :class:`torch.autograd.Function`, which has rules for ``torch.func`` too. Where compiled
code cannot run, and in exported programs, which must not need softsym, the twin does the same in torch operations.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from softsym.native import blocks, program
from softsym.native.build import compiled
from softsym.native.hidden_layer import HiddenLayer
from softsym.native.precision import full_precision, is_mixed
from softsym.native.projection import Projection


def _constant(function: Callable[[torch.dtype], bool]) -> Callable[[torch.dtype], bool]:
    """What ``torch.compiler.assume_constant_result`` does, without the seconds that the import of torch's compiler takes."""
    function._dynamo_marked_constant = True  # type: ignore[attr-defined]
    return function


def run_hidden_layer(layer: HiddenLayer, x: Tensor, gate: Tensor, weights: Sequence[Tensor]) -> Tensor:
    """A bilinear layer and the gates after it, compiled where possible.

    Args:
        layer: What it computes.
        x: Gates and values, (batch, size).
        gate: Weight of each value's swish, (values,).
        weights: Those of the bilinear layer.

    Returns:
        The values, (batch, values); in float32 under autocast, as the formulas need more than half precision.
    """
    if is_mixed(x):
        with full_precision(x):
            return run_hidden_layer(layer, _single(x), _single(gate), [_single(w) for w in weights])
    if not _on_cpu((x, gate, *weights)) or not _programs_run(x.dtype) or _leaves_softsym():
        return layer(x, gate, *weights)
    if torch.compiler.is_compiling():
        return _hidden_layer(x, gate, list(weights), layer.number)[0]
    return _HiddenLayer.apply(layer, x, gate, *weights)[0]


def project(projection: Projection, tensors: Sequence[Tensor]) -> list[Tensor] | None:
    """The nearest tensors in their subspaces, in compiled code; None where it cannot run."""
    fits = projection.fits and all(tensor.numel() < blocks.MOST_PLACES for tensor in tensors)
    if not fits or not _on_cpu(tensors) or not _blocks_run(tensors[0].dtype) or _leaves_softsym():
        return None
    if torch.compiler.is_compiling():
        return list(_project(list(tensors), projection.number))
    return list(_Project.apply(projection, *tensors))


@_constant
def _programs_run(dtype: torch.dtype) -> bool:
    return program.usable(dtype)


@_constant
def _blocks_run(dtype: torch.dtype) -> bool:
    return compiled(blocks.SOURCE, dtype) is not None


def _on_cpu(tensors: Sequence[Tensor]) -> bool:
    """Whether all numbers are where compiled code reads them, and of one kind."""
    dtype = tensors[0].dtype
    return all(tensor.is_cpu and tensor.dtype == dtype for tensor in tensors)


def _leaves_softsym() -> bool:
    """Whether what is recorded now will run where softsym is not."""
    exporting = getattr(torch.compiler, "is_exporting", torch.compiler.is_compiling)  # new in torch 2.7
    return bool(exporting() or torch.jit.is_tracing())  # type: ignore[attr-defined]


def _single(tensor: Tensor) -> Tensor:
    return tensor.float() if tensor.dtype in (torch.bfloat16, torch.float16) else tensor


# Schemas stand in words: the oldest supported torch infers none from lists and tuples.
@torch.library.custom_op(
    "softsym::hidden_layer", mutates_args=(), device_types="cpu",
    schema="(Tensor x, Tensor gate, Tensor[] weights, SymInt layer) -> (Tensor, Tensor)",
)  # fmt: skip
def _hidden_layer(x: Tensor, gate: Tensor, weights: list[Tensor], layer: int) -> tuple[Tensor, Tensor]:
    return HiddenLayer.numbered(layer).forward(x, gate, weights)


@torch.library.custom_op(
    "softsym::hidden_layer_backward", mutates_args=(), device_types="cpu",
    schema="(Tensor grad, Tensor kept, Tensor gate, Tensor[] weights, SymInt layer) -> (Tensor, Tensor)",
)  # fmt: skip
def _hidden_layer_backward(
    grad: Tensor, kept: Tensor, gate: Tensor, weights: list[Tensor], layer: int
) -> tuple[Tensor, Tensor]:
    return HiddenLayer.numbered(layer).backward(grad, kept, gate, weights)


@torch.library.custom_op(
    "softsym::project", mutates_args=(), device_types="cpu",
    schema="(Tensor[] tensors, SymInt projection) -> Tensor[]",
)  # fmt: skip
def _project(tensors: list[Tensor], projection: int) -> list[Tensor]:
    return Projection.numbered(projection).run(tensors)


@_hidden_layer.register_fake
def _(x: Tensor, gate: Tensor, weights: list[Tensor], layer: int) -> tuple[Tensor, Tensor]:
    at = HiddenLayer.numbered(layer).programs.at
    return x.new_empty(len(x), at.out.width), x.new_empty(len(x) * at.kept.width)


@_hidden_layer_backward.register_fake
def _(grad: Tensor, kept: Tensor, gate: Tensor, weights: list[Tensor], layer: int) -> tuple[Tensor, Tensor]:
    at = HiddenLayer.numbered(layer).programs.at
    return grad.new_empty(len(grad), at.x.width), grad.new_empty(at.grads.width)


@_project.register_fake
def _(tensors: list[Tensor], projection: int) -> list[Tensor]:
    return [torch.empty_like(tensor, memory_format=torch.contiguous_format) for tensor in tensors]


def _keep(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
    _, gate, weights, ctx.number = inputs
    ctx.save_for_backward(output[1], gate, *weights)


def _gradients(ctx: Any, grad: Tensor, _: Tensor) -> tuple[Tensor, Tensor, list[Tensor], None]:
    kept, gate, *weights = ctx.saved_tensors
    d_x, flat = _hidden_layer_backward(grad, kept, gate, weights, ctx.number)
    d_gate, *d_weights = _pieces(flat, (gate, *weights))
    return d_x, d_gate, d_weights, None


def _keep_projection(ctx: Any, inputs: tuple[Any, ...], output: list[Tensor]) -> None:
    ctx.number = inputs[1]


def _projected_gradients(ctx: Any, grads: list[Tensor]) -> tuple[list[Tensor], None]:
    return _project(grads, ctx.number), None  # a projection is its own adjoint


_hidden_layer.register_autograd(_gradients, setup_context=_keep)
_project.register_autograd(_projected_gradients, setup_context=_keep_projection)


def _pieces(flat: Tensor, like: Sequence[Tensor]) -> list[Tensor]:
    """Numbers one after the other as tensors of given shapes (views)."""
    parts = flat.split([tensor.numel() for tensor in like])
    return [part.view(tensor.shape) for part, tensor in zip(parts, like, strict=True)]


class _HiddenLayer(torch.autograd.Function):
    """The operator without the dispatcher: a layer, x, the gates' weight and all others to the result and what is kept."""

    @staticmethod
    def forward(layer: HiddenLayer, x: Tensor, gate: Tensor, *weights: Tensor) -> tuple[Tensor, Tensor]:
        return layer.forward(x, gate, weights)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: tuple[Tensor, Tensor]) -> None:
        ctx.layer = inputs[0]
        ctx.set_materialize_grads(False)
        ctx.mark_non_differentiable(output[1])
        ctx.save_for_backward(output[1], *inputs[1:])
        ctx.save_for_forward(*inputs[1:])

    @staticmethod
    def backward(ctx: Any, grad: Tensor, _: None) -> tuple[Tensor | None, ...]:
        kept, x, gate, *weights = ctx.saved_tensors
        if torch.is_grad_enabled():  # derivatives of the gradient are wanted too
            return None, *torch.func.vjp(ctx.layer, x, gate, *weights)[1](grad)
        d_x, flat = ctx.layer.backward(grad, kept, gate, weights)
        return None, d_x, *_pieces(flat, (gate, *weights))

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
