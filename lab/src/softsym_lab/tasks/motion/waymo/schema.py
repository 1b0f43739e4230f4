"""The protobuf messages of the two flavours of records, as far as they are read here.

The classes are made at run time from the few fields below; protobuf skips every other field. What is not needed of a message that is
needed is declared as bytes, which protobuf leaves unread: of a tf.Example only the features that are asked for are decoded.
"""

from __future__ import annotations

import functools
from typing import Any

from softsym.errors import InputError

Field = tuple[str, int, str]
"""Name, number and type; a type in square brackets is repeated."""
MESSAGES: dict[str, list[Field]] = {
    "State": [("center_x", 2, "double"), ("center_y", 3, "double"), ("center_z", 4, "double"), ("valid", 11, "bool")],
    "Track": [("id", 1, "int32"), ("object_type", 2, "int32"), ("states", 3, "[State]")],
    "Scenario": [("tracks", 2, "[Track]"), ("scenario_id", 5, "bytes")],
    "FloatList": [("value", 1, "[float]")],
    "Int64List": [("value", 1, "[int64]")],
    "BytesList": [("value", 1, "[bytes]")],
    "Feature": [("bytes_list", 1, "BytesList"), ("float_list", 2, "FloatList"), ("int64_list", 3, "Int64List")],
    "Entry": [("key", 1, "bytes"), ("value", 2, "bytes")],
    "Features": [("feature", 1, "[Entry]")],
    "Example": [("features", 1, "Features")],
}
EXTRA = "reading Waymo's records needs protobuf and crc32c: pip install 'softsym[waymo]'"


class RecordError(ValueError):
    """Bytes that are not the message they should be, or not with what it should hold."""


def parse(name: str, data: bytes) -> Any:
    """A message of a name from its bytes.

    Raises:
        RecordError: The bytes are no such message.
    """
    from google.protobuf.message import DecodeError

    try:
        return _class(name).FromString(data)
    except DecodeError as error:
        raise RecordError(f"its bytes are no protobuf message of the kind {name}") from error


def check_extra() -> None:
    """Fails in one line where the extra ``[waymo]`` is not installed."""
    try:
        import crc32c  # noqa: F401
        from google import protobuf  # noqa: F401
    except ImportError as error:
        raise InputError(EXTRA) from error


@functools.cache
def _class(name: str) -> Any:
    from google.protobuf import message_factory

    return message_factory.GetMessageClass(_pool().FindMessageTypeByName(f"softsym.{name}"))


@functools.cache
def _pool() -> Any:
    """A pool of its own, so that these names never meet Waymo's or TensorFlow's own definitions."""
    from google.protobuf import descriptor_pb2, descriptor_pool

    proto = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="records.proto", package="softsym", syntax="proto2")
    for message, fields in MESSAGES.items():
        described = file.message_type.add(name=message)
        for name, number, text in fields:
            is_repeated, type_name = text.startswith("["), text.strip("[]")
            label = proto.LABEL_REPEATED if is_repeated else proto.LABEL_OPTIONAL
            if type_name in MESSAGES:
                described.field.add(
                    name=name, number=number, label=label, type=proto.TYPE_MESSAGE, type_name=f".softsym.{type_name}"
                )
            else:
                described.field.add(
                    name=name, number=number, label=label, type=getattr(proto, f"TYPE_{type_name.upper()}")
                )
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return pool
