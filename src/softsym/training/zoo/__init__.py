"""The models that can be trained by name, one per file. A new one is a file here and a line in this table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from softsym.registry import Registry
from softsym.training.zoo.model import Blueprint, Built, Model

if TYPE_CHECKING:
    from softsym.groups import Group
    from softsym.tasks.task import Task
    from softsym.training.spec import Preset

__all__ = ["MODELS", "Blueprint", "Built", "Model", "build"]

MODELS: Registry[Model] = Registry(
    "model",
    {
        "mlp": "softsym.training.zoo.mlp:MODEL",
        "emlp": "softsym.training.zoo.emlp:MODEL",
        "rpp": "softsym.training.zoo.rpp:MODEL",
        "mixed": "softsym.training.zoo.mixed:MODEL",
        "per": "softsym.training.zoo.per:MODEL",
        "fa": "softsym.training.zoo.fa:MODEL",
        "augment": "softsym.training.zoo.augment:MODEL",
        "sample": "softsym.training.zoo.sample:MODEL",
    },
)


def build(
    name: str,
    task: Task,
    preset: Preset,
    seed: int,
    group: Group | None = None,
    groups: Sequence[Group] | None = None,
) -> Built:
    """A model by name, untrained.

    Args:
        name: One of :data:`MODELS`.
        task: Gives representations and candidate groups.
        preset: Gives widths, decays and strengths.
        seed: Seed of the initial weights.
        group: Group of a model that has a single one, by default the task's largest; for ``mixed`` the exact one, by default what is
            known to be exact.
        groups: Candidate groups of ``mixed`` and ``per``; the task's by default.
    """
    model = MODELS[name]
    return model.build(
        Blueprint(task, preset, model.width(preset), seed, group, tuple(groups or task.groups))
    )
