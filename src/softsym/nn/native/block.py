"""The bilinear layer and the gates after it as one compiled operation with a backward pass of its own.

:mod:`softsym.nn.bilinear_step` and :mod:`softsym.nn.gating_step` do the same in torch operations and serve as its oracle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import torch
from torch import Tensor, nn

from softsym.nn.bilinear_step import Plan
from softsym.nn.fusing import can_fuse
from softsym.nn.native.plan import NativePlan
from softsym.nn.native.program import Split, usable

if TYPE_CHECKING:
    from softsym.nn.gating import Gated

_plans: WeakKeyDictionary[Plan, NativePlan] = WeakKeyDictionary()


def can_run(layer: nn.Module, x: Tensor) -> bool:
    """Whether a layer may run in compiled code on such an input."""
    return x.device.type == "cpu" and x.numel() > 0 and can_fuse(layer, x) and usable(x.dtype)


def native_plan(plan: Plan, gated: Gated) -> NativePlan:
    """The programs of a hidden layer, written once."""
    found = _plans.get(plan)
    if found is None:
        found = _plans[plan] = NativePlan(plan, gated.gates, gated.runs, gated.size)
    return found


class NativeBlock(torch.autograd.Function):
    """Maps x (batch, gates and values) to (batch, values)."""

    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)  # type: ignore[untyped-decorator]
    def forward(ctx: Any, native: NativePlan, x: Tensor, gate: Tensor, *weights: Tensor) -> Tensor:
        """Computes the layer and keeps what the backward pass needs."""
        weights = tuple(weight.contiguous() for weight in weights)
        split = Split.of(len(x), native.bilinear.size)
        kept = x.new_empty(split.batch * native.at.kept.width)
        work = x.new_empty(split.threads, split.chunk * native.at.forward_work.width)
        out = x.new_empty(split.batch, native.size)
        native.forward.run(split, (kept, work, x, out, work, gate, *weights))
        ctx.native, ctx.split = native, split
        ctx.save_for_backward(kept, gate, *weights)
        return out

    @staticmethod
    @torch.autograd.function.once_differentiable
    @torch.amp.custom_bwd(device_type="cpu")  # type: ignore[untyped-decorator]
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:  # type: ignore[override]
        """Gradients of input and weights."""
        native: NativePlan = ctx.native
        split: Split = ctx.split
        kept, gate, *weights = ctx.saved_tensors
        grad = grad.contiguous()
        work = grad.new_empty(split.threads, split.chunk * native.at.backward_work.width)
        d_x = grad.new_empty(split.batch, native.bilinear.size)
        grads = grad.new_zeros(split.threads, native.at.grads.width)
        native.backward.run(split, (kept, work, d_x, grad, grads, gate, *weights))
        total = grads.sum(0) if split.threads > 1 else grads[0]
        shapes = [gate.shape, *(weight.shape for weight in weights)]
        pieces = total.split([shape.numel() for shape in shapes])
        return None, d_x, *(piece.view(shape) for piece, shape in zip(pieces, shapes, strict=True))
