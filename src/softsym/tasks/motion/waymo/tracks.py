"""Tracks: the windows kept from all files, as arrays."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Tracks:
    """Past and future of n objects, in world coordinates, in metres.

    Args:
        past: Points given, shape (n, past, 3).
        future: Points to predict, shape (n, future, 3).
        scenario_ids: The scenario each comes from, shape (n,), unicode.
        track_ids: The track in that scenario, shape (n,), unicode.
    """

    past: NDArray[np.float64]
    future: NDArray[np.float64]
    scenario_ids: NDArray[np.str_]
    track_ids: NDArray[np.str_]

    def __len__(self) -> int:
        return len(self.past)
