"""A function of standardised columns, in the units of the data."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from softsym.data.scaler import SymmetricScaler


class Scaled(nn.Module):
    """Standardises inputs, applies a function, and brings outputs back to their units.

    Args:
        inner: The function of standardised inputs.
        scale_in: Scaling of the inputs.
        scale_out: Scaling of the outputs; None leaves them as they are.
    """

    shift_in: Tensor
    scale_in: Tensor
    shift_out: Tensor
    scale_out: Tensor

    def __init__(
        self, inner: nn.Module, scale_in: SymmetricScaler, scale_out: SymmetricScaler | None = None
    ) -> None:
        super().__init__()
        self.inner, self.has_output_scale = inner, scale_out is not None
        for where, scaler in (("in", scale_in), ("out", scale_out)):
            if scaler is not None:
                self.register_buffer(f"shift_{where}", torch.from_numpy(scaler.shift.copy()))
                self.register_buffer(f"scale_{where}", torch.from_numpy(scaler.scale.copy()))

    def forward(self, x: Tensor) -> Tensor:
        """Maps (..., inputs) to (..., outputs)."""
        out: Tensor = self.inner((x - self.shift_in) / self.scale_in)
        return out * self.scale_out + self.shift_out if self.has_output_scale else out
