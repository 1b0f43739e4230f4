"""The content of the report on one discovery, as plain data."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import expm

from softsym.discovery.fit_data import Target
from softsym.discovery.select import Baselines, Fit
from softsym.discovery.symmetries import Symmetries
from softsym.groups import Group
from softsym.inference import EvidenceTable
from softsym.metrics import act
from softsym.reps import Rep, TensorType
from softsym.typing import Array

if TYPE_CHECKING:
    from softsym.discovery.models import Curves

LEAST_EXPLAINED_UNNOTED = 0.5  # a model that explains less of the held-out variance than this has a note in its report
ORBIT_STEPS = 49


@dataclass(frozen=True, eq=False)
class Orbit:
    """The orbit of one input under a one-parameter subgroup, and predictions along it."""

    group: str  # the group
    angles: Array  # parameter of the subgroup, shape (k,)
    inputs: Array  # paths of the vectors among the input's coordinates, shape (vectors, k, 3)
    predicted: Array  # prediction for the transformed input, f(g x), shape (k, outputs)
    transformed: Array  # transformed prediction for the input itself, g f(x), shape (k, outputs)
    vector: int | None = None  # first of three outputs that form a vector; None if there is none


@dataclass(frozen=True, eq=False)
class ReportData:
    """The content of a report."""

    title: str  # what the data are called
    symmetries: Symmetries  # the table
    test_error: float  # mean loss on held-out data: squared error in the units of the data, or log loss of classes
    explained: float  # share of the held-out variance that the model explains
    curves: Sequence[Curves]  # one for each seed
    true: Array  # held-out outputs, shape (n, outputs)
    predicted: Array  # predictions for them, shape (n, outputs)
    std: Array  # standard deviations of the predictions, shape (n, outputs)
    input_names: tuple[str, ...]  # names of the inputs' columns
    output_names: tuple[str, ...]  # names of the outputs' columns
    orbits: tuple[Orbit, ...] = ()  # orbits of one held-out input, for 3D vector data
    baselines: Baselines = field(default_factory=Baselines)  # errors of all models and baselines
    exact_groups: tuple[str, ...] = ()  # names of the groups to which the model is exactly equivariant
    facts: Mapping[str, str] = field(default_factory=dict)  # what was run: settings, versions, seeds, time
    notes: tuple[str, ...] = ()  # warnings, one sentence each
    evidence: EvidenceTable = field(default_factory=EvidenceTable)  # the evidence of the data, with its curves
    why: tuple[str, ...] = ()  # why this model was selected, in sentences
    loss: str = "MSE"  # what the error is


def make_report_data(
    fit: Fit,
    symmetries: Symmetries,
    evidence: EvidenceTable,
    *,
    title: str,
    names: tuple[Sequence[str], Sequence[str]],
    facts: dict[str, str] | None = None,
) -> ReportData:
    """The content of the report on a fit."""
    predicted, std = fit.test_predictions
    explained = fit.explained()
    orbits = [_orbit(fit, group) for group in fit.shape.groups]
    return ReportData(
        title=title,
        symmetries=symmetries,
        test_error=fit.test_error(),
        explained=explained,
        curves=() if fit.networks is None else fit.networks.curves,
        true=fit.test.Y,
        predicted=predicted,
        std=std,
        input_names=tuple(names[0]),
        output_names=tuple(names[1]),
        orbits=tuple(orbit for orbit in orbits if orbit is not None),
        baselines=fit.baselines,
        exact_groups=fit.exact_groups,
        evidence=evidence,
        why=fit.why,
        facts={**_facts(fit), **(facts or {})},
        notes=_notes(fit, explained),
        loss="log loss" if fit.target is Target.CLASSES else "MSE",
    )


def _facts(fit: Fit) -> dict[str, str]:
    import torch

    import softsym

    shape, networks = fit.shape, {"networks": "none"}
    if fit.networks is not None:
        chosen = fit.networks.hyperparameters
        networks = {
            "members": f"{len(fit.members)} (seeds {', '.join(str(member.seed) for member in fit.members)})",
            "network": f"width {chosen.width}, {chosen.layers} layers",
            "training": f"{chosen.epochs} epochs, batch {chosen.batch}, lr {chosen.lr:g}",
            "strengths": f"{chosen.strengths}, from {chosen.strength or 0:g}, gamma {chosen.gamma:g}",
        }
    return {
        "inputs": str(shape.rep_in),
        "outputs": str(shape.rep_out),
        "candidate groups": ", ".join(group.name for group in shape.groups) or "none",
        "training rows": f"{fit.n_train:,}",
        "held-out rows": f"{len(fit.test):,}",
        **networks,
        "seed": str(fit.seed),
        "time": f"{fit.seconds:.0f} s",
        **({} if fit.compiled is None else {"compiled code": fit.compiled}),
        "versions": f"softsym {softsym.__version__}, torch {torch.__version__}, numpy {np.__version__}, "
        f"Python {platform.python_version()}",
    }


def _notes(fit: Fit, explained: float) -> tuple[str, ...]:
    notes = []
    if not fit.test.is_separate:
        notes.append("There are too few rows to hold any out: errors are measured on training rows and look too good.")
    notes += [
        f"{row.name.capitalize()} on the same rows predicts held-out data better: error {row.test_error:.3g}."
        for row in fit.baselines.better[:1]
    ]
    if explained < LEAST_EXPLAINED_UNNOTED:
        notes.append(
            f"The model explains {max(0.0, explained):.0%} of the held-out variance: more data, or inputs that are missing, would make "
            "both predictions and verdicts better."
        )
    return tuple(notes)


def _orbit(fit: Fit, group: Group) -> Orbit | None:
    """The orbit of the first test input under a candidate that acts on vectors of R^3 continuously; None for others."""
    places, outputs = (_vectors(rep, group) for rep in (fit.shape.rep_in, fit.shape.rep_out))
    if group.dim != 3 or len(group.part_dims) > 1 or not len(group.lie_algebra) or not places:
        return None
    angles, elements = one_parameter(group)
    x = fit.test.X[:1]
    transformed = act(fit.shape.rep_in, group, elements, x)[:, 0]
    return Orbit(
        group=group.name,
        angles=angles,
        inputs=np.stack([transformed[:, start : start + 3] for start in places]),
        predicted=fit.predict(transformed),
        transformed=act(fit.shape.rep_out, group, elements, fit.predict(x))[:, 0],
        vector=outputs[0] if outputs else None,
    )


def one_parameter(group: Group) -> tuple[Array, Array]:
    """Parameters and elements exp(t A): one full rotation, or t from -1 to 1 for other subgroups."""
    A = group.lie_algebra[0]
    is_rotation = np.allclose(A, -A.T)
    speed = np.abs(np.linalg.eigvals(A)).max()
    A = A / speed if speed > 1e-12 else A
    angles = np.linspace(0, 2 * np.pi, ORBIT_STEPS) if is_rotation else np.linspace(-1, 1, ORBIT_STEPS)
    return angles, np.stack([expm(t * A) for t in angles])


def _vectors(rep: Rep, group: Group) -> list[int]:
    """Where vectors start among the coordinates of a representation."""
    return [
        segment.start + k * segment.size
        for segment in rep.segments(group)
        if isinstance(segment.type, TensorType) and segment.type.rank == 1 and segment.size == 3
        for k in range(segment.copies)
    ]
