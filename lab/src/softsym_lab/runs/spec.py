"""What a run is: a task, a model, all numbers and a seed. Everything that decides the result, and nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field, PositiveInt, model_validator

from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.training import Batch, LearningRate, NetworkHyperparameters, Patience, TrainingConfig, check_device
from softsym_lab.zoo import MODELS, Blueprint, Model

if TYPE_CHECKING:
    from softsym.datasets import Task
    from softsym.regularize.strengths import Controller
    from softsym_lab.zoo import Built

PresetName = Literal["paper", "code", "quick", "fast"]


class Preset(NetworkHyperparameters):
    """All numbers of the runs on a task. Where it has two of a kind, the model says which it takes (:mod:`softsym_lab.zoo`)."""

    FORMAT: ClassVar[tuple[str, ...]] = (
        "name",
        "task",
        "batch",
        "per_batch",
        "max_epochs",
        "per_max_epochs",
        "lr",
        "weight_decay",
        "width",
        "rpp_width",
        "lambda0",
        "gamma",
        "adjust_at",
        "strength_window",
        "patience",
        "init",
        "layers",
        "round_up",
        "adam_eps",
        "residual_decay",
        "equivariant_decay",
        "n_train",
        "n_val",
        "n_test",
        "fixed_data",
        "seeds",
    )

    name: PresetName
    task: str = Field(
        description="The task to run, in its text form; `code` names the variant that the published code has."
    )
    batch: Batch
    per_batch: PositiveInt | None = Field(None, description="Batch of PER, where it differs.")
    max_epochs: PositiveInt
    per_max_epochs: PositiveInt | None = Field(None, description="Epochs of PER, where they differ.")
    baseline_lr: LearningRate | None = Field(
        None, description="Rate of models without penalties, which are then trained by Adam as published."
    )
    rpp_width: PositiveInt = Field(description="Width of networks with two paths, which have more parameters.")
    lambda0: float = Field(ge=0, description="Strength of every candidate group before the adjustment.")
    adjust_at: PositiveInt = Field(description="Epoch of the adjustment; early stopping counts from twice that epoch.")
    strength_window: PositiveInt = Field(
        50, description="Epochs before the adjustment in which the regularizer is read."
    )
    patience: Patience = 50
    init: Literal["standard", "soft", "half-soft", "half-soft-code", "equivariant"] = "standard"
    round_up: bool = Field(False, description="Round the width of soft networks up to whole rounds, as the code does.")
    canonical_scale: bool = Field(
        False,
        description="PER: bring inputs to one size where a candidate group scales (:class:`softsym.nn.ScaleCanonical`).",
    )
    equal_training: bool = Field(
        False, description="Baselines: trained as PER, with its optimizer, rate, schedule, average, batch and epochs."
    )
    equal_inputs: bool = Field(
        False, description="Baselines: see inputs as PER does, brought to one size where `canonical_scale` does so."
    )
    residual_decay: float = Field(1.0, ge=0, description="RPP and MixedEMLP: times the squared residual weights.")
    equivariant_decay: float = Field(
        1e-5, ge=0, description="RPP and MixedEMLP: times the squared equivariant weights."
    )
    sample_strength: float = Field(
        0.1, ge=0, description="Sample-based penalty: times the mean of |f(g x) - g f(x)|^2."
    )
    n_train: PositiveInt = 1000
    n_val: PositiveInt = 1000
    n_test: PositiveInt = 1000
    fixed_data: bool = Field(False, description="The same data for every seed, as the code has it.")
    seeds: PositiveInt = 5

    @model_validator(mode="after")
    def _adjusts_in_time(self) -> Preset:
        if 2 * self.adjust_at >= min(self.max_epochs, self.per_max_epochs or self.max_epochs):
            raise ValueError("early stopping counts from twice `adjust_at`, which must be before `max_epochs`")
        return self

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Numbers of examples for training, validation and test."""
        return self.n_train, self.n_val, self.n_test


