"""``per``: the paper's model, a free network pulled towards every candidate group (:class:`softsym.EquivarianceRegularizer`)."""

from __future__ import annotations

from softsym.nn import SoftMLP
from softsym.regularize import EquivarianceRegularizer
from softsym.training.zoo.model import Blueprint, Built, Model


def build(plan: Blueprint) -> Built:
    """The network and its regularizer."""
    preset = plan.preset
    net = SoftMLP(
        *plan.reps, plan.candidates, plan.width, preset.layers, largest=plan.task.largest, init=preset.init,
        round_up=preset.round_up, seed=plan.seed,
    )  # fmt: skip
    return Built(net, EquivarianceRegularizer(net, plan.candidates, strength=preset.lambda0))


MODEL = Model(
    "per",
    build,
    takes_candidates=True,
    is_free=True,
    batch=lambda preset: preset.per_batch or preset.batch,
    epochs=lambda preset: preset.per_max_epochs or preset.max_epochs,
)
