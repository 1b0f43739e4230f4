"""The Scenario flavour: one nested protobuf message per scene.

A Scenario holds tracks, a track holds one state per step, a state holds its centre in doubles; maps and traffic lights are skipped unread.
"""

from __future__ import annotations

from operator import attrgetter
from typing import Any

import numpy as np

from softsym_lab.tasks.motion.waymo.scene import STEPS, Scene
from softsym_lab.tasks.motion.waymo.schema import RecordError

_CENTRE_AND_VALID = attrgetter("center_x", "center_y", "center_z", "valid")


def decode(message: Any, steps: int = STEPS) -> Scene:
    """The scene of a Scenario message.

    Args:
        message: The parsed message.
        steps: How many steps to keep, from the first.

    Raises:
        RecordError: It is no Scenario of at least so many steps.
    """
    states: list[tuple[float, float, float, bool]] = []
    for track in message.tracks:
        if len(track.states) < steps:
            raise RecordError(
                f"track {track.id} has {len(track.states)} of the {steps} steps needed (Waymo's test files have 11)"
            )
        states += map(_CENTRE_AND_VALID, track.states[:steps])
    values = np.array(states, dtype=np.float64).reshape(-1, steps, 4)
    try:
        name = message.scenario_id.decode()
    except UnicodeDecodeError as error:
        raise RecordError("its scenario_id is not UTF-8") from error
    return Scene(
        scenario_id=name,
        track_ids=np.array([track.id for track in message.tracks], dtype=np.int64),
        types=np.array([track.object_type for track in message.tracks], dtype=np.int64),
        positions=values[..., :3].copy(),
        valid=values[..., 3] > 0,
    )
