"""``augment``: a plain network that is shown every batch transformed by one group (:class:`softsym.regularize.GroupAugmentation`)."""

from __future__ import annotations

from softsym.regularize import GroupAugmentation
from softsym.training.zoo.mlp import network
from softsym.training.zoo.model import Blueprint, Built, Model


def build(plan: Blueprint) -> Built:
    """The network, and the transformation of its batches."""
    return Built(network(plan), on_batch=GroupAugmentation(*plan.reps, plan.group, plan.seed))


MODEL = Model("augment", build, takes_group=True)
