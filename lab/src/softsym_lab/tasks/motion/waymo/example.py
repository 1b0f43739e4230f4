"""The tf.Example flavour: one dictionary of flat arrays per scene.

Keys such as ``state/past/x`` name arrays over 128 agents x 10 past, 1 current or 80 future steps, agents first, positions in float32.
Agents that do not exist are filled with -1 and are never valid. Map and traffic-light arrays are skipped unread.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from softsym.typing import Array, Index
from softsym_lab.tasks.motion.waymo.scene import STEPS, Scene
from softsym_lab.tasks.motion.waymo.schema import RecordError, parse

SPANS = {"past": 10, "current": 1, "future": 80}
_LISTS = {"bytes": "bytes_list", "floats": "float_list", "integers": "int64_list"}

Features = dict[bytes, bytes]


def decode(message: Any, steps: int = STEPS) -> Scene:
    """The scene of a tf.Example message.

    Args:
        message: The parsed message.
        steps: How many steps to keep, from the first.

    Raises:
        RecordError: It lacks the features of the Waymo Open Motion Dataset.
    """
    features: Features = {entry.key: entry.value for entry in message.features.feature}
    ids = _whole_numbers(features, "state/id")
    types = _whole_numbers(features, "state/type")
    if len(types) != len(ids):
        raise RecordError(f"'state/type' has {len(types)} values for {len(ids)} agents")
    centre = [_over_steps(features, axis, len(ids), steps) for axis in "xyz"]
    return Scene(
        scenario_id=_scenario_id(features),
        track_ids=ids,
        types=types,
        positions=np.stack(centre, axis=-1),
        valid=_over_steps(features, "valid", len(ids), steps) > 0,
    )


def _values(features: Features, name: str, expected: Literal["bytes", "floats", "integers"]) -> Any:
    """The list of a feature that must hold what is expected."""
    stored = features.get(name.encode())
    if stored is None:
        hint = " (Waymo's test files have no future)" if "/future/" in name else ""
        raise RecordError(f"it has no feature {name!r}{hint}")
    feature = parse("Feature", stored)
    if not feature.HasField(_LISTS[expected]):
        raise RecordError(f"its feature {name!r} is no list of {expected}")
    return getattr(feature, _LISTS[expected]).value


def _numbers(features: Features, name: str) -> Array:
    """A numeric feature; validity is stored in integers, all else in floats."""
    return np.array(_values(features, name, "integers" if name.endswith("/valid") else "floats"), np.float64)


def _over_steps(features: Features, field: str, agents: int, steps: int) -> Array:
    """One field of all agents over past, current and future, shape (agents, steps)."""
    spans = []
    for span, length in SPANS.items():
        name = f"state/{span}/{field}"
        values = _numbers(features, name)
        if len(values) != agents * length:
            raise RecordError(f"its feature {name!r} has {len(values)} values, not {agents} x {length}")
        spans.append(values.reshape(agents, length))
    return np.concatenate(spans, axis=1)[:, :steps]


def _whole_numbers(features: Features, name: str) -> Index:
    """A feature that stores whole numbers as floats."""
    values = _numbers(features, name)
    if not np.all(np.abs(values) < 2**31) or np.any(values != np.round(values)):
        raise RecordError(f"its feature {name!r} holds something other than whole numbers")
    return values.astype(np.int64)


def _scenario_id(features: Features) -> str:
    values = _values(features, "scenario/id", "bytes")
    if len(values) != 1:
        raise RecordError(f"its feature 'scenario/id' has {len(values)} values, not 1")
    try:
        return str(values[0], "utf-8")
    except UnicodeDecodeError as error:
        raise RecordError("its feature 'scenario/id' is not UTF-8") from error
