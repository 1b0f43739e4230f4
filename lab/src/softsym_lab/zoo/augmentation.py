"""Models that learn a symmetry from outside: the plain network, with a hook of :mod:`softsym.regularize.sample`."""

from __future__ import annotations

from torch import Tensor, nn

from softsym.regularize import GroupAugmentation, JacobianPenalty, SamplePenalty
from softsym_lab.zoo.model import Blueprint, Built, Model
from softsym_lab.zoo.networks import plain


def _augment(plan: Blueprint) -> Built:
    """Every batch is shown transformed by the group."""
    return Built(plain(plan), on_batch=GroupAugmentation(*plan.reps, plan.group, plan.seed))


def _sample(plan: Blueprint, *, balanced: bool = False) -> Built:
    """The loss has the sample-based penalty of the group in it, at a fixed strength or as large as the task's own loss."""
    penalty = SamplePenalty(*plan.reps, plan.group, plan.seed)
    strength = 1.0 if balanced else plan.preset.sample_strength

    def on_loss(model: nn.Module, x: Tensor, prediction: Tensor, step: int) -> Tensor:
        return strength * penalty(model, x, prediction, step)

    return Built(plain(plan), on_loss=on_loss, balanced=balanced)


def _jacobian(plan: Blueprint) -> Built:
    """The loss has the squared Lie derivatives of the group in it."""
    penalty = JacobianPenalty(*plan.reps, plan.group)
    strength = plan.preset.sample_strength
    return Built(plain(plan), on_loss=lambda model, x, prediction, step: strength * penalty(model, x))


augment = Model("augment", _augment, takes_group=True)
sample = Model("sample", _sample, takes_group=True)
balanced = Model("balanced", lambda plan: _sample(plan, balanced=True), takes_group=True)
jacobian = Model("jacobian", _jacobian, takes_group=True)
