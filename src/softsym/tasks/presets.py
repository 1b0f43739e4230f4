"""Presets: every number of a training run, for each task, as the paper prints them, as its code has them, and for the impatient.

``paper`` follows the paper's tables, ``code`` its published code where that differs (see :class:`Preset`), and ``quick`` is meant to
finish in about a minute on two cores.

Reference:
    Regularizing Towards Soft Equivariance Under Mixed Symmetries (Kim et al., 2023), https://arxiv.org/abs/2306.00356
"""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat, PositiveInt, model_validator

from softsym.errors import InputError
from softsym.tasks.parse import task as read_task
from softsym.tasks.preset_tables import as_code, numbers
from softsym.tasks.task import Sizes, Task

PresetName = Literal["paper", "code", "quick"]


class Preset(BaseModel):
    """The numbers of a run: frozen, checked, and without unknown keys."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    name: PresetName
    task: str = Field(
        description="The task to run, in its text form; `code` names the variant that the published code has."
    )
    batch: PositiveInt
    per_batch: PositiveInt | None = Field(None, description="Batch of PER, where it differs.")
    max_epochs: PositiveInt
    per_max_epochs: PositiveInt | None = Field(None, description="Epochs of PER, where they differ.")
    lr: PositiveFloat
    weight_decay: float = Field(
        ge=0, description="PER only: the loss adds this times half the squared norm of weights and biases."
    )
    width: PositiveInt
    rpp_width: PositiveInt = Field(
        description="Width of networks with two paths, which have more parameters."
    )
    lambda0: float = Field(ge=0, description="Strength of every candidate group before the adjustment.")
    gamma: PositiveFloat
    adjust_at: PositiveInt = Field(
        description="Epoch of the adjustment; early stopping counts from twice that epoch."
    )
    strength_window: PositiveInt = Field(
        50, description="Epochs before the adjustment in which the regularizer is read."
    )
    patience: PositiveInt = 50
    init: Literal["standard", "soft", "half-soft", "half-soft-code"] = "standard"
    layers: PositiveInt = 4
    round_up: bool = Field(
        False, description="Round the width of soft networks up to whole rounds, as the code does."
    )
    adam_eps: PositiveFloat = 1e-8
    residual_decay: float = Field(
        1.0, ge=0, description="RPP and MixedEMLP: times the squared residual weights."
    )
    equivariant_decay: float = Field(
        1e-5, ge=0, description="RPP and MixedEMLP: times the squared equivariant weights."
    )
    n_train: PositiveInt = 1000
    n_val: PositiveInt = 1000
    n_test: PositiveInt = 1000
    fixed_data: bool = Field(False, description="The same data for every seed, as the code has it.")
    seeds: PositiveInt = 5

    @model_validator(mode="after")
    def _adjusts_in_time(self) -> Preset:
        if 2 * self.adjust_at >= min(self.max_epochs, self.per_max_epochs or self.max_epochs):
            raise ValueError(
                "early stopping counts from twice `adjust_at`, which must be before `max_epochs`"
            )
        return self

    @property
    def sizes(self) -> Sizes:
        """Numbers of examples for training, validation and test."""
        return Sizes(self.n_train, self.n_val, self.n_test)

    def batch_of(self, model: str) -> int:
        """Batch of a model, ``per`` or another."""
        return self.per_batch or self.batch if model == "per" else self.batch

    def epochs_of(self, model: str) -> int:
        """Maximum epochs of a model, ``per`` or another."""
        return self.per_max_epochs or self.max_epochs if model == "per" else self.max_epochs

    def width_of(self, model: str) -> int:
        """Width of a model: ``rpp`` and ``mixed`` have two paths and so are narrower."""
        return self.rpp_width if model in ("rpp", "mixed") else self.width


def preset(task: str | Task, name: str = "paper") -> Preset:
    """The numbers of a run.

    Args:
        task: The task or its text.
        name: ``paper``, ``code`` or ``quick``.

    Raises:
        InputError: The task has no preset of that name.

    Example:
        >>> preset("inertia:Oz(2)", "code").width
        128
    """
    found = read_task(task)
    fields = numbers(found, name)
    if fields is None:
        known = [other for other in get_args(PresetName) if numbers(found, other) is not None]
        raise InputError(f"{found.name} has no preset {name!r}; it has {', '.join(known)}")
    if name == "code":
        found = as_code(found)
    return Preset.model_validate({"name": name, "task": found.name, **fields})
