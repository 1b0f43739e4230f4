"""The protocol of fitted models, and their names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from softsym.groups import Group
from softsym.typing import Array

MEAN, LINEAR, GP, GP_SUPPORTED, GP_UNCONSTRAINED = (
    "mean",
    "linear",
    "gp",
    "gp of what may hold",
    "gp without candidates",
)
KERNEL, PERCEPTRON = "kernel ridge regression", "MLP"
NETWORK, ORDINARY = "network", "ordinary network"


class Model(Protocol):
    """A fitted model that predicts, can be refitted to other rows and projected onto equivariant functions."""

    @property
    def name(self) -> str:
        """Name in tables and files."""

    @property
    def exact_groups(self) -> tuple[str, ...]:
        """Names of the candidate groups to which it is exactly equivariant, by construction."""

    def __call__(self, X: Array) -> Array:
        """Outputs (n, outputs) for inputs (n, inputs), both in the units of the data."""

    def std(self, X: Array) -> Array:
        """Standard deviations (n, outputs) of a new measurement at these inputs."""

    def refit(self, X: Array, Y: Array, weights: Array | None = None) -> Model:
        """The model with the same hyperparameters fitted to other rows, with sample weights; itself if that would take long."""

    def project(self, groups: Sequence[Group]) -> Model | None:
        """The model projected onto functions that are equivariant to these groups; None if it has no such form."""
