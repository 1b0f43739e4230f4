"""Hyperparameters of the networks that an estimator trains where they can improve on closed-form models."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from softsym.groups import Group
from softsym.training.config import FAST


@dataclass(frozen=True, kw_only=True, repr=False)
class NetworkConfig:
    """How networks are built and trained; values are checked by ``fit``.

    Args:
        largest: Group of gates and bilinear layers; the candidates joined by default.
        width: Size of the hidden layers; if None, 216 or 64 as short trials decide, and 64 without groups.
        layers: Number of linear layers.
        epochs: Passes over the training data; by default about 600 steps, and 1,200 without groups.
        budget: Seconds for training, instead of epochs; closed-form models and baselines are not included.
        batch: Rows per step; by default a quarter of the rows, at most 250 up to a few thousand rows.
        lr: Highest learning rate, after a warm-up and before a cosine decay; if None, 0.04, and 0.003 without groups.
        weight_decay: Decoupled weight decay, with groups.
        strength: Initial strength of every group's penalty; if None, 10 or a thirtieth of it, as short trials decide.
        gamma: How strongly differences between groups count when strengths are adjusted.
        strengths: Controller of the strengths: ``by-data`` (five times, by violations on data), ``one-shot`` (once, by residuals of the
            weights, as published), ``continuous`` or ``fixed``.
        seeds: Number of networks in the ensemble.
        warm_start: Continue from the networks of the last ``fit`` with the same representations and candidates.
        device: ``cpu``, ``cuda`` or ``mps``; closed-form models are computed on the CPU.

    Example:
        >>> NetworkConfig(width=64, epochs=100).layers
        4
    """

    largest: Group | str | None = None
    width: int | None = None
    layers: int = 4
    epochs: int | None = None
    budget: float | None = None
    batch: int | None = None
    lr: float | None = None
    weight_decay: float = FAST["shrink"]
    strength: float | None = None
    gamma: float = FAST["gamma"]
    strengths: str = FAST["strengths"]
    seeds: int = 2
    warm_start: bool = False
    device: str = "cpu"

    def __repr__(self) -> str:
        given = {field.name: getattr(self, field.name) for field in fields(self)}
        changed = (
            f"{field.name}={given[field.name]!r}"
            for field in fields(self)
            if given[field.name] != field.default
        )
        return f"NetworkConfig({', '.join(changed)})"


NETWORK_FIELDS = tuple(field.name for field in fields(NetworkConfig))


def split_parameters(parameters: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Parameters of an estimator and of its networks, from both together."""
    network = {name: value for name, value in parameters.items() if name in NETWORK_FIELDS}
    return {name: value for name, value in parameters.items() if name not in network}, network
