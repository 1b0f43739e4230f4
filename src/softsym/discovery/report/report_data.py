"""The content of the report on one discovery, as plain data."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from softsym.discovery.fit.baselines import Baselines
from softsym.discovery.fit.fitted import FittedEnsemble
from softsym.discovery.fit.training_curves import Curves
from softsym.discovery.judge.symmetries import Symmetries
from softsym.discovery.report.orbit_data import Orbit, compute_orbits
from softsym.discovery.report.wording import number
from softsym.discovery.report.worth import Worth, compute_worth
from softsym.inference import EvidenceTable
from softsym.reps.scaling import is_scaling
from softsym.typing import Array

LEAST_EXPLAINED_UNNOTED = 0.5
"""A model that explains less of the held-out variance than this has a note in its report."""


@dataclass(frozen=True, eq=False)
class ReportData:
    """The content of a report.

    Args:
        title: What the data are called.
        symmetries: The table.
        test_error: Mean squared error on held-out data, in the units of the data.
        explained: Share of the held-out variance that the model explains.
        curves: One for each seed.
        true: Held-out outputs, shape (n, outputs).
        predicted: Predictions for them, shape (n, outputs).
        std: Standard deviations of the predictions, shape (n, outputs).
        input_names: Names of the inputs' columns.
        output_names: Names of the outputs' columns.
        orbits: Orbits of one held-out input, for 3D vector data.
        baselines: Errors of all models and baselines.
        exact_groups: Names of the groups to which the model is exactly equivariant.
        facts: What was run: settings, versions, seeds, time.
        notes: Warnings, one sentence each.
        evidence: The evidence of the data, with its curves.
        worth: For each candidate, held-out errors without it, with it softly and with it exactly.
        why: Why this model was selected, in sentences.
    """

    title: str
    symmetries: Symmetries
    test_error: float
    explained: float
    curves: tuple[Curves, ...]
    true: Array
    predicted: Array
    std: Array
    input_names: tuple[str, ...]
    output_names: tuple[str, ...]
    orbits: tuple[Orbit, ...] = ()
    baselines: Baselines = field(default_factory=Baselines)
    exact_groups: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    evidence: EvidenceTable = field(default_factory=EvidenceTable)
    worth: tuple[Worth, ...] = ()
    why: tuple[str, ...] = ()


def make_report_data(
    fit: FittedEnsemble,
    symmetries: Symmetries,
    *,
    evidence: EvidenceTable | None = None,
    title: str,
    input_names: Sequence[str],
    output_names: Sequence[str],
    facts: dict[str, str] | None = None,
) -> ReportData:
    """The content of the report on a fit.

    Args:
        fit: The fit.
        symmetries: The verdicts.
        evidence: The evidence of the data.
        title: What the data are called.
        input_names: Names of the inputs.
        output_names: Names of the outputs.
        facts: More facts about what was run.
    """
    predicted, std = fit.held_predictions
    explained = fit.explained()
    return ReportData(
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
        orbits=compute_orbits(fit),
        baselines=fit.baselines,
        exact_groups=tuple(fit.selected_exact_groups),
        evidence=EvidenceTable() if evidence is None else evidence,
        worth=compute_worth(fit),
        why=fit.why,
        facts={**_facts(fit), **(facts or {})},
        notes=_notes(fit, explained),
    )


def _facts(fit: FittedEnsemble) -> dict[str, str]:
    import torch

    import softsym

    shape = fit.shape
    return {
        "inputs": str(shape.rep_in),
        "outputs": str(shape.rep_out),
        "candidate groups": ", ".join(group.name for group in shape.groups) or "none",
        "training rows": f"{fit.n_train:,}",
        "held-out rows": f"{len(fit.held.X):,}",
        **_network_facts(fit),
        "time": f"{fit.seconds:.0f} s",
        **({} if fit.compiled is None else {"compiled code": fit.compiled}),
        "versions": f"softsym {softsym.__version__}, torch {torch.__version__}, numpy {np.__version__}, "
        f"Python {platform.python_version()}",
    }


def _network_facts(fit: FittedEnsemble) -> dict[str, str]:
    """Facts about the networks, if there are any."""
    if not fit.members:
        return {"networks": "none"}
    recipe = fit.recipe
    return {
        "members": f"{len(fit.members)} (seeds {', '.join(str(member.seed) for member in fit.members)})",
        "network": f"width {recipe.width}, {recipe.layers} layers",
        "training": f"{recipe.epochs} epochs, batch {recipe.batch}, lr {recipe.lr:g}",
        "strengths": f"{recipe.strengths}, from {recipe.strength or 0:g}, gamma {recipe.gamma:g}",
    }


def _notes(fit: FittedEnsemble, explained: float) -> tuple[str, ...]:
    notes = []
    if not fit.held.is_separate:
        notes.append(
            "There are too few rows to hold any out: errors are measured on training rows and look too good."
        )
    if fit.ordinary is not None and fit.ensemble is None:
        notes.append(
            "Ordinary networks of the same size, trained for about a tenth of the time, predicted validation rows better: they are "
            "the selected model. The verdicts are those of the network that was regularised towards the symmetries."
        )
    notes += [
        f"{row.name.capitalize()} on the same rows predicts held-out data better: mean squared error {number(row.test_error)}."
        for row in fit.baselines.better[:1]
    ]
    if explained < LEAST_EXPLAINED_UNNOTED:
        notes.append(
            f"The model explains {max(0.0, explained):.0%} of the held-out variance. Verdicts rest on how its weights and "
            "predictions transform, not on how well it predicts; more data or more epochs would make both better."
        )
    if fit.predictor.frame is not None:
        names = " and ".join(group.name for group in fit.shape.groups if is_scaling(group))
        notes.append(
            f"The outputs of validation rows did not depend on the size of an input, so the scale is canonicalised before the network "
            f"and restored after it: the model is equivariant to {names} by construction, at any size."
        )
    if not fit.is_finished:
        notes.append("Training was interrupted: the model is that of the last epoch.")
    return tuple(notes)
