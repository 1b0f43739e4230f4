"""The tf.Example flavour: one dictionary of flat arrays per scene.

Keys such as ``state/past/x`` name arrays over 128 agents x 10 past, 1 current or 80 future steps, agents first, positions in float32.
Agents that do not exist are filled with -1 and are never valid. Map and traffic-light arrays are skipped unread.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from softsym.tasks.motion.waymo.scene import STEPS, Scene
from softsym.tasks.motion.waymo.wire import (
    LENGTH,
    WireError,
    fields,
    float_values,
    integer_values,
    tag_of,
    text,
)

FEATURES = ENTRY = KEY = tag_of(1, LENGTH)
VALUE = tag_of(2, LENGTH)
BYTES, FLOATS, INTEGERS = tag_of(1, LENGTH), tag_of(2, LENGTH), tag_of(3, LENGTH)
SPANS = {"past": 10, "current": 1, "future": 80}

Features = dict[bytes, memoryview]


def decode(record: memoryview, steps: int = STEPS) -> Scene:
    """Reads a tf.Example message.

    Args:
        record: The message.
        steps: How many steps to keep, from the first.

    Raises:
        WireError: The bytes are no tf.Example with the features of the Waymo Open Motion Dataset.
    """
    features = _features(record)
    ids = _whole_numbers(features, "state/id")
    types = _whole_numbers(features, "state/type")
    if len(types) != len(ids):
        raise WireError(f"'state/type' has {len(types)} values for {len(ids)} agents")
    centre = [_over_steps(features, axis, len(ids), steps) for axis in "xyz"]
    return Scene(
        scenario_id=_scenario_id(features),
        track_ids=ids,
        types=types,
        positions=np.stack(centre, axis=-1),
        valid=_over_steps(features, "valid", len(ids), steps) > 0,
    )


def _features(record: memoryview) -> Features:
    """The undecoded value of every feature, by name."""
    found: Features = {}
    for tag, features, _ in fields(record):
        if tag != FEATURES:
            continue
        for inner, entry, _ in fields(features):
            if inner == ENTRY:
                parts = {tag: stored for tag, stored, _ in fields(entry)}
                found[bytes(parts.get(KEY, b""))] = parts.get(VALUE, memoryview(b""))
    return found


def _list_of(features: Features, name: str, kind: int) -> memoryview:
    """The list message of a feature that must be of the given kind."""
    feature = features.get(name.encode())
    if feature is None:
        hint = " (Waymo's test files have no future)" if "/future/" in name else ""
        raise WireError(f"it has no feature {name!r}{hint}")
    values = None
    for tag, stored, _ in fields(feature):
        if tag == kind:
            values = stored
    if values is None:
        expected = {BYTES: "bytes", FLOATS: "floats", INTEGERS: "integers"}[kind]
        raise WireError(f"its feature {name!r} is no list of {expected}")
    return values


def _numbers(features: Features, name: str) -> NDArray[np.float64]:
    """A numeric feature; validity is stored in integers, all else in floats."""
    if name.endswith("/valid"):
        return integer_values(_list_of(features, name, INTEGERS)).astype(np.float64)
    return float_values(_list_of(features, name, FLOATS)).astype(np.float64)


def _over_steps(features: Features, field: str, agents: int, steps: int) -> NDArray[np.float64]:
    """One field of all agents over past, current and future, shape (agents, steps)."""
    spans = []
    for span, length in SPANS.items():
        name = f"state/{span}/{field}"
        values = _numbers(features, name)
        if len(values) != agents * length:
            raise WireError(f"its feature {name!r} has {len(values)} values, not {agents} x {length}")
        spans.append(values.reshape(agents, length))
    return np.concatenate(spans, axis=1)[:, :steps]


def _whole_numbers(features: Features, name: str) -> NDArray[np.int64]:
    """A feature that stores whole numbers as floats."""
    values = _numbers(features, name)
    if not np.all(np.abs(values) < 2**31) or np.any(values != np.round(values)):
        raise WireError(f"its feature {name!r} holds something other than whole numbers")
    return values.astype(np.int64)


def _scenario_id(features: Features) -> str:
    values = [
        stored
        for tag, stored, _ in fields(_list_of(features, "scenario/id", BYTES))
        if tag == tag_of(1, LENGTH)
    ]
    if len(values) != 1:
        raise WireError(f"its feature 'scenario/id' has {len(values)} values, not 1")
    return text(values[0])
