"""Full precision where formulas need it, whatever mixed precision is in force around them, on any device."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext

import torch
from torch import Tensor


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
