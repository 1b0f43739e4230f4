"""The presets of every task: its numbers as the paper prints them, as its code has them, and short ones.

``paper`` follows the paper's tables, ``code`` its published code where that differs, and ``quick`` is meant to finish in about a minute on
two cores. ``fast`` is ours: the paper's model trained by a proximal form of its penalties, in a tenth of the steps; its baselines
are trained by Adam, for longer.

Reference:
    Regularizing Towards Soft Equivariance Under Mixed Symmetries (Kim et al., 2023), https://arxiv.org/abs/2306.00356
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, get_args

from pydantic import ValidationError
from torch import nn

from softsym.datasets import CosSim, Inertia, Task
from softsym.datasets import task as read_task
from softsym.errors import InputError, first_problem
from softsym.nn import count_parameters
from softsym.training import FAST, FAST_STRENGTH
from softsym_lab.runs.spec import Preset, PresetName
from softsym_lab.tasks.motion import Flights, Motion
from softsym_lab.tasks.recorded import Duct, Mocap

OURS: dict[str, Any] = FAST | {
    "batch": 250,
    "per_batch": None,
    "max_epochs": 500,
    "per_max_epochs": 150,
    "adjust_at": 50,
    "patience": 150,
    "baseline_lr": 3e-3,
    "weight_decay": 0.0,
    "rpp_width": 152,
    "lambda0": FAST_STRENGTH,
    "init": "equivariant",
    "canonical_scale": True,
}
"""600 steps on 1,000 rows: the same numbers for every task."""

AS_CODE: dict[str, Any] = {"round_up": True, "fixed_data": True}
"""What the published code does differently for every task."""

INERTIA: dict[str, dict[str, Any]] = {
    "paper": {
        "batch": 500,
        "max_epochs": 8000,
        "lr": 1e-3,
        "weight_decay": 2e-4,
        "width": 384,
        "rpp_width": 270,
        "lambda0": 100.0,
        "gamma": 2.0,
        "adjust_at": 2000,
    },
    "code": {"width": 128, "rpp_width": 89, **AS_CODE},
    "quick": {"batch": 250, "max_epochs": 300, "lr": 3e-3, "width": 64, "rpp_width": 45, "adjust_at": 100, "seeds": 1},
    "fast": OURS,
}

COSSIM: dict[str, dict[str, Any]] = {
    "paper": {
        "batch": 200,
        "max_epochs": 10000,
        "lr": 2e-4,
        "weight_decay": 2e-5,
        "width": 128,
        "rpp_width": 45,
        "gamma": 2.0,
        "adjust_at": 2500,
    },
    "code": {"max_epochs": 2000, "lr": 1e-3, "lambda0": 0.01, "adjust_at": 500, **AS_CODE},
    "quick": {"batch": 250, "max_epochs": 300, "lr": 3e-3, "width": 64, "rpp_width": 32, "adjust_at": 100, "seeds": 1},
    "fast": OURS,
}
COSSIM_LAMBDA0 = {"SO(3)+S(3)": 0.005, "SO(3)": 0.1, "S(3)": 0.01, "soft": 0.005}

MOTION: dict[str, dict[str, Any]] = {
    "paper": {
        "batch": 256,
        "per_batch": 128,
        "max_epochs": 500,
        "lr": 2e-4,
        "weight_decay": 0.0,
        "width": 384,
        "rpp_width": 269,
        "gamma": 5.0,
        "adjust_at": 100,
        "init": "half-soft",
        "n_train": 16814,
        "n_val": 3339,
        "n_test": 3563,
    },
    "code": {"init": "half-soft-code", **AS_CODE},
    "quick": {
        "batch": 250,
        "per_batch": 250,
        "max_epochs": 100,
        "per_max_epochs": 100,
        "lr": 2e-3,
        "width": 64,
        "rpp_width": 45,
        "adjust_at": 30,
        "n_train": 2000,
        "n_val": 500,
        "n_test": 500,
        "seeds": 1,
    },
    "fast": OURS | {"max_epochs": 30, "per_max_epochs": 18, "adjust_at": 6},
}
MOTION_OWN: dict[str, dict[str, Any]] = {
    "scale-aware": {"max_epochs": 750, "per_max_epochs": 500, "lambda0": 0.2, "adjust_at": 125},
    "symmetry-aware": {"lambda0": 0.3},
    "symmetry-scale-aware": {"lambda0": 5.0},
}

BALLS: dict[str, dict[str, Any]] = {
    "quick": {
        "batch": 250,
        "max_epochs": 300,
        "lr": 3e-3,
        "weight_decay": 0.0,
        "width": 64,
        "rpp_width": 45,
        "lambda0": 1.0,
        "gamma": 2.0,
        "adjust_at": 100,
        "seeds": 1,
    },
    "fast": OURS,
}
"""Golf ball and table tennis are not in the paper."""

RECORDED: dict[type[Task], dict[str, dict[str, Any]]] = {
    Mocap: {
        "fast": OURS
        | {"max_epochs": 2000, "per_max_epochs": 600, "adjust_at": 200, "n_train": 200, "n_val": 240, "n_test": 240}
    },
    Duct: {
        "fast": OURS
        | {"max_epochs": 200, "per_max_epochs": 60, "adjust_at": 20, "n_train": 2304, "n_val": 2304, "n_test": 4608}
    },
    Flights: {
        "fast": OURS
        | {"max_epochs": 250, "per_max_epochs": 75, "adjust_at": 25, "n_train": 2000, "n_val": 500, "n_test": 500}
    },
}
"""As everywhere at ``fast``: 600 steps of PER, adjusted after a third, and about as many of its baselines as on 1,000 rows."""


def preset(task: str | Task, name: str = "paper") -> Preset:
    """The numbers of a run.

    Args:
        task: The task or its text.
        name: ``paper``, ``code``, ``quick`` or ``fast``.

    Raises:
        InputError: The task has no preset of that name.

    Example:
        >>> preset("inertia:Oz(2)", "code").width
        128
    """
    chosen = read_task(task)
    fields = _numbers(chosen, name)
    if fields is None:
        known = [other for other in get_args(PresetName) if _numbers(chosen, other) is not None]
        raise InputError(f"{chosen.name} has no preset {name!r}; it has {', '.join(known)}")
    if name == "code":
        chosen = _as_code(chosen)
    return Preset.model_validate({"name": name, "task": chosen.name, **fields})


def chosen_preset(
    task: str, name: str, *, epochs: int | None = None, width: int | None = None, strengths: str | None = None
) -> Preset:
    """A preset with other epochs, another width or another rule of strengths.

    With fewer epochs the adjustment of the strengths comes earlier in proportion.

    Example:
        >>> chosen_preset("inertia:Oz(2)", "paper", epochs=80).adjust_at
        20
    """
    numbers = preset(task, name)
    changes: dict[str, Any] = {}
    if epochs is not None:
        share = epochs / numbers.max_epochs
        changes |= {
            "max_epochs": epochs,
            "per_max_epochs": None,
            "adjust_at": max(1, round(numbers.adjust_at * share)),
            "strength_window": max(1, round(numbers.strength_window * min(1.0, share))),
        }
    if width is not None:
        changes |= {"width": width, "rpp_width": max(1, round(numbers.rpp_width * width / numbers.width))}
    if strengths is not None:
        changes["strengths"] = strengths
    return replace_numbers(numbers, changes, f"preset {name} with these changes")


def replace_numbers(numbers: Preset, changes: dict[str, Any], what: str = "") -> Preset:
    """A preset with some numbers replaced, and checked again; ``what`` begins the message if they do not fit."""
    try:
        return Preset.model_validate(dict(numbers) | changes)
    except ValidationError as error:
        _, problem = first_problem(error)
        raise InputError(f"{what}: {problem}" if what else problem) from error


def _numbers(task: Task, name: str) -> dict[str, Any] | None:
    """The fields of a preset, without its name and task; None if the task has no such preset."""
    own: dict[str, Any] = {}
    if isinstance(task, Inertia):
        tables = INERTIA
    elif isinstance(task, CosSim):
        tables, own = COSSIM, {"lambda0": COSSIM_LAMBDA0[task.variant.removesuffix("-code")]}
    elif isinstance(task, Motion):
        tables, own = MOTION, MOTION_OWN[task.normalisation]
    else:
        return RECORDED.get(type(task), BALLS).get(name)
    if name not in tables:
        return None
    return tables["paper"] | own | (tables[name] if name != "paper" else {})


def _as_code(task: Task) -> Task:
    """The task as the published code has it: another perturbation in CosSim, other tracks and centring in Motion."""
    if isinstance(task, CosSim) and f"{task.variant}-code" in CosSim.variants():
        return replace(task, variant=f"{task.variant}-code")
    if isinstance(task, Motion):
        return replace(task, settings="code")
    return task


def match_width(build: Callable[[int], nn.Module], parameters: int, widths: range = range(8, 2049)) -> int:
    """The width at which ``build(width)`` comes closest to a number of parameters.

    Args:
        build: Makes a network of a given width; its size must grow with the width.
        parameters: The number to match.
        widths: The widths to choose from.

    Example:
        >>> import softsym as ss
        >>> match_width(lambda w: ss.nn.MLP("5S + 5V", "T(2)", "O(3)", width=w), 36_873)
        128
    """
    if parameters < 1:
        raise InputError(f"cannot match {parameters} parameters; pass a positive number")
    low, high = widths.start, widths.stop - 1
    while low < high:
        middle = (low + high) // 2
        if count_parameters(build(middle)) < parameters:
            low = middle + 1
        else:
            high = middle
    nearby = [w for w in (low - 1, low) if widths.start <= w < widths.stop]
    return min(nearby, key=lambda w: abs(count_parameters(build(w)) - parameters))
