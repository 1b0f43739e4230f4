"""How weights are moved: the optimizer and its learning rate."""

from __future__ import annotations

import math

import torch
from torch import nn

from softsym.regularize import EquivarianceRegularizer
from softsym.training.settings import Settings


def make_optimizer(
    model: nn.Module, regularizer: EquivarianceRegularizer | None, settings: Settings
) -> torch.optim.Optimizer:
    """Adam; weight decay (L2 in the loss) only on regularised weights and biases."""
    decayed = {id(p) for p in regularizer.stacked.parameters} if regularizer is not None else set()
    groups = [
        {
            "params": [p for p in model.parameters() if id(p) in decayed],
            "weight_decay": settings.weight_decay,
        },
        {"params": [p for p in model.parameters() if id(p) not in decayed], "weight_decay": 0.0},
    ]
    chosen = [group for group in groups if group["params"]]
    return torch.optim.Adam(chosen, lr=settings.lr, eps=settings.adam_eps, fused=True)


def set_rate(optimizer: torch.optim.Optimizer, settings: Settings, epoch: int) -> float:
    """Gives the optimizer the learning rate of an epoch, counted from one, and returns it: half a cosine from ``lr`` down to zero."""
    rate = settings.lr * 0.5 * (1 + math.cos(math.pi * (epoch - 1) / settings.epochs))
    for group in optimizer.param_groups:
        group["lr"] = rate
    return rate
