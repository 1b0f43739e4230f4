"""``emlp``: exactly equivariant to one group (:class:`softsym.nn.EMLP`)."""

from __future__ import annotations

from softsym.nn import EMLP
from softsym.training.zoo.model import Blueprint, Built, Model


def build(plan: Blueprint) -> Built:
    """Every linear layer is confined to the group's equivariant space."""
    return Built(EMLP(*plan.reps, plan.group, plan.width, plan.preset.layers, seed=plan.seed))


MODEL = Model("emlp", build, takes_group=True)
