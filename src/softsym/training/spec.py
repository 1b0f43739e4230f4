"""Presets with a person's changes: a number given by hand replaces the preset's, and what depends on it follows."""

from __future__ import annotations

from pydantic import ValidationError

from softsym.errors import InputError
from softsym.tasks.presets import Preset, preset


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
