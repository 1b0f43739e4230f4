"""``mixed``: exactly equivariant to some groups and softly to the others (:class:`softsym.nn.MixedEMLP`)."""

from __future__ import annotations

from softsym.groups import Group
from softsym.nn import MixedEMLP
from softsym.training.zoo.model import Blueprint, Built, Model


def build(plan: Blueprint) -> Built:
    """One path for the exact groups, one for all."""
    preset = plan.preset
    exact, soft = exact_and_soft(plan)
    net = MixedEMLP(
        *plan.reps, exact, soft, plan.width, preset.layers, largest=plan.task.largest, round_up=preset.round_up,
        seed=plan.seed, joint_decay=preset.equivariant_decay, exact_decay=preset.residual_decay,
    )  # fmt: skip
    return Built(net)


def exact_and_soft(plan: Blueprint) -> tuple[list[Group], list[Group]]:
    """The group that is said to be exact, or what a person who knows the task would call so; if nothing is, the whole is only soft."""
    groups = plan.candidates
    if plan.given is not None:
        return [plan.given], [group for group in groups if group != plan.given]
    exact = [group for group in groups if plan.task.expected.get(group) == "exact"]
    return exact or list(groups), [group for group in groups if group not in exact]


MODEL = Model("mixed", build, takes_group=True, takes_candidates=True, width=lambda preset: preset.rpp_width)
