"""The Scenario flavour: one nested protobuf message per scene.

A Scenario holds tracks, a track holds one state per step, a state holds its centre in doubles; maps and traffic lights are skipped unread.
"""

from __future__ import annotations

import struct

import numpy as np

from softsym.tasks.motion.waymo.scene import STEPS, Scene
from softsym.tasks.motion.waymo.wire import (
    FIXED32,
    FIXED64,
    LENGTH,
    VARINT,
    WireError,
    fields,
    signed,
    tag_of,
    text,
)

SCENARIO_TRACKS, SCENARIO_ID = tag_of(2, LENGTH), tag_of(5, LENGTH)
TRACK_ID, TRACK_TYPE, TRACK_STATES = tag_of(1, VARINT), tag_of(2, VARINT), tag_of(3, LENGTH)
STATE_CENTRE = tuple(tag_of(number, FIXED64) for number in (2, 3, 4))
STATE_VALID = tag_of(11, VARINT)

State = tuple[float, float, float, bool]

# A state in the order in which protobuf writes it: centre, six floats (size, heading, velocity), valid.
_USUAL = struct.Struct("<" + 3 * "Bd" + 6 * "Bf" + "BB")
_USUAL_TAGS = (*STATE_CENTRE, *(tag_of(number, FIXED32) for number in range(5, 11)), STATE_VALID)


def decode(record: memoryview, steps: int = STEPS) -> Scene:
    """Reads a Scenario message.

    Args:
        record: The message.
        steps: How many steps to read, from the first.

    Raises:
        WireError: The bytes are no Scenario of at least so many steps.
    """
    name, tracks = None, []
    for tag, stored, _ in fields(record):
        if tag == SCENARIO_TRACKS:
            tracks.append(_decode_track(stored, steps))
        elif tag == SCENARIO_ID:
            name = text(stored)
    if name is None:
        raise WireError("it has no scenario_id")
    states = np.array([states for _, _, states in tracks], dtype=np.float64).reshape(-1, steps, 4)
    return Scene(
        scenario_id=name,
        track_ids=np.array([number for number, _, _ in tracks], dtype=np.int64),
        types=np.array([kind for _, kind, _ in tracks], dtype=np.int64),
        positions=states[..., :3].copy(),
        valid=states[..., 3] > 0,
    )


def _decode_track(message: memoryview, steps: int) -> tuple[int, int, list[State]]:
    number = kind = 0
    states = []
    for tag, stored, value in fields(message):
        if tag == TRACK_STATES:
            states.append(stored)
        elif tag == TRACK_ID:
            number = signed(value)
        elif tag == TRACK_TYPE:
            kind = signed(value)
    if len(states) < steps:
        raise WireError(
            f"track {number} has {len(states)} of the {steps} steps needed (Waymo's test files have 11)"
        )
    return number, kind, [decode_state(state) for state in states[:steps]]


def decode_state(message: memoryview) -> State:
    """The centre and validity of one state: at one stroke if it is laid out as usual, else field by field."""
    if len(message) == _USUAL.size:
        values = _USUAL.unpack(message)
        if values[0::2] == _USUAL_TAGS and values[-1] < 128:
            return values[1], values[3], values[5], values[-1] > 0
    return decode_any_state(message)


def decode_any_state(message: memoryview) -> State:
    """The centre and validity of a state with fields in any order; what is not stored is 0."""
    centre, valid = [0.0, 0.0, 0.0], False
    for tag, stored, value in fields(message):
        if tag in STATE_CENTRE:
            centre[STATE_CENTRE.index(tag)] = struct.unpack("<d", stored)[0]
        elif tag == STATE_VALID:
            valid = value > 0
    return centre[0], centre[1], centre[2], valid
