"""A golf ball in a wind along (1, 2, 0): the plane or axis that physics says, from its flights alone."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import torch

from softsym.datasets import fly, last_velocity
from softsym.discovery import SoftEquivariantRegressor
from softsym.propose import Proposal, propose
from softsym.typing import Array

WIND = np.array([1.0, 2.0, 0.0]) / np.sqrt(5.0)
NORMAL = np.array([2.0, -1.0, 0.0]) / np.sqrt(5.0)
"""Of the vertical plane that the wind lies in: with gravity the reflection in it is the only symmetry."""


def flights(n: int, gravity: float, seed: int = 0) -> tuple[Array, Array]:
    """Six past positions about their mean and six future ones, (n, 18) each, in units of ten metres."""
    generator = torch.Generator().manual_seed(seed)
    velocity = torch.randn(n, 3, generator=generator, dtype=torch.float64)
    velocity = 15.0 * torch.nn.functional.normalize(velocity, dim=-1)
    air: dict[str, Any] = {
        "gravity": torch.tensor([0.0, 0.0, -gravity], dtype=torch.float64),
        "wind": torch.tensor(5.0 * WIND),
        "drag": 0.02,
        "points": 6,
    }
    past = fly(torch.zeros_like(velocity), velocity, dt=0.1, **air)
    past = past - past.mean(-2, keepdim=True)
    future = fly(past[:, -1], last_velocity(past, 0.1), dt=0.4, **air)
    return past.flatten(1).numpy() / 10, future.flatten(1).numpy() / 10


def off(found: Proposal, gravity: float) -> float:
    """Degrees to the true normal of the reflection (with gravity) or axis of rotations (without); 90 if none was found."""
    exact = [np.array(row.generator) for row in found.table if row.verdict == "exact" and row.generator]
    if gravity:
        mirrors = [A for A in exact if np.isclose(np.linalg.det(A), -1.0) and np.isclose(np.trace(A), 1.0)]
        axes = [np.linalg.svd(np.eye(3) - A)[0][:, 0] for A in mirrors]
        true = NORMAL
    else:
        axes = [np.array([A[2, 1], A[0, 2], A[1, 0]]) for A in exact if np.allclose(A, -A.T, atol=1e-6)]
        true = WIND
    cosines = [abs(float(axis @ true)) / float(np.linalg.norm(axis)) for axis in axes]
    return float(np.degrees(np.arccos(min(1.0, max(cosines, default=0.0)))))


def record(gravity: float) -> dict[str, Any]:
    """What was found in 300 flights, and what the whole job, given no candidates, says of it."""
    X, Y = flights(300, gravity)
    start = time.process_time()
    found = propose(X, Y, "6V", "6V")
    seconds = round(time.process_time() - start, 2)
    fitted = SoftEquivariantRegressor("6V", "6V", "auto").fit(X, Y)
    assert fitted.proposal_ is not None
    return {
        "gravity": gravity,
        "degrees_off": round(off(found, gravity), 3),
        "algebra": found.algebra,
        "groups": [group.name for group in found.groups],
        "discover": [f"{row.name} ({row.verdict})" for row in fitted.symmetries_],
        "discover_degrees_off": round(off(fitted.proposal_, gravity), 3),
        "explained": round(float(fitted.score(*flights(300, gravity, seed=1))), 6),
        "seconds": seconds,
    }
