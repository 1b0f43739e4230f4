"""Projection and basis coordinates as differentiable torch operations.

The projector is its own adjoint, and taking coordinates is the adjoint of combining basis vectors, so each backward pass is
another operation of this file: derivatives of any order come for free. Half precision is computed in float32.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import torch
from torch import Tensor

if TYPE_CHECKING:
    from softsym.spaces.packed import Packed


def project(x: Tensor, packed: Packed) -> Tensor:
    """P x for x (batch, size); without the bookkeeping of autograd where nothing needs a gradient."""
    if torch.is_grad_enabled() and x.requires_grad:
        return cast(Tensor, Project.apply(x, packed))
    return Project.forward(x, packed)


def coefficients(x: Tensor, packed: Packed) -> Tensor:
    """Q^T x for x (batch, size): coordinates (batch, dim)."""
    return cast(Tensor, Coefficients.apply(x, packed))


def combine(theta: Tensor, packed: Packed) -> Tensor:
    """Q theta for theta (batch, dim): maps (batch, size)."""
    return cast(Tensor, Combine.apply(theta, packed))


class Project(torch.autograd.Function):
    """P W for W (batch, size)."""

    @staticmethod
    def forward(W: Tensor, packed: Packed) -> Tensor:
        """Projects."""
        return packed.project(_working(W)).to(W.dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        """Remembers the blocks."""
        ctx.packed = inputs[1]

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        """The projector is symmetric."""
        return Project.apply(grad, ctx.packed), None


class Coefficients(torch.autograd.Function):
    """Q^T W for W (batch, size)."""

    @staticmethod
    def forward(W: Tensor, packed: Packed) -> Tensor:
        """Takes coordinates (batch, dim)."""
        return packed.coefficients(_working(W)).to(W.dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        """Remembers the blocks."""
        ctx.packed = inputs[1]

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        """The adjoint of Q^T is Q."""
        return Combine.apply(grad, ctx.packed), None


class Combine(torch.autograd.Function):
    """Q theta for theta (batch, dim)."""

    @staticmethod
    def forward(theta: Tensor, packed: Packed) -> Tensor:
        """Combines basis vectors to maps (batch, size)."""
        return packed.combine(_working(theta)).to(theta.dtype)

    @staticmethod
    def setup_context(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
        """Remembers the blocks."""
        ctx.packed = inputs[1]

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        """The adjoint of Q is Q^T."""
        return Coefficients.apply(grad, ctx.packed), None


def _working(x: Tensor) -> Tensor:
    return x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
