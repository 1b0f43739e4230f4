r"""The penalty as one differentiable operation with its closed-form gradient :math:`K w`.

The value needs K w anyway, so the backward pass is nothing but handing it out. The dimensionless form divides by :math:`|w|^2`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from softsym.regularize.joint import JointOperator


class Penalty(torch.autograd.Function):
    """1/2 w^T K w of the parameters' concatenation w, divided by |w|^2 if relative."""

    @staticmethod
    def forward(
        ctx: Any, operator: JointOperator, strengths: Sequence[float], relative: bool, *parameters: Tensor
    ) -> Tensor:
        """The value, a scalar."""
        value, ctx.gradient = value_and_gradient(operator, strengths, relative, parameters)
        ctx.question = operator, strengths, relative
        ctx.save_for_backward(*parameters)
        return value

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """K w, given away so that other gradients can be added to it in place; computed again if it is asked for again."""
        gradient, ctx.gradient = ctx.gradient, None
        if gradient is None:
            operator, strengths, relative = ctx.question
            _, gradient = value_and_gradient(operator, strengths, relative, ctx.saved_tensors)
        if grad.device.type != "cpu" or grad.item() != 1:  # a look at the number would make a GPU wait
            torch._foreach_mul_(gradient, grad)
        return None, None, None, *gradient


def value_and_gradient(
    operator: JointOperator, strengths: Sequence[float], relative: bool, parameters: Sequence[Tensor]
) -> tuple[Tensor, list[Tensor]]:
    """The penalty and its gradient, in tensors of their own."""
    gradient, form, square = operator.products(parameters, strengths)
    dtype = gradient[0].dtype
    value = torch.as_tensor(0.5 * form, dtype=dtype)
    if relative:
        norm = torch.as_tensor(square + torch.finfo(dtype).tiny, dtype=dtype)  # all weights may be zero
        value = value / norm
        torch._foreach_sub_(gradient, torch._foreach_mul(list(parameters), 2 * value))
        torch._foreach_div_(gradient, norm)
    return value, gradient
