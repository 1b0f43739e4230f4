"""``fa``: a plain network made exactly equivariant to one group by frame averaging (:class:`softsym.nn.FrameAveraged`)."""

from __future__ import annotations

from softsym.nn import FrameAveraged
from softsym.training.zoo.mlp import network
from softsym.training.zoo.model import Blueprint, Built, Model


def build(plan: Blueprint) -> Built:
    """The average over frames of an MLP."""
    return Built(FrameAveraged(network(plan), *plan.reps, plan.group))


MODEL = Model("fa", build, takes_group=True)
