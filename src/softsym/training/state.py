"""Turning a run into a checkpoint and back: model, best model, optimizer, strengths, controller and early stopping."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from softsym.regularize import EquivarianceRegularizer
from softsym.regularize.strengths import Controller
from softsym.training.checkpoint import Checkpoint
from softsym.training.stopping import EarlyStopping


def capture(
    epoch: int,
    seconds: float,
    model: nn.Module,
    best: dict[str, Tensor],
    optimizer: Any,
    regularizer: EquivarianceRegularizer | None,
    controller: Controller,
    stopping: EarlyStopping,
) -> Checkpoint:
    """Everything the run needs to go on."""
    tensors = {f"model.{name}": value for name, value in model.state_dict().items()}
    tensors |= {f"best.{name}": value for name, value in best.items()}
    for k, state in optimizer.state_dict()["state"].items():
        tensors |= {f"optimizer.{k}.{name}": torch.as_tensor(value) for name, value in state.items()}
    state = {
        "seconds": seconds,
        "controller": controller.state_dict(),
        "stopping": stopping.state_dict(),
        "strengths": None if regularizer is None else regularizer.state_dict(),
    }
    return Checkpoint(epoch, tensors, state)


def restore(
    saved: Checkpoint,
    model: nn.Module,
    optimizer: Any,
    regularizer: EquivarianceRegularizer | None,
    controller: Controller,
    stopping: EarlyStopping,
) -> dict[str, Tensor]:
    """Puts a checkpoint back; returns the best model so far."""
    model.load_state_dict(_under(saved.tensors, "model."))
    described = optimizer.state_dict()
    described["state"] = {}
    for name, value in _under(saved.tensors, "optimizer.").items():
        k, key = name.split(".", 1)
        described["state"].setdefault(int(k), {})[key] = value
    optimizer.load_state_dict(described)
    controller.load_state_dict(saved.state["controller"])
    stopping.load_state_dict(saved.state["stopping"])
    if regularizer is not None:
        regularizer.load_state_dict(saved.state["strengths"])
    return _under(saved.tensors, "best.")


def _under(tensors: dict[str, Tensor], prefix: str) -> dict[str, Tensor]:
    return {name.removeprefix(prefix): value for name, value in tensors.items() if name.startswith(prefix)}
