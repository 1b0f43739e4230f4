"""The protobuf wire format: a message is a list of tagged fields.

A tag is ``number << 3 | kind``; the kind says how the value is stored: a variable-length integer, 8 bytes, a length and that
many bytes (text, a nested message, a packed array), or 4 bytes. Names and types live in the schema, not in the bytes; a decoder picks the
tags it knows and skips the rest, as protobuf's own does.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5
_WIDTH = {FIXED64: 8, FIXED32: 4}
_NOTHING = memoryview(b"")
_MAX_TAG = 1 << 32


class WireError(ValueError):
    """Bytes that are not the message they should be."""


def tag_of(number: int, kind: int) -> int:
    """The tag of a field."""
    return number << 3 | kind


def fields(message: memoryview) -> Iterator[tuple[int, memoryview, int]]:
    r"""Walks the fields of a message: tag, stored bytes (nothing for a varint), value of a varint (0 for the others).

    Example:
        >>> [(tag >> 3, bytes(stored), value) for tag, stored, value in fields(memoryview(b"\x08\x05\x12\x02hi"))]
        [(1, b'', 5), (2, b'hi', 0)]
    """
    at, end = 0, len(message)
    while at < end:
        tag, at = read_varint(message, at)
        kind = tag & 7
        if tag < 8 or tag >= _MAX_TAG:
            raise WireError(f"no field has the tag {tag}")
        if kind == VARINT:
            value, at = read_varint(message, at)
            yield tag, _NOTHING, value
            continue
        if kind == LENGTH:
            size, at = read_varint(message, at)
        elif kind in _WIDTH:
            size = _WIDTH[kind]
        else:
            raise WireError(f"field {tag >> 3} has the unknown kind {kind}")
        if size > end - at:
            raise WireError(f"field {tag >> 3} needs {size} bytes of the {end - at} left")
        yield tag, message[at : at + size], 0
        at += size


def read_varint(message: memoryview, at: int) -> tuple[int, int]:
    """An integer in base 128, lowest digit first, and where it ends; a set high bit says that more digits follow."""
    if at < len(message) and message[at] < 128:  # nearly all are this short
        return message[at], at + 1
    value = shift = 0
    for position in range(at, min(at + 10, len(message))):
        digit = message[position]
        value |= (digit & 127) << shift
        if digit < 128:
            return value, position + 1
        shift += 7
    raise WireError("an integer has no end")


def signed(value: int) -> int:
    """A varint as a signed 64-bit integer (two's complement)."""
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def text(stored: memoryview) -> str:
    """The bytes of a text field, decoded."""
    try:
        return str(stored, "utf-8")
    except UnicodeDecodeError as error:
        raise WireError("a text is not UTF-8") from error


def float_values(message: memoryview) -> NDArray[np.float32]:
    """The values of a message whose field 1 is a repeated float, packed or not."""
    wanted = (tag_of(1, LENGTH), tag_of(1, FIXED32))
    stored = b"".join(part for tag, part, _ in fields(message) if tag in wanted)
    if len(stored) % 4:
        raise WireError(f"{len(stored)} bytes are not a whole number of floats")
    return np.frombuffer(stored, dtype="<f4")


def integer_values(message: memoryview) -> NDArray[np.int64]:
    """The values of a message whose field 1 is a repeated int64, packed or not."""
    parts = [np.empty(0, dtype=np.int64)]
    for tag, stored, value in fields(message):
        if tag == tag_of(1, LENGTH):
            parts.append(packed_varints(stored))
        elif tag == tag_of(1, VARINT):
            parts.append(np.array([signed(value)]))
    return np.concatenate(parts)


def packed_varints(stored: memoryview) -> NDArray[np.int64]:
    """All integers of a packed array at once."""
    digits = np.frombuffer(stored, dtype=np.uint8)
    if not len(digits):
        return np.empty(0, dtype=np.int64)
    ends = np.flatnonzero(digits < 128) + 1
    if not len(ends) or ends[-1] != len(digits):
        raise WireError("a packed integer has no end")
    starts = np.concatenate([[0], ends[:-1]])
    sizes = ends - starts
    if sizes.max() > 10:
        raise WireError("a packed integer has no end")
    shifts = 7 * (np.arange(len(digits)) - np.repeat(starts, sizes))
    values = (digits & 127).astype(np.uint64) << shifts.astype(np.uint64)
    return np.bitwise_or.reduceat(values, starts).view(np.int64)
