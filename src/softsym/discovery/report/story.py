"""Everything a report tells about one discovery, as plain data: what is drawn, not how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from softsym.discovery.judge.symmetries import Symmetries

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Curves:
    """What happened during the training of one seed's model.

    Args:
        seed: The seed.
        epochs: Epochs at which residuals were read, shape (n,).
        residuals: By group, the unweighted squared distance of all weights, shape (n,).
        strengths: By group, the strength of the penalty, shape (n,).
        loss_epochs: Epochs at which losses were read, shape (m,).
        loss: Training loss, shape (m,).
        validation: Validation loss, NaN where it was not measured, shape (m,).
    """

    seed: int
    epochs: Array
    residuals: Mapping[str, Array]
    strengths: Mapping[str, Array]
    loss_epochs: Array
    loss: Array
    validation: Array


@dataclass(frozen=True, eq=False)
class Orbit:
    """One input moved along a one-parameter subgroup, and what the model makes of it.

    Args:
        group: The group.
        angles: Parameter of the motion, shape (k,).
        inputs: Paths of the vectors among the input's coordinates, shape (vectors, k, 3).
        predicted: The prediction for the moved input, f(g x), shape (k, outputs).
        moved: The moved prediction for the resting input, g f(x), shape (k, outputs).
        vector: First of three outputs that form a vector; None if there is none.
    """

    group: str
    angles: Array
    inputs: Array
    predicted: Array
    moved: Array
    vector: int | None = None


@dataclass(frozen=True, eq=False)
class Story:
    """What a report tells.

    Args:
        title: What the data are called.
        symmetries: The table.
        test_error: Mean squared error on held-out data, in the units of the data.
        explained: Share of the held-out variance that the model explains.
        curves: One for each seed.
        true: Held-out outputs, shape (n, outputs).
        predicted: Predictions for them, shape (n, outputs).
        std: Spread of the ensemble, shape (n, outputs).
        input_names: Names of the inputs' columns.
        output_names: Names of the outputs' columns.
        orbits: Motions of one held-out input, for 3D vector data.
        facts: What was run: settings, versions, seeds, time.
        notes: Sentences that the reader must not miss.
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
    facts: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
