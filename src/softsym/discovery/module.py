"""The selected model as one module: scaling, stacked ensemble, points, classes; and the modules that models are made of."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from softsym.data import SymmetricScaler
from softsym.typing import Array

if TYPE_CHECKING:
    from softsym.discovery.models import BoostedTrees
    from softsym.discovery.points import Points


class FittedModule(nn.Module):
    """A fitted model: rows in the units of the data in, predictions in theirs out.

    Numbers inside are of double precision; ``.float()`` makes them single. Outputs have the type of the inputs.
    """

    centre: Tensor
    shift_in: Tensor
    shift_out: Tensor
    unit: Tensor

    def __init__(self, body: nn.Module, points: Points | None = None, *, is_flat: bool = False) -> None:
        super().__init__()
        self.body, self.is_flat = body, is_flat
        self.is_centred = points is not None and points.is_centred
        self.register_buffer("unit", torch.ones((), dtype=torch.float64), persistent=False)
        if points is not None and self.is_centred:
            for name, matrix in zip(("centre", "shift_in", "shift_out"), points.matrices(), strict=True):
                self.register_buffer(name, torch.from_numpy(matrix))

    def forward(self, x: Tensor) -> Tensor:
        """Maps rows (..., inputs) to predictions (..., outputs), or (...,) as ``y`` was; to probabilities of classes."""
        rows = x.to(self.unit.dtype)
        middle = rows @ self.centre if self.is_centred else None
        out: Tensor = self.body(rows if middle is None else rows - middle @ self.shift_in)
        out = out if middle is None else out + middle @ self.shift_out
        return (out[..., 0] if self.is_flat else out).to(x.dtype)


class Scaled(nn.Module):
    """Standardises inputs, applies a function, and brings outputs back to their units."""

    shift_in: Tensor
    scale_in: Tensor
    shift_out: Tensor
    scale_out: Tensor

    def __init__(self, inner: nn.Module, scale_in: SymmetricScaler, scale_out: SymmetricScaler) -> None:
        super().__init__()
        self.inner = inner
        for where, scaler in (("in", scale_in), ("out", scale_out)):
            self.register_buffer(f"shift_{where}", torch.from_numpy(scaler.shift.copy()))
            self.register_buffer(f"scale_{where}", torch.from_numpy(scaler.scale.copy()))

    def forward(self, x: Tensor) -> Tensor:
        """Maps (..., inputs) to (..., outputs)."""
        out: Tensor = self.inner((x - self.shift_in) / self.scale_in)
        return out * self.scale_out + self.shift_out


class Sum(nn.Module):
    """The weighted sum of modules that map the same inputs."""

    def __init__(self, parts: Sequence[nn.Module], weights: Sequence[float]) -> None:
        super().__init__()
        self.parts, self.weights = nn.ModuleList(parts), weights

    def forward(self, x: Tensor) -> Tensor:
        """Maps (..., inputs) to (..., outputs)."""
        total = self.weights[0] * self.parts[0](x)
        for weight, part in zip(self.weights[1:], list(self.parts)[1:], strict=True):
            total = total + weight * part(x)
        return total


class Normalised(nn.Module):
    """Outputs cut off at a small positive number and divided by their sum."""

    def __init__(self, inner: nn.Module, least: float) -> None:
        super().__init__()
        self.inner, self.least = inner, least

    def forward(self, x: Tensor) -> Tensor:
        """Maps (..., inputs) to probabilities (..., classes)."""
        positive = self.inner(x).clamp_min(self.least)
        probabilities: Tensor = positive / positive.sum(-1, keepdim=True)
        return probabilities


class Members(nn.Module):
    """Networks as one: the mean of their outputs, or of their probabilities."""

    def __init__(self, members: Sequence[nn.Module], *, is_classes: bool) -> None:
        super().__init__()
        self.members = nn.ModuleList(copy.deepcopy(member) for member in members)
        self.is_classes = is_classes

    def forward(self, x: Tensor) -> Tensor:
        """Maps standardised inputs (..., inputs) to (..., outputs)."""
        each = torch.stack([member(x) for member in self.members])
        return (each.softmax(-1) if self.is_classes else each).mean(0)


class Trees(nn.Module):
    """Boosted trees: every row goes from the roots to the leaves in a fixed number of steps."""

    def __init__(self, model: BoostedTrees) -> None:
        super().__init__()
        self.depth, self.is_classes, self.models = model.depth, model.is_classes, len(model.roots)
        for name in ("feature", "threshold", "left", "right", "value", "directions", "center"):
            self.register_buffer(name, torch.from_numpy(getattr(model, name).copy()))
        self.register_buffer("roots", torch.from_numpy(model.roots.reshape(-1).copy()))

    def forward(self, x: Tensor) -> Tensor:
        """Maps (..., inputs) to (..., outputs)."""
        get = self.get_buffer
        node = get("roots").expand(*x.shape[:-1], -1)
        for _ in range(self.depth):
            goes_left = torch.gather(x, -1, get("feature")[node]) <= get("threshold")[node]
            node = torch.where(goes_left, get("left")[node], get("right")[node])
        sums = get("value")[node].unflatten(-1, (self.models, -1)).sum(-1)
        raw = sums @ get("directions") + get("center")
        return raw.softmax(-1) if self.is_classes else raw


def linear_layer(weight: Array, bias: Array) -> nn.Linear:
    """The affine map with this weight (outputs, inputs) and bias."""
    layer = nn.Linear(weight.shape[1], weight.shape[0], dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(np.asarray(weight, dtype=np.float64)))
        layer.bias.copy_(torch.from_numpy(np.asarray(bias, dtype=np.float64)))
    return layer
