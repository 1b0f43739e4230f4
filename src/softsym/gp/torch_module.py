"""Fitted feature regressions as a torch module: the same code on tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from softsym.gp.arrays import replace_arrays
from softsym.gp.features import combine
from softsym.typing import Array, Index


class FeatureModule(nn.Module):
    """Weighted features of scaled inputs, with all arrays as buffers: inputs (..., inputs) to outputs (..., outputs).

    Args:
        scales: Shift and scale of the inputs, shift and scale of the outputs.
        blocks: Feature maps, weights (features, copies) and columns of the outputs (copies, q) for every type of outputs.
    """

    def __init__(
        self, scales: tuple[Array, Array, Array, Array], blocks: Sequence[tuple[Sequence[Any], Array, Index]]
    ) -> None:
        super().__init__()
        self._count = 0
        named = tuple((maps, weights, columns.tolist()) for maps, weights, columns in blocks)
        self._template = replace_arrays((scales, named), self._register)
        self._fill()

    def _register(self, values: Array) -> Any:
        name = f"array_{self._count}"
        self._count += 1
        self.register_buffer(name, torch.from_numpy(values.copy()))
        return _Name(name)

    def _fill(self) -> None:
        self._filled = replace_arrays(self._template, dict(self.named_buffers()).__getitem__, _Name)

    def _apply(self, fn: Any, recurse: bool = True) -> Any:
        super()._apply(fn, recurse)
        self._fill()
        return self

    def forward(self, x: Tensor) -> Tensor:
        """Outputs (..., outputs)."""
        (shift_in, scale_in, shift_out, scale_out), blocks = self._filled
        rows = (x.reshape(-1, x.shape[-1]) - shift_in) / scale_in
        out = [rows[:, :1] * 0.0] * shift_out.shape[0]
        for maps, weights, columns in blocks:
            if not maps:
                continue
            values = combine([part for features in maps for part in features(rows)], weights, len(columns[0]))
            for copy, places in enumerate(columns):
                for q, place in enumerate(places):
                    out[place] = values[:, q, copy : copy + 1]
        return (torch.cat(out, dim=1) * scale_out + shift_out).reshape(*x.shape[:-1], -1)


class _Name(str):
    """The name of a buffer in the place of an array."""
