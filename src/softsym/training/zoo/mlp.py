"""``mlp``: the plain network, which knows no symmetry."""

from __future__ import annotations

from softsym.nn import MLP
from softsym.training.zoo.model import Blueprint, Built, Model


def network(plan: Blueprint) -> MLP:
    """The network, also of the models that teach it a symmetry from outside."""
    return MLP(*plan.reps, plan.group, plan.width, plan.preset.layers, seed=plan.seed)


MODEL = Model("mlp", lambda plan: Built(network(plan)))
