"""The models that can be trained by name, built for a task with the numbers of a preset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from torch import nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
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


def candidates(task: Task, groups: Sequence[str] | None = None) -> tuple[Group, ...]:
    """The candidate groups: the given ones, or the task's."""
    return task.groups if groups is None else tuple(read_group(text) for text in groups)


def build(
    name: str,
    task: Task,
    preset: Preset,
    seed: int,
    group: Group | None = None,
    groups: Sequence[Group] | None = None,
) -> Built:
    """A model by name.

    Args:
        name: ``mlp``, ``emlp``, ``rpp``, ``mixed``, ``per`` or ``fa``.
        task: Gives representations and candidate groups.
        preset: Gives widths, decays and strengths.
        seed: Seed of the initial weights.
        group: Group of ``emlp``, ``rpp`` and ``fa``, by default the task's largest; for ``mixed`` the exact one, by default what is known
            to be exact.
        groups: Candidate groups of ``mixed`` and ``per``; the task's by default.
    """
    if name not in MODELS:
        raise InputError(f"unknown model {name!r}; pass one of {', '.join(MODELS)}")
    G, every = group or task.largest, tuple(groups or task.groups)
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
        exact, soft = _exact_and_soft(task, every, group)
        net = MixedEMLP(
            *reps, exact, soft, width, layers, largest=task.largest, round_up=preset.round_up, seed=seed,
            joint_decay=preset.equivariant_decay, exact_decay=preset.residual_decay,
        )  # fmt: skip
        return Built(net)
    soft_net = SoftMLP(
        *reps,
        every,
        width,
        layers,
        largest=task.largest,
        init=preset.init,
        round_up=preset.round_up,
        seed=seed,
    )
    return Built(soft_net, EquivarianceRegularizer(soft_net, every, strength=preset.lambda0))


def _exact_and_soft(
    task: Task, groups: Sequence[Group], exact_group: Group | None
) -> tuple[list[Group], list[Group]]:
    """The group that is said to be exact, or what a person who knows the task would call so; if nothing is, the whole is only soft."""
    if exact_group is not None:
        return [exact_group], [group for group in groups if group != exact_group]
    exact = [group for group in groups if task.expected.get(group) == "exact"]
    return exact or list(groups), [group for group in groups if group not in exact]
