r"""The gated nonlinearity as one operation with a backward pass of its own.

Channels that gate themselves and the soft path are both multiples of swish, so with one weight per channel (one for self-gating
channels, plus the soft coefficient) the whole is

.. math:: w \cdot \mathrm{swish}(v) + v \cdot \sigma(g) ,

the second term only where a gate g exists.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

Runs = list[tuple[int, int, int, int]]


class FusedGate(torch.autograd.Function):
    """Maps x (batch, gates + size) to (batch, size), with a weight (size,) of the swish path."""

    @staticmethod
    @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)  # type: ignore[untyped-decorator]
    def forward(ctx: Any, x: Tensor, weight: Tensor, gates: int, runs: Runs) -> Tensor:
        """Computes the nonlinearity."""
        values = x[:, gates:]
        swish = torch.nn.functional.silu(values)
        opened = x[:, :gates].sigmoid()
        out = swish * weight
        for run, gate in _gated(runs, opened):
            _view(out, run).addcmul_(_view(values, run), gate)
        ctx.save_for_backward(x, weight, swish, opened)
        ctx.gates, ctx.runs = gates, runs
        return out

    @staticmethod
    @torch.autograd.function.once_differentiable
    @torch.amp.custom_bwd(device_type="cpu")  # type: ignore[untyped-decorator]
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor | None, None, None]:  # type: ignore[override]
        """Gradients of the input and of the weight of the swish path."""
        x, weight, swish, opened = ctx.saved_tensors
        values = x[:, ctx.gates :]
        d_weight = (grad * swish).sum(0) if ctx.needs_input_grad[1] else None
        d_values = torch.ops.aten.silu_backward(grad * weight, values)
        d_gates = torch.empty_like(opened)
        used = 0
        for run, gate in _gated(ctx.runs, opened):
            g, copies = _view(grad, run), run[2]
            _view(d_values, run).addcmul_(g, gate)
            torch.sum(g * _view(values, run), dim=2, out=d_gates[:, used : used + copies])
            used += copies
        d_gates = torch.ops.aten.sigmoid_backward(d_gates, opened)
        return torch.cat([d_gates, d_values], dim=1), d_weight, None, None


def _gated(runs: Runs, opened: Tensor) -> list[tuple[tuple[int, int, int, int], Tensor]]:
    """The runs of values that have gates, each with its gates (batch, copies, 1)."""
    with_gates = [run for run in runs if run[2]]
    if not with_gates:
        return []
    return list(
        zip(with_gates, (g.unsqueeze(2) for g in opened.split([r[2] for r in with_gates], 1)), strict=True)
    )


def _view(values: Tensor, run: tuple[int, int, int, int]) -> Tensor:
    """A run of values as (batch, copies, size)."""
    start, stop, copies, size = run
    return values[:, start:stop].unflatten(1, (copies, size))
