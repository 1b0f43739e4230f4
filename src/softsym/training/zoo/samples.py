"""Models that learn a symmetry from transformed samples: the plain network, with a hook (:mod:`softsym.regularize.sample`)."""

from __future__ import annotations

from torch import Tensor, nn

from softsym.regularize import GroupAugmentation, SamplePenalty
from softsym.training.zoo.model import Blueprint, Built, Model
from softsym.training.zoo.networks import plain


def _augment(plan: Blueprint) -> Built:
    """Every batch is shown transformed by the group."""
    return Built(plain(plan), on_batch=GroupAugmentation(*plan.reps, plan.group, plan.seed))


def _sample(plan: Blueprint) -> Built:
    """The loss has the sample-based penalty of the group in it."""
    penalty = SamplePenalty(*plan.reps, plan.group, plan.seed)
    strength = plan.preset.sample_strength

    def on_loss(model: nn.Module, x: Tensor, prediction: Tensor, step: int) -> Tensor:
        return strength * penalty(model, x, prediction, step)

    return Built(plain(plan), on_loss=on_loss)


augment = Model("augment", _augment, takes_group=True)
sample = Model("sample", _sample, takes_group=True)
