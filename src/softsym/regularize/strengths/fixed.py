"""Strengths that never change."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from softsym.regularize.strengths.controller import Controller, Residuals, Schedule


class Fixed(Controller):
    """Keeps the strengths of the start."""

    def __init__(self) -> None:
        self._strengths: dict[str, float] = {}

    @classmethod
    def of(cls, schedule: Schedule) -> Self:
        """Needs no number."""
        return cls()

    def begin(self, strengths: Mapping[str, float]) -> None:
        """Takes note of the strengths at the start."""
        self._strengths = dict(strengths)

    def on_epoch_end(self, residuals: Residuals, epoch: int) -> dict[str, float]:
        """The strengths of the start."""
        return dict(self._strengths)

    def wants_residuals(self, epoch: int) -> bool:
        """Never."""
        return False

    def state_dict(self) -> dict[str, Any]:
        """The strengths."""
        return {"strengths": dict(self._strengths)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores the strengths."""
        self._strengths = dict(state["strengths"])
