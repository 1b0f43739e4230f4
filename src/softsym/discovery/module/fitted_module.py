"""The selected model as one module: scaling, stacked ensemble, points, classes."""

from __future__ import annotations

import copy

import numpy as np
import torch
from torch import Tensor, nn

from softsym.discovery.fit.fitted import FittedEnsemble, Networks, Predictor, Target
from softsym.discovery.fit.scale_frame import ScaleFrame
from softsym.discovery.models.gp_model import GaussianProcess
from softsym.discovery.models.kernel_ridge import KernelRidge
from softsym.discovery.models.perceptron import Perceptron
from softsym.discovery.models.protocol import Model
from softsym.discovery.models.simple import Affine
from softsym.discovery.module.gp_module import Sum, process_module
from softsym.discovery.module.kernel_sums import kernel_sum
from softsym.discovery.module.scaled import Scaled
from softsym.discovery.points import Points
from softsym.typing import Array


class FittedModule(nn.Module):
    """A fitted model: rows in the units of the data in, predictions in theirs out.

    Numbers inside are of double precision; ``.float()`` makes them single. Outputs have the type of the inputs.

    Args:
        body: From inputs as they were fitted to outputs as they were fitted.
        points: How points are centred; None if there are none.
        is_flat: Whether outputs are (...,), as ``y`` was, and not (..., outputs).
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
            centre, shift_in, shift_out = points.matrices()
            for name, matrix in (("centre", centre), ("shift_in", shift_in), ("shift_out", shift_out)):
                self.register_buffer(name, torch.from_numpy(matrix))

    def forward(self, x: Tensor) -> Tensor:
        """Maps rows (..., inputs) to predictions (..., outputs), or (...,) as ``y`` was; to probabilities of classes."""
        rows = x.to(self.unit.dtype)
        middle = rows @ self.centre if self.is_centred else None
        out: Tensor = self.body(rows if middle is None else rows - middle @ self.shift_in)
        out = out if middle is None else out + middle @ self.shift_out
        return (out[..., 0] if self.is_flat else out).to(x.dtype)


class Members(nn.Module):
    """Networks as one: the mean of their outputs, or of their probabilities.

    Args:
        predictor: The networks.
    """

    degrees_in: Tensor
    degrees_out: Tensor

    def __init__(self, predictor: Predictor) -> None:
        super().__init__()
        self.members = nn.ModuleList(copy.deepcopy(member.model) for member in predictor.members)
        self.is_classes = predictor.target is Target.CLASSES
        frame = predictor.frame
        self.size = None if frame is None else frame.size
        if frame is not None:
            self.register_buffer("degrees_in", frame.degrees_in.double())
            self.register_buffer("degrees_out", frame.degrees_out.double())

    def forward(self, x: Tensor) -> Tensor:
        """Maps standardised inputs (..., inputs) to standardised outputs, or to probabilities."""
        each = torch.stack([self._one(member, x) for member in self.members])
        return (each.softmax(-1) if self.is_classes else each).mean(0)

    def _one(self, member: nn.Module, x: Tensor) -> Tensor:
        if self.size is None:
            out: Tensor = member(x)
            return out
        return ScaleFrame(self.degrees_in, self.degrees_out, self.size).apply(member, x)


def fitted_module(
    fit: FittedEnsemble, points: Points | None = None, *, is_flat: bool = False
) -> FittedModule:
    """The module that predicts as the fit does.

    Args:
        fit: The fit.
        points: How points were centred.
        is_flat: Whether there is one output, without an axis of its own.
    """
    if fit.ensemble is None:
        body = _networks(fit.ordinary or fit.predictor)
    else:
        parts = [_model_module(part.full_fit) for part in fit.ensemble.parts]
        body = parts[0] if len(parts) == 1 else Sum(parts, list(fit.ensemble.weights.values()))
    return FittedModule(body, points, is_flat=is_flat).eval()


def _model_module(model: Model) -> nn.Module:
    """One model as a module."""
    if isinstance(model, Networks):
        return _networks(model.predictor)
    if isinstance(model, GaussianProcess):
        return process_module(model)
    if isinstance(model, Affine):
        return _linear(model.weight, model.bias)
    if isinstance(model, KernelRidge):
        last = _linear(np.eye(len(model.center)), model.center)
        return Scaled(nn.Sequential(kernel_sum(model.kernel, model.rows, model.dual), last), model.scale)
    assert isinstance(model, Perceptron)
    layers: list[nn.Module] = []
    for weight, bias in zip(model.weights, model.biases, strict=True):
        layers += [_linear(weight.T, bias), nn.ReLU()]
    return Scaled(nn.Sequential(*layers[:-1]), model.scale_in, model.scale_out)


def _networks(predictor: Predictor) -> nn.Module:
    has_units = predictor.target is Target.NUMBERS
    return Scaled(Members(predictor), predictor.scale_in, predictor.scale_out if has_units else None)


def _linear(weight: Array, bias: Array) -> nn.Linear:
    layer = nn.Linear(weight.shape[1], weight.shape[0], dtype=torch.float64)
    with torch.no_grad():
        layer.weight.copy_(torch.from_numpy(np.asarray(weight, dtype=np.float64)))
        layer.bias.copy_(torch.from_numpy(np.asarray(bias, dtype=np.float64)))
    return layer
