"""Predictions along the orbit of one test input under a one-parameter subgroup, for the report."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.linalg import expm

from softsym.discovery.fit.fitted import FittedEnsemble
from softsym.groups import Group
from softsym.metrics.transform import act
from softsym.reps import Rep, TensorType
from softsym.typing import Array

ORBIT_STEPS = 49


@dataclass(frozen=True, eq=False)
class Orbit:
    """The orbit of one input under a one-parameter subgroup, and predictions along it.

    Args:
        group: The group.
        angles: Parameter of the subgroup, shape (k,).
        inputs: Paths of the vectors among the input's coordinates, shape (vectors, k, 3).
        predicted: Prediction for the transformed input, f(g x), shape (k, outputs).
        transformed: Transformed prediction for the input itself, g f(x), shape (k, outputs).
        vector: First of three outputs that form a vector; None if there is none.
    """

    group: str
    angles: Array
    inputs: Array
    predicted: Array
    transformed: Array
    vector: int | None = None


def compute_orbits(fit: FittedEnsemble, row: int = 0) -> tuple[Orbit, ...]:
    """Orbits of one test input under every candidate that acts on vectors of R^3 continuously."""
    orbits = [_orbit(fit, group, row) for group in fit.shape.groups]
    return tuple(orbit for orbit in orbits if orbit is not None)


def _orbit(fit: FittedEnsemble, group: Group, row: int) -> Orbit | None:
    places = _vectors(fit.shape.rep_in, group)
    if group.dim != 3 or len(group.part_dims) > 1 or not len(group.lie_algebra) or not places:
        return None
    angles, elements = one_parameter(group)
    x = fit.held.X[row : row + 1]
    transformed = act(fit.shape.rep_in, group, elements, x)[:, 0]
    resting = fit.outputs(x).mean(0)
    outputs = _vectors(fit.shape.rep_out, group)
    return Orbit(
        group=group.name,
        angles=angles,
        inputs=np.stack([transformed[:, start : start + 3] for start in places]),
        predicted=fit.outputs(transformed).mean(0),
        transformed=act(fit.shape.rep_out, group, elements, resting)[:, 0],
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
