r"""Strengths from what the model does on data.

Five times in a training every group's violation is read (:mod:`softsym.measure.violation`): its equivariance error on data over what the
model's own mistakes explain. With the least violation :math:`r_k` read so far, and :math:`m = \max(1, \min_j r_j)`,

.. math:: \lambda_k = \lambda_k^0 \, \mathrm{clip}\big((m / r_k)^{\gamma/2},\ 1/100,\ 100\big) .

A group that is violated no more than mistakes explain becomes stronger than it began, in the end strong enough to be exact; one that is
violated more becomes weaker. The least violation so far counts because a penalty that has been weakened no longer holds a group.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, ClassVar, Literal, Self

from softsym.errors import InputError
from softsym.regularize.strengths.controller import Controller, Residuals, Schedule, totals

MOMENTS = (1 / 3, 1 / 2, 2 / 3, 5 / 6, 1.0)
FURTHEST = 100.0
"""How many times stronger or weaker than at its start a group may become."""


class ByData(Controller):
    """Adjusts the strengths several times by violations on data.

    Args:
        epochs: How many epochs there will be.
        gamma: How strongly differences of violations count; they are squares, so 2 counts them once.
    """

    reads: ClassVar[Literal["weights", "data"]] = "data"

    def __init__(self, epochs: int, gamma: float = 2.0) -> None:
        if epochs < 1 or not gamma > 0:
            raise InputError(f"ByData needs epochs >= 1 and gamma > 0; got {epochs}, {gamma}")
        self.epochs, self.gamma = epochs, gamma
        self._moments = {max(1, math.floor(share * epochs)) for share in MOMENTS}
        self._first: dict[str, float] = {}
        self._strengths: dict[str, float] = {}
        self._least: dict[str, float] = {}

    @classmethod
    def of(cls, schedule: Schedule) -> Self:
        """Over all epochs."""
        return cls(schedule.epochs, schedule.gamma)

    def begin(self, strengths: Mapping[str, float]) -> None:
        """Takes note of the strengths at the start."""
        self._first, self._strengths, self._least = dict(strengths), dict(strengths), {}

    def on_epoch_end(self, residuals: Residuals, epoch: int) -> dict[str, float]:
        """The strengths from now on; the residuals are violations."""
        if self.wants_residuals(epoch):
            for group, violation in totals(residuals).items():
                self._least[group] = min(violation, self._least.get(group, math.inf))
            allowed = max(1.0, min(self._least.values()))
            for group, first in self._first.items():
                ratio = (allowed / max(self._least[group], 1e-12)) ** (self.gamma / 2)
                self._strengths[group] = first * min(FURTHEST, max(1 / FURTHEST, ratio))
        return dict(self._strengths)

    def wants_residuals(self, epoch: int) -> bool:
        """At a third, a half, two thirds, five sixths and the end."""
        return epoch in self._moments

    def state_dict(self) -> dict[str, Any]:
        """Strengths at the start and now, and the least violations."""
        return {"first": dict(self._first), "strengths": dict(self._strengths), "least": dict(self._least)}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores :meth:`state_dict`."""
        self._first, self._strengths, self._least = (
            dict(state[name]) for name in ("first", "strengths", "least")
        )
