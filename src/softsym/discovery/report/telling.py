"""The story of a fit, for its report."""

from __future__ import annotations

import platform
from collections.abc import Sequence

import numpy as np

from softsym.discovery.fit.fit import Fit
from softsym.discovery.fit.scale_frame import is_scaling
from softsym.discovery.judge.symmetries import Symmetries
from softsym.discovery.report.orbit_data import orbits_of
from softsym.discovery.report.story import Story

LEAST_EXPLAINED = 0.5


def story_of(
    fit: Fit,
    symmetries: Symmetries,
    *,
    title: str,
    input_names: Sequence[str],
    output_names: Sequence[str],
    facts: dict[str, str] | None = None,
) -> Story:
    """Everything a report tells.

    Args:
        fit: The fit.
        symmetries: What was found.
        title: What the data are called.
        input_names: Names of the inputs.
        output_names: Names of the outputs.
        facts: More facts about what was run.
    """
    predicted, std = fit.predict(fit.held.X)
    explained = fit.explained()
    return Story(
        title=title,
        symmetries=symmetries,
        test_error=fit.test_error(),
        explained=explained,
        curves=fit.curves,
        true=fit.held.Y,
        predicted=predicted,
        std=std,
        input_names=tuple(input_names),
        output_names=tuple(output_names),
        orbits=orbits_of(fit),
        facts={**_facts(fit), **(facts or {})},
        notes=_notes(fit, explained),
    )


def _facts(fit: Fit) -> dict[str, str]:
    import torch

    import softsym

    shape, recipe = fit.shape, fit.recipe
    return {
        "inputs": str(shape.rep_in),
        "outputs": str(shape.rep_out),
        "candidate groups": ", ".join(group.name for group in shape.groups) or "none",
        "training rows": f"{fit.n_train:,}",
        "held-out rows": f"{len(fit.held.X):,}",
        "members": f"{len(fit.members)} (seeds {', '.join(str(member.seed) for member in fit.members)})",
        "network": f"width {recipe.width}, {recipe.layers} layers",
        "training": f"{recipe.epochs} epochs, batch {recipe.batch}, lr {recipe.lr:g}",
        "strengths": f"{recipe.strengths}, from {recipe.strength or 0:g}, gamma {recipe.gamma:g}",
        "time": f"{fit.seconds:.0f} s",
        "versions": f"softsym {softsym.__version__}, torch {torch.__version__}, numpy {np.__version__}, "
        f"Python {platform.python_version()}",
    }


def _notes(fit: Fit, explained: float) -> tuple[str, ...]:
    found = []
    if not fit.held.is_separate:
        found.append(
            "There are too few rows to hold any out: errors are measured on training rows and look too good."
        )
    if explained < LEAST_EXPLAINED:
        found.append(
            f"The model explains {max(0.0, explained):.0%} of the held-out variance. Verdicts rest on how its weights and "
            "predictions transform, not on how well it predicts; more data or more epochs would make both better."
        )
    if fit.frame is not None:
        names = " and ".join(group.name for group in fit.shape.groups if is_scaling(group))
        found.append(
            f"The size of an input told nothing about the outputs of validation rows, so it is undone before the network and redone "
            f"after it: the model is equivariant to {names} by construction, at any size."
        )
    if not all(member.is_finished for member in fit.members):
        found.append("Training was interrupted: this is what had been learned by then.")
    return tuple(found)
