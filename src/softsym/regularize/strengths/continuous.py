r"""The same rule again and again.

Residuals are averaged exponentially, and every ``period`` epochs the strengths become
:math:`\lambda_k^0 (\min_j \bar R_j / \bar R_k)^\gamma`, always relative to the strengths of the start, so that a symmetry that looked
broken early in training can recover.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from softsym.errors import InputError
from softsym.regularize.strengths.controller import Controller, Residuals, Schedule, rescaled, totals


class Continuous(Controller):
    """Adjusts the strengths at a period, from an exponential average of the residuals.

    Args:
        period: Epochs between adjustments.
        gamma: How strongly differences of residuals count.
        decay: Weight of the past in the average.
        start: First epoch at which strengths may change; the first period by default.
    """

    def __init__(self, period: int, gamma: float = 2.0, decay: float = 0.9, start: int | None = None) -> None:
        if period < 1 or not gamma > 0 or not 0 <= decay < 1:
            raise InputError(
                f"Continuous needs period >= 1, gamma > 0, 0 <= decay < 1; got {period}, {gamma}, {decay}"
            )
        self.period, self.gamma, self.decay = period, gamma, decay
        self.start = period if start is None else start
        self._first: dict[str, float] = {}
        self._strengths: dict[str, float] = {}
        self._average: dict[str, float] | None = None

    @classmethod
    def of(cls, schedule: Schedule) -> Self:
        """Ten times in a training."""
        return cls(max(1, schedule.epochs // 10), schedule.gamma)

    def begin(self, strengths: Mapping[str, float]) -> None:
        """Takes note of the strengths at the start."""
        self._first, self._strengths, self._average = dict(strengths), dict(strengths), None

    def on_epoch_end(self, residuals: Residuals, epoch: int) -> dict[str, float]:
        """The strengths from now on."""
        now = totals(residuals)
        before = now if self._average is None else self._average
        self._average = {group: self.decay * before[group] + (1 - self.decay) * now[group] for group in now}
        if epoch >= self.start and epoch % self.period == 0:
            self._strengths = rescaled(self._first, self._average, self.gamma)
        return dict(self._strengths)

    def wants_residuals(self, epoch: int) -> bool:
        """Always."""
        return True

    def state_dict(self) -> dict[str, Any]:
        """Strengths at the start and now, and the averages."""
        return {"first": dict(self._first), "strengths": dict(self._strengths), "average": self._average}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores :meth:`state_dict`."""
        self._first, self._strengths = dict(state["first"]), dict(state["strengths"])
        self._average = None if state["average"] is None else dict(state["average"])
