"""``rpp``: residual pathway prior, softly equivariant to one group (:class:`softsym.nn.RPP`)."""

from __future__ import annotations

from softsym.nn import RPP
from softsym.training.zoo.model import Blueprint, Built, Model


def build(plan: Blueprint) -> Built:
    """An equivariant path and a free one, each with its decay."""
    preset = plan.preset
    net = RPP(
        *plan.reps, plan.group, plan.width, preset.layers, round_up=preset.round_up, seed=plan.seed,
        equivariant_decay=preset.equivariant_decay, residual_decay=preset.residual_decay,
    )  # fmt: skip
    return Built(net)


MODEL = Model("rpp", build, takes_group=True, is_free=True, width=lambda preset: preset.rpp_width)
