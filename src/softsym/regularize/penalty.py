r"""The penalty as one differentiable operation with its closed-form gradient :math:`K w`.

The value needs K w anyway, so the backward pass is nothing but handing it out. The dimensionless form divides by :math:`|w|^2`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor
from torch._utils import _flatten_dense_tensors, _unflatten_dense_tensors

from softsym.regularize.joint import JointOperator


class Penalty(torch.autograd.Function):
    """1/2 w^T K w of the parameters' concatenation w, divided by |w|^2 if relative."""

    @staticmethod
    def forward(
        ctx: Any, operator: JointOperator, strengths: Sequence[float], relative: bool, *parameters: Tensor
    ) -> Tensor:
        """The value, a scalar."""
        w = _flatten_dense_tensors(parameters)
        Kw = operator.apply(w, strengths)
        value = torch.dot(w, Kw).mul_(0.5)
        if relative:
            norm = torch.dot(w, w).clamp_min(torch.finfo(w.dtype).tiny)
            value = value / norm
            Kw = (Kw - 2 * value * w) / norm
        ctx.like = parameters  # for their shapes only
        ctx.save_for_backward(Kw)
        return value

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """K w, in pieces with memory of their own, so that other gradients can be added to them in place."""
        (Kw,) = ctx.saved_tensors
        return None, None, None, *torch._foreach_mul(_unflatten_dense_tensors(Kw, ctx.like), grad)
