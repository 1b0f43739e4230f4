"""The models that can be trained by name. A new one is a file here and a line in this table."""

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
        "mlp": "softsym.training.zoo.networks:mlp",
        "emlp": "softsym.training.zoo.networks:emlp",
        "rpp": "softsym.training.zoo.networks:rpp",
        "mixed": "softsym.training.zoo.networks:mixed",
        "per": "softsym.training.zoo.networks:per",
        "fa": "softsym.training.zoo.networks:fa",
        "augment": "softsym.training.zoo.samples:augment",
        "sample": "softsym.training.zoo.samples:sample",
        "balanced": "softsym.training.zoo.samples:balanced",
        "jacobian": "softsym.training.zoo.samples:jacobian",
        "gp": "softsym.training.zoo.closed:gp",
        "soft-kernel": "softsym.training.zoo.closed:soft_kernel",
        "kernel": "softsym.training.zoo.closed:kernel",
        "ridge": "softsym.training.zoo.closed:ridge",
        "boosting": "softsym.training.zoo.closed:boosting",
        "mean": "softsym.training.zoo.closed:mean",
        "velocity": "softsym.training.zoo.closed:velocity",
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
