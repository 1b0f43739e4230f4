"""A fitted Gaussian process as a torch module: the same code on tensors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from softsym.gp.arrays import replace_arrays
from softsym.typing import Array

if TYPE_CHECKING:
    from softsym.gp.soft_gp import SoftEquivariantGP


class GPModule(nn.Module):
    """The mean of a Gaussian process, with its arrays as buffers: inputs (n, inputs) to outputs (n, outputs).

    Args:
        gp: A fitted Gaussian process.
    """

    def __init__(self, gp: SoftEquivariantGP) -> None:
        super().__init__()
        shifts = (gp.shift_in_, gp.scale_in_, gp.shift_out_, gp.scale_out_)
        means = tuple((block.components, block.weights, block.columns) for block in gp.blocks_)
        self._count = 0
        self._template = replace_arrays((shifts, means), self._register)

    def _register(self, values: Array) -> Any:
        if values.dtype.kind != "f":
            return values
        name = f"array_{self._count}"
        self._count += 1
        self.register_buffer(name, torch.from_numpy(values.copy()))
        return _Name(name)

    def forward(self, x: Tensor) -> Tensor:
        """Outputs (n, outputs)."""
        from softsym.gp.features import combine

        (shift_in, scale_in, shift_out, scale_out), means = _fill(self._template, self)
        rows = (x - shift_in) / scale_in
        out = [shift_out[:1] * 0.0 + x[:, :1] * 0.0] * len(shift_out)
        for components, weights, columns in means:
            if not components:
                continue
            parts = [part for each in components for part in each.features(rows)]
            values = combine(parts, weights, columns.shape[1])
            for copy, places in enumerate(columns):
                for q, place in enumerate(places):
                    out[int(place)] = values[:, q, copy : copy + 1]
        return torch.cat(out, dim=1) * scale_out + shift_out


class _Name(str):
    """The name of a buffer in the place of an array."""


def _fill(value: Any, module: nn.Module) -> Any:
    """The template with buffers in the place of their names."""
    from dataclasses import fields, is_dataclass

    if isinstance(value, _Name):
        return getattr(module, value)
    if isinstance(value, tuple | list):
        return type(value)(_fill(each, module) for each in value)
    if is_dataclass(value) and not isinstance(value, type):
        copy = object.__new__(type(value))
        for field in fields(value):
            object.__setattr__(copy, field.name, _fill(getattr(value, field.name), module))
        return copy
    return value
