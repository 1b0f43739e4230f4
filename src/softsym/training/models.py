"""The models that can be trained by name, built for a task with the numbers of a preset."""

from __future__ import annotations

from dataclasses import dataclass

from torch import nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.nn import EMLP, MLP, RPP, FrameAveraged, MixedEMLP, SoftMLP
from softsym.regularize import EquivarianceRegularizer
from softsym.tasks.presets import Preset
from softsym.tasks.task import Task

MODELS = ("mlp", "emlp", "rpp", "mixed", "per", "fa")


@dataclass(frozen=True, eq=False)
class Built:
    """A model and, for PER, its regularizer."""

    model: nn.Module
    regularizer: EquivarianceRegularizer | None = None


def build(name: str, task: Task, preset: Preset, seed: int, group: Group | None = None) -> Built:
    """A model by name.

    Args:
        name: ``mlp``, ``emlp``, ``rpp``, ``mixed``, ``per`` or ``fa``.
        task: Gives representations and candidate groups.
        preset: Gives widths, decays and strengths.
        seed: Seed of the initial weights.
        group: Group of ``emlp``, ``rpp`` and ``fa``; the task's largest by default.
    """
    if name not in MODELS:
        raise InputError(f"unknown model {name!r}; pass one of {', '.join(MODELS)}")
    G = group or task.largest
    width, layers = preset.width_of(name), preset.layers
    reps = (task.rep_in, task.rep_out)
    if name == "mlp":
        return Built(MLP(*reps, G, width, layers, seed=seed))
    if name == "emlp":
        return Built(EMLP(*reps, G, width, layers, seed=seed))
    if name == "fa":
        return Built(FrameAveraged(MLP(*reps, G, width, layers, seed=seed), *reps, G))
    if name == "rpp":
        rpp = RPP(
            *reps, G, width, layers, round_up=preset.round_up, seed=seed,
            equivariant_decay=preset.equivariant_decay, residual_decay=preset.residual_decay,
        )  # fmt: skip
        return Built(rpp)
    if name == "mixed":
        exact, soft = _exact_and_soft(task)
        net = MixedEMLP(
            *reps, exact, soft, width, layers, largest=task.largest, round_up=preset.round_up, seed=seed,
            joint_decay=preset.equivariant_decay, exact_decay=preset.residual_decay,
        )  # fmt: skip
        return Built(net)
    soft_net = SoftMLP(
        *reps,
        task.groups,
        width,
        layers,
        largest=task.largest,
        init=preset.init,
        round_up=preset.round_up,
        seed=seed,
    )
    return Built(soft_net, EquivarianceRegularizer(soft_net, task.groups, strength=preset.lambda0))


def _exact_and_soft(task: Task) -> tuple[list[Group], list[Group]]:
    """What a person who knows the task would call exact; if nothing is, the whole is only soft."""
    exact = [group for group in task.groups if task.expected.get(group) == "exact"]
    return exact or list(task.groups), [group for group in task.groups if group not in exact]
