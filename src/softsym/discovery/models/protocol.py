"""A rung of the ladder: a fitted model that predicts, can be fitted anew to more rows, and may have symmetries exactly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from softsym.groups import Group
from softsym.typing import Array

MEAN, LINEAR, PROCESS, NARROW, PLAIN = "mean", "linear", "gp", "gp of what may hold", "gp without candidates"
KERNEL, PERCEPTRON = "kernel ridge regression", "MLP"
NETWORK, ORDINARY = "network", "ordinary network"


class Rung(Protocol):
    """What every model of the ladder can do."""

    @property
    def name(self) -> str:
        """What it is called in tables and files."""

    @property
    def has(self) -> tuple[str, ...]:
        """Names of the candidate groups whose symmetry it has exactly, by construction."""

    def __call__(self, X: Array) -> Array:
        """Outputs (n, outputs) for inputs (n, inputs), both in the units of the data."""

    def spread(self, X: Array) -> Array:
        """Standard deviations (n, outputs) of what a measurement at these inputs would be."""

    def on(self, X: Array, Y: Array, weights: Array | None = None) -> Rung:
        """The same settings fitted to other rows, each counting as its weight says; itself if that would take long."""

    def snapped(self, groups: Sequence[Group]) -> Rung | None:
        """The same with these symmetries exactly; None if it cannot have them."""
