"""When a layer runs as one fused operation with a backward pass of its own, and when in ordinary operations."""

from __future__ import annotations

import torch
from torch import Tensor, nn


def can_fuse(layer: nn.Module, x: Tensor) -> bool:
    """In training, and where no derivatives are wanted at all.

    Ordinary operations support what the fused ones do not: higher derivatives and forward mode (asked for in evaluation mode),
    ``torch.func`` transforms, tracing and export, and empty batches.
    """
    traced = torch.compiler.is_compiling() or torch._C._are_functorch_transforms_active()
    wants_any_derivative = torch.is_grad_enabled() and not layer.training
    return not traced and not wants_any_derivative and x.shape[0] > 0
