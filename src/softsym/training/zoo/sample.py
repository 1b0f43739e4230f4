"""``sample``: a plain network with the sample-based penalty of one group (:class:`softsym.regularize.SamplePenalty`)."""

from __future__ import annotations

from torch import Tensor, nn

from softsym.regularize import SamplePenalty
from softsym.training.zoo.mlp import network
from softsym.training.zoo.model import Blueprint, Built, Model


def build(plan: Blueprint) -> Built:
    """The network, and what is added to its loss."""
    penalty = SamplePenalty(*plan.reps, plan.group, plan.seed)
    strength = plan.preset.sample_strength

    def on_loss(model: nn.Module, x: Tensor, prediction: Tensor, step: int) -> Tensor:
        return strength * penalty(model, x, prediction, step)

    return Built(network(plan), on_loss=on_loss)


MODEL = Model("sample", build, takes_group=True)
