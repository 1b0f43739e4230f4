"""What a symmetry is worth: unexplained test variance without it, with it softly, and with it exactly."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from softsym.discovery.fit.fitted import FittedEnsemble, explained
from softsym.discovery.judge.project import project_network
from softsym.discovery.models.protocol import NETWORK, ORDINARY
from softsym.errors import InputError
from softsym.groups import Group
from softsym.typing import Array


@dataclass(frozen=True)
class Worth:
    """Shares of the held-out variance that one model leaves unexplained.

    Args:
        group: The candidate.
        model: Which model.
        without: Without the symmetry.
        softly: With it as far as it holds.
        exactly: With it by construction.
    """

    group: str
    model: str
    without: float
    softly: float
    exactly: float


def compute_worth(fit: FittedEnsemble) -> tuple[Worth, ...]:
    """For every candidate, the worth for the Gaussian process with this candidate alone and for the network, where they were fitted."""
    rows = [_of_process(fit, group) for group in fit.shape.groups] + [
        _of_network(fit, group) for group in fit.shape.groups
    ]
    return tuple(row for row in rows if row is not None)


def _of_process(fit: FittedEnsemble, group: Group) -> Worth | None:
    gp_model = fit.closed_form.gp_model
    if gp_model is None or group.name not in gp_model.weights:
        return None
    try:
        left = [_left(fit, gp_model.gp.alone(group, how).predict) for how in ("without", "softly", "exactly")]
    except InputError:  # it has no kernel
        return None
    return Worth(group.name, "Gaussian process", *left)


def _of_network(fit: FittedEnsemble, group: Group) -> Worth | None:
    if not any(group.name in member.strengths for member in fit.members):
        return None
    left = {row.name: 1.0 - row.explained for row in fit.baselines}
    exact = project_network(fit, group)
    return Worth(
        group.name,
        NETWORK,
        left.get(ORDINARY, math.nan),
        left.get(NETWORK, math.nan),
        _left(fit, lambda X: exact(X).mean(0)),
    )


def _left(fit: FittedEnsemble, predict: Callable[[Array], Array]) -> float:
    predicted = np.asarray(predict(fit.held.X)).reshape(fit.held.Y.shape)
    return 1.0 - explained(fit.held.Y, float(np.mean((predicted - fit.held.Y) ** 2)))
