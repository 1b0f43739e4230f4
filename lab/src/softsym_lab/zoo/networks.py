"""The paper's model and its baselines that differ by their networks: how each is built, and which numbers of a preset it takes."""

from __future__ import annotations

from softsym.groups import Group
from softsym.nn import EMLP, MLP, RPP, FrameAveraged, MixedEMLP, SoftMLP, soft_network
from softsym.regularize import EquivarianceRegularizer
from softsym_lab.zoo.model import Blueprint, Built, Model


def plain(plan: Blueprint) -> MLP:
    """The network that knows no symmetry; other models teach it one from outside."""
    return MLP(*plan.reps, plan.group, plan.width, plan.preset.layers, seed=plan.seed)


def _emlp(plan: Blueprint) -> Built:
    return Built(EMLP(*plan.reps, plan.group, plan.width, plan.preset.layers, seed=plan.seed))


def _frame_averaged(plan: Blueprint) -> Built:
    return Built(FrameAveraged(plain(plan), *plan.reps, plan.group))


def _rpp(plan: Blueprint) -> Built:
    preset = plan.preset
    net = RPP(
        *plan.reps,
        plan.group,
        plan.width,
        preset.layers,
        round_up=preset.round_up,
        seed=plan.seed,
        equivariant_decay=preset.equivariant_decay,
        residual_decay=preset.residual_decay,
    )
    return Built(net)


def _mixed(plan: Blueprint) -> Built:
    preset = plan.preset
    exact, soft = exact_and_soft(plan)
    net = MixedEMLP(
        *plan.reps,
        exact,
        soft,
        plan.width,
        preset.layers,
        largest=plan.task.largest,
        round_up=preset.round_up,
        seed=plan.seed,
        joint_decay=preset.equivariant_decay,
        exact_decay=preset.residual_decay,
    )
    return Built(net)


def exact_and_soft(plan: Blueprint) -> tuple[list[Group], list[Group]]:
    """The group that is said to be exact, or what a person who knows the task would call so; if nothing is, the whole is only soft."""
    groups = plan.candidates
    if plan.given is not None:
        return [plan.given], [group for group in groups if group != plan.given]
    exact = [group for group in groups if plan.task.expected.get(group) == "exact"]
    return exact or list(groups), [group for group in groups if group not in exact]


def _per(plan: Blueprint) -> Built:
    preset = plan.preset
    net = (soft_network if preset.canonical_scale else SoftMLP)(
        *plan.reps,
        plan.candidates,
        plan.width,
        preset.layers,
        largest=plan.task.largest,
        init=preset.init,
        round_up=preset.round_up,
        seed=plan.seed,
    )
    return Built(net, EquivarianceRegularizer(net, plan.candidates, strength=preset.lambda0))


mlp = Model("mlp", lambda plan: Built(plain(plan)))
emlp = Model("emlp", _emlp, takes_group=True)
fa = Model("fa", _frame_averaged, takes_group=True)
rpp = Model("rpp", _rpp, takes_group=True, is_free=True, width=lambda preset: preset.rpp_width)
mixed = Model("mixed", _mixed, takes_group=True, takes_candidates=True, width=lambda preset: preset.rpp_width)
per = Model(
    "per",
    _per,
    takes_candidates=True,
    is_free=True,
    is_regularized=True,
    batch=lambda preset: preset.per_batch or preset.batch,
    epochs=lambda preset: preset.per_max_epochs or preset.max_epochs,
)
