"""Early stopping: the best model is the one with the least validation loss, and patience counts epochs without a better one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any


class EarlyStopping:
    """Counts only after a given epoch.

    Args:
        patience: Epochs without improvement after which to stop.
        after: Nothing counts up to this epoch.
        enabled: If not, only the best model is noted.
    """

    def __init__(self, patience: int, after: int, enabled: bool = True) -> None:
        self.patience, self.after, self.enabled = patience, after, enabled
        self.best, self.best_epoch = math.inf, 0

    def counts(self, epoch: int) -> bool:
        """Whether this epoch's validation counts."""
        return epoch > self.after

    def improves(self, loss: float, epoch: int) -> bool:
        """Takes note of an epoch's validation loss; true if it is the best so far."""
        if not self.counts(epoch) or not loss < self.best:
            return False
        self.best, self.best_epoch = loss, epoch
        return True

    def is_over(self, epoch: int) -> bool:
        """Whether patience has run out."""
        return (
            self.enabled and self.counts(epoch) and epoch - max(self.best_epoch, self.after) >= self.patience
        )

    def state_dict(self) -> dict[str, Any]:
        """For checkpoints."""
        return {"best": None if math.isinf(self.best) else self.best, "best_epoch": self.best_epoch}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restores :meth:`state_dict`."""
        self.best = math.inf if state["best"] is None else float(state["best"])
        self.best_epoch = int(state["best_epoch"])
