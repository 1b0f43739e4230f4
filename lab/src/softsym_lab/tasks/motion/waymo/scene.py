"""What is read: the scene of one record of the Waymo Open Motion Dataset, and the tracks kept from the scenes of all files.

Ninety-one steps at 10 Hz: ten past, one current, eighty future. Positions are world coordinates in metres; z is the elevation, often
hundreds of metres, so they stay in float64 until they are centred.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softsym.typing import Array, Index

STEPS = 91
OBJECT_TYPES = {"vehicle": 1, "pedestrian": 2, "cyclist": 3, "other": 4}
"""Waymo's numbers of the kinds of objects; 0 and less mean that none was set."""


@dataclass(frozen=True)
class Scene:
    """The tracks of one record.

    Args:
        scenario_id: Waymo's name of the scenario.
        track_ids: Waymo's number of each track, shape (n,).
        types: Kind of each object, see :data:`OBJECT_TYPES`, shape (n,).
        positions: Centre of each object at each step, exactly as stored, shape (n, steps, 3).
        valid: Whether the position is one, shape (n, steps).
    """

    scenario_id: str
    track_ids: Index
    types: Index
    positions: Array
    valid: NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Tracks:
    """Past and future of n objects, in world coordinates, in metres.

    Args:
        past: Points given, shape (n, past, 3).
        future: Points to predict, shape (n, future, 3).
        scenario_ids: The scenario each comes from, shape (n,), unicode.
        track_ids: The track in that scenario, shape (n,), unicode.
    """

    past: Array
    future: Array
    scenario_ids: NDArray[np.str_]
    track_ids: NDArray[np.str_]

    def __len__(self) -> int:
        return len(self.past)
