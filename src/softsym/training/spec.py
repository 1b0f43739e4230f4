"""What a run is: a task, a model, all numbers and a seed; and presets with a person's changes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from pydantic import ValidationError

from softsym.errors import InputError
from softsym.tasks.presets import Preset, preset
from softsym.training.settings import Settings


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
    """

    task: str
    model: str
    preset: Preset
    seed: int = 0
    group: str | None = None
    devices: int = 1
    groups: tuple[str, ...] | None = None
    early_stopping: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings; what most runs do not have is left out."""
        fields = {**asdict(self), "preset": self.preset.model_dump()}
        fields["groups"] = None if self.groups is None else list(self.groups)
        usual = {"groups": None, "early_stopping": True}
        return {name: value for name, value in fields.items() if name not in usual or value != usual[name]}

    @staticmethod
    def from_dict(fields: Mapping[str, Any]) -> RunSpec:
        """Reads :meth:`to_dict`."""
        groups = fields.get("groups")
        changed = {"preset": Preset.model_validate(fields["preset"]), "groups": groups and tuple(groups)}
        return RunSpec(**{**fields, **changed})

    @property
    def settings(self) -> Settings:
        """The numbers that concern training."""
        preset, epochs = self.preset, self.preset.epochs_of(self.model)
        return Settings(
            epochs=epochs,
            batch=preset.batch_of(self.model),
            lr=preset.lr,
            weight_decay=preset.weight_decay,
            adam_eps=preset.adam_eps,
            patience=preset.patience,
            stop_after=2 * preset.adjust_at,
            early_stopping=self.early_stopping,
            seed=self.seed,
            validate_every=10,
            measure_every=max(1, epochs // 20),
            checkpoint_every=max(10, epochs // 50),
            devices=self.devices,
        )


def chosen_preset(task: str, name: str, *, epochs: int | None = None, width: int | None = None) -> Preset:
    """A preset with other epochs or another width.

    With fewer epochs the adjustment of the strengths comes earlier in proportion.

    Example:
        >>> chosen_preset("inertia:Oz(2)", "paper", epochs=80).adjust_at
        20
    """
    numbers = preset(task, name)
    fields = numbers.model_dump()
    if epochs is not None:
        share = epochs / numbers.max_epochs
        fields |= {
            "max_epochs": epochs,
            "per_max_epochs": None,
            "adjust_at": max(1, round(numbers.adjust_at * share)),
            "strength_window": max(1, round(numbers.strength_window * min(1.0, share))),
        }
    if width is not None:
        fields |= {"width": width, "rpp_width": max(1, round(numbers.rpp_width * width / numbers.width))}
    try:
        return Preset.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        raise InputError(
            f"preset {name} with these changes: {first['msg'].removeprefix('Value error, ')}"
        ) from error