@dataclass(frozen=True)
class RunSpec:
    """What to run: everything that decides the result.

    Args:
        task: The task's text.
        model: The model's name.
        preset: All numbers.
        seed: Seed of data, initial weights and batches.
        group: Group of a model that has a single one, and the exact one of ``mixed``; see :func:`~softsym.training.build`.
        devices: Processes that share each batch.
        groups: Candidate groups, if not the task's.
        early_stopping: If not, the run goes through its whole schedule; the best model is taken all the same.
        device: What it computes on (:data:`softsym.training.devices.DEVICES`).
    """

    task: str
    model: str
    preset: Preset
    seed: int = 0
    group: str | None = None
    devices: int = 1
    groups: tuple[str, ...] | None = None
    early_stopping: bool = True
    device: str = "cpu"

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings; what most runs do not have is left out."""
        fields = {**asdict(self), "preset": self.preset.model_dump()}
        fields["groups"] = None if self.groups is None else list(self.groups)
        usual = {"groups": None, "early_stopping": True, "device": "cpu"}
        return {name: value for name, value in fields.items() if name not in usual or value != usual[name]}

    @staticmethod
    def from_dict(fields: Mapping[str, Any]) -> RunSpec:
        """Reads :meth:`to_dict`."""
        groups = fields.get("groups")
        changed = {"preset": Preset.model_validate(fields["preset"]), "groups": groups and tuple(groups)}
        return RunSpec(**{**fields, **changed})

    @property
    def width(self) -> int:
        """Size of the hidden layers."""
        return MODELS[self.model].width(self.preset)

    @property
    def _schedule(self) -> Model:
        """The model whose numbers of the preset count for training: itself, or PER where all are trained alike."""
        return MODELS["per" if self.preset.equal_training else self.model]

    @property
    def settings(self) -> TrainingConfig:
        """The numbers that concern training."""
        preset, model = self.preset, self._schedule
        epochs = model.epochs(preset)
        return TrainingConfig(
            **(
                preset.step_values()
                if model.is_regularized or preset.baseline_lr is None
                else {"lr": preset.baseline_lr}
            ),
            epochs=epochs,
            batch=model.batch(preset),
            patience=preset.patience,
            stop_after=2 * preset.adjust_at,
            early_stopping=self.early_stopping,
            seed=self.seed,
            validate_every=10,
            measure_every=max(1, epochs // 20),
            checkpoint_every=max(10, epochs // 50),
            devices=self.devices,
            accelerator=self.device,
        )

    @property
    def controller(self) -> Controller:
        """The rule by which strengths change, at its beginning."""
        preset = self.preset
        return preset.make_controller(MODELS[self.model].epochs(preset), preset.adjust_at, preset.strength_window)

    def canonicalises_inputs(self) -> bool:
        """Whether its network sees inputs brought to one size."""
        preset, model = self.preset, MODELS[self.model]
        asked = preset.canonical_scale and (model.is_regularized or preset.equal_inputs) and not model.is_solved
        return asked and _can_canonicalise(self.task, self.groups)

    def check(self) -> None:
        """Refuses an unknown model, groups that cannot be read, and groups that the model does not take."""
        MODELS[self.model].check(self.group, self.groups)
        check_device(self.device)
        for text in (*([self.group] if self.group else []), *(self.groups or ())):
            read_group(text)

    def candidates(self, task: Task) -> tuple[Group, ...]:
        """The candidate groups: its own, or the task's."""
        return task.groups if self.groups is None else tuple(read_group(text) for text in self.groups)

    def build(self, task: Task) -> Built:
        """The model, untrained."""
        group = read_group(self.group) if self.group else None
        plan = Blueprint(task, self.preset, self.width, self.seed, group, self.candidates(task))
        return MODELS[self.model].build(plan)


@lru_cache
def _can_canonicalise(task: str, groups: tuple[str, ...] | None) -> bool:
    """Whether a candidate scales the inputs of a task, so that PER's network can undo sizes."""
    from softsym.datasets import task as read_task  # these load torch
    from softsym.nn import ScaleCanonical, soft_network

    found = read_task(task)
    candidates = found.groups if groups is None else groups
    small = soft_network(found.rep_in, found.rep_out, list(candidates), 8, 2, largest=found.largest)
    return isinstance(small, ScaleCanonical)
