"""Scenes from a file of either flavour.

A record tells its flavour by its outermost fields: a Scenario has its name in field 5, a tf.Example its features in field 1. All records
of a file must be of one flavour. Whatever cannot be decoded is an error that names the file and the record's first byte.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import numpy as np

from softsym.errors import InputError
from softsym_lab.tasks.motion.waymo import example, scenario
from softsym_lab.tasks.motion.waymo.scene import STEPS, Scene
from softsym_lab.tasks.motion.waymo.schema import RecordError, parse
from softsym_lab.tasks.motion.waymo.tfrecord import Record, read_records

Flavour = Literal["auto", "example", "scenario"]

_DECODERS = {"example": example.decode, "scenario": scenario.decode}
_NAMES = {"example": "a tf.Example", "scenario": "a Scenario"}


def read_scenes(
    path: str | os.PathLike[str], flavour: Flavour = "auto", steps: int = STEPS
) -> Iterator[tuple[int, Scene]]:
    """Reads the scenes of a file in order, holding one record at a time.

    Args:
        path: A TFRecord file of the Waymo Open Motion Dataset.
        flavour: ``"example"`` or ``"scenario"``; by default that of the first record.
        steps: How many of the steps to read, from the first.

    Yields:
        Where the record ends in the file, and its scene.

    Raises:
        InputError: The file is damaged, or is no file of the data set, or is not of that flavour.
    """
    path = Path(path)
    if flavour not in ("auto", *_DECODERS):
        raise InputError(f"unknown flavour {flavour!r}; pass 'auto', 'example' or 'scenario'")
    expected: str = flavour
    for record in read_records(path):
        own, message = _parse_record(record, path)
        if expected == "auto":
            expected = own
        if own != expected:
            raise InputError(_not_expected(path, record.offset, own, flavour))
        end, scene = record.end, _decode(message, path, record.offset, own, steps)
        del record, message  # before the next one is read
        yield end, scene


def _parse_record(record: Record, path: Path) -> tuple[str, Any]:
    """The flavour of a record and its message."""
    try:
        message = parse("Scenario", record.data)
        if message.HasField("scenario_id"):
            return "scenario", message
        message = parse("Example", record.data)
    except RecordError as error:
        raise InputError(_unreadable(path, record.offset, "a motion record", error)) from error
    if message.HasField("features"):
        return "example", message
    raise InputError(
        f"{path}: the record at byte {record.offset} is neither a tf.Example nor a Scenario; "
        "pass files of the Waymo Open Motion Dataset"
    )


def _decode(message: Any, path: Path, offset: int, flavour: str, steps: int) -> Scene:
    try:
        scene = _DECODERS[flavour](message, steps)
        if not np.isfinite(scene.positions[scene.valid]).all():
            raise RecordError("a valid position is infinite or not a number")
    except RecordError as error:
        raise InputError(_unreadable(path, offset, _NAMES[flavour], error)) from error
    return scene


def _unreadable(path: Path, offset: int, what: str, error: RecordError) -> str:
    return (
        f"{path}: the record at byte {offset} cannot be read as {what}: {error}; "
        "pass training or validation files of the Waymo Open Motion Dataset"
    )


def _not_expected(path: Path, offset: int, own: str, flavour: str) -> str:
    where = f"{path}: the record at byte {offset} is {_NAMES[own]}"
    if flavour == "auto":
        return f"{where}, the records before it are not; download the file again"
    return f"{where}, but flavour={flavour!r} was asked for; pass flavour={own!r} or 'auto'"
