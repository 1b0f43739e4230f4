r"""The paper's rule: adjust once.

At the adjustment epoch :math:`\lambda_k \leftarrow \lambda_k (\min_j R_j / R_k)^\gamma`, with the residuals of that epoch, among the
last ``window`` ones, whose total over all groups was smallest. (The published code keeps, over about 50 epochs, a vector that is
replaced as a whole whenever any group reaches a new minimum.)

Reference:
    Regularizing Towards Soft Equivariance Under Mixed Symmetries (Kim et al., 2023), https://arxiv.org/abs/2306.00356
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from softsym.errors import InputError
from softsym.regularize.strengths.controller import Controller, Residuals, Schedule, rescaled, totals


class OneShot(Controller):
    """Adjusts the strengths once.

    Args:
        at_epoch: After how many epochs.
        gamma: How strongly differences of residuals count; the paper uses 2 to 5.
        window: How many epochs before the adjustment are looked at.
    """

    def __init__(self, at_epoch: int, gamma: float = 2.0, window: int = 50) -> None:
        if at_epoch < 1 or window < 1 or not gamma > 0:
            raise InputError(
                f"OneShot needs at_epoch >= 1, window >= 1, gamma > 0; got {at_epoch}, {window}, {gamma}"
            )
        self.at_epoch, self.gamma, self.window = at_epoch, gamma, window
        self._strengths: dict[str, float] = {}
        self._best: dict[str, float] | None = None
        self._done = False

    @classmethod
    def of(cls, schedule: Schedule) -> Self:
        """At the epoch of the adjustment."""
        return cls(schedule.adjust_at, schedule.gamma, schedule.window)

    def begin(self, strengths: Mapping[str, float]) -> None:
        """Takes note of the strengths at the start."""
        self._strengths, self._best, self._done = dict(strengths), None, False

    def on_epoch_end(self, residuals: Residuals, epoch: int) -> dict[str, float]:
        """The strengths from now on."""
        if self.wants_residuals(epoch):
            now = totals(residuals)
            if self._best is None or not sum(self._best.values()) <= sum(now.values()):
                self._best = now
            if epoch == self.at_epoch and not self._done:
                self._strengths = rescaled(self._strengths, self._best, self.gamma)
                self._done = True
        return dict(self._strengths)

    def wants_residuals(self, epoch: int) -> bool:
        """In the window that ends with the adjustment."""
        return self.at_epoch - self.window < epoch <= self.at_epoch

    def state_dict(self) -> dict[str, Any]:
        """Strengths and the best residuals seen so far."""
        return {"strengths": dict(self._strengths), "best": self._best, "done": self._done}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores :meth:`state_dict`."""
        self._strengths = dict(state["strengths"])
        self._best = None if state["best"] is None else dict(state["best"])
        self._done = bool(state["done"])
