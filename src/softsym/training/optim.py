"""How weights are moved: the optimizer and its learning rate."""

from __future__ import annotations

import math

import torch
from torch import nn

from softsym.regularize import EquivarianceRegularizer
from softsym.training.muon import Muon
from softsym.training.settings import Settings


def make_optimizer(
    model: nn.Module, regularizer: EquivarianceRegularizer | None, settings: Settings
) -> torch.optim.Optimizer:
    """Adam, or Muon for matrices; weight decay in the loss (L2) only on regularised weights and biases, decoupled decay on all."""
    if settings.optimizer == "muon":
        trained = (p for p in model.parameters() if p.requires_grad)
        return Muon(trained, settings.lr, eps=settings.adam_eps, shrink=settings.shrink)
    if settings.shrink:
        return torch.optim.AdamW(
            model.parameters(), settings.lr, eps=settings.adam_eps, weight_decay=settings.shrink, fused=True
        )
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


def rate_at(settings: Settings, done: float) -> float:
    """The learning rate after a share of the training: it rises in the warm-up, and then falls along half a cosine to zero.

    Example:
        >>> settings = Settings(lr=0.1, epochs=10, batch=8, warm_up=0.5)
        >>> [round(rate_at(settings, done), 3) for done in (0.0, 0.25, 0.5, 0.75)]
        [0.0, 0.05, 0.1, 0.05]
    """
    if done < settings.warm_up:
        return settings.lr * done / settings.warm_up
    return settings.lr * 0.5 * (1 + math.cos(math.pi * (done - settings.warm_up) / (1 - settings.warm_up)))


def set_rate(
    optimizer: torch.optim.Optimizer, settings: Settings, epoch: int, batch: int, batches: int
) -> float:
    """Gives the optimizer the rate of a step and returns it; without a warm-up the rate of an epoch stays what it is at its beginning.

    Args:
        optimizer: The optimizer.
        settings: The numbers of the training.
        epoch: Counted from one.
        batch: Which of the epoch's batches, counted from zero.
        batches: How many there are.
    """
    # The first step of a warm-up has a rate already.
    part = (batch + 1) / batches if settings.warm_up else 0.0
    rate = rate_at(settings, (epoch - 1 + part) / settings.epochs)
    for group in optimizer.param_groups:
        group["lr"] = rate
    return rate
