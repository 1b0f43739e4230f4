"""The trajectories of one run in metres, and the rows that a normalisation makes of them: six past points to six future ones."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor

from softsym.training import Pair, Splits
from softsym.typing import Index
from softsym_lab.tasks.motion.normalise import PAST, Normaliser
from softsym_lab.tasks.recordings import scaled_ade

FDE = "FDE"
"""Final displacement error: the distance at the last point alone, in metres."""


@dataclass(frozen=True, eq=False)
class MotionData:
    """Trajectories of one run, (n, 12, 3) each, float64, in metres, and the normaliser of the training ones."""

    train: Tensor
    val: Tensor
    test: Tensor
    normaliser: Normaliser

    def splits(self, sources: Index | None = None) -> Splits:
        """The normalised rows; errors are in metres.

        Args:
            sources: Labels of the training rows that belong together, shape (n,).
        """
        train, val, test = (self.rows(part) for part in (self.train, self.val, self.test))
        error = scaled_ade(self.normaliser.scale)
        return Splits(train, val, test, error, lambda p, t: {FDE: float(error(p[:, -3:], t[:, -3:]))}, sources)

    def rows(self, windows: Tensor) -> Pair:
        """Trajectories (n, 12, 3) as normalised inputs and outputs, (n, 18) each, float32."""
        return halves(self.normaliser.apply(windows).float())


def halves(windows: Tensor) -> Pair:
    """Past and future of trajectories (n, 12, 3), their points one after another, shape (n, 18) each."""
    past, future = windows.split(PAST, dim=1)
    return past.flatten(1), future.flatten(1)
