"""The models that can be trained by name. A new one is a file here and a line in this table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from softsym.registry import Registry
from softsym_lab.zoo.model import Blueprint, Built, Model

if TYPE_CHECKING:
    from softsym.datasets import Task
    from softsym.groups import Group
    from softsym_lab.runs.spec import Preset

__all__ = ["MODELS", "Blueprint", "Built", "Model", "build"]

MODELS: Registry[Model] = Registry(
    "model",
    {
        "mlp": "softsym_lab.zoo.networks:mlp",
        "emlp": "softsym_lab.zoo.networks:emlp",
        "rpp": "softsym_lab.zoo.networks:rpp",
        "mixed": "softsym_lab.zoo.networks:mixed",
        "per": "softsym_lab.zoo.networks:per",
        "fa": "softsym_lab.zoo.networks:fa",
        "augment": "softsym_lab.zoo.augmentation:augment",
        "sample": "softsym_lab.zoo.augmentation:sample",
        "balanced": "softsym_lab.zoo.augmentation:balanced",
        "jacobian": "softsym_lab.zoo.augmentation:jacobian",
        "gp": "softsym_lab.zoo.kernel_models:gp",
        "soft-kernel": "softsym_lab.zoo.kernel_models:soft_kernel",
        "kernel": "softsym_lab.zoo.kernel_models:kernel",
        "ridge": "softsym_lab.zoo.kernel_models:ridge",
        "boosting": "softsym_lab.zoo.kernel_models:boosting",
        "mean": "softsym_lab.zoo.kernel_models:mean",
        "velocity": "softsym_lab.zoo.kernel_models:velocity",
    },
)


def build(
    name: str, task: Task, preset: Preset, seed: int, group: Group | None = None, groups: Sequence[Group] | None = None
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
    return model.build(Blueprint(task, preset, model.width(preset), seed, group, tuple(groups or task.groups)))
