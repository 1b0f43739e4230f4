import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from softsym.tasks.motion.waymo import wire
from softsym.tasks.motion.waymo.wire import WireError
from tests.tasks.motion.waymo import writer

INT64 = st.integers(-(2**63), 2**63 - 1)


def view(data):
    return memoryview(data)


def test_fields_of_every_kind():
    message = (
        writer.integer(1, 300) + writer.double(2, 1.0) + writer.block(200, b"hi") + writer.single(4, 1.0)
    )
    found = [(tag >> 3, tag & 7, bytes(stored), value) for tag, stored, value in wire.fields(view(message))]
    assert found == [
        (1, 0, b"", 300),
        (2, 1, np.float64(1).tobytes(), 0),
        (200, 2, b"hi", 0),
        (4, 5, np.float32(1).tobytes(), 0),
    ]


@given(INT64)
def test_varint_round_trip(value):
    data = b"\x00" + writer.varint(value)
    found, end = wire.read_varint(view(data), 1)
    assert (wire.signed(found), end) == (value, len(data))


@given(st.lists(INT64, max_size=20))
def test_packed_varints_round_trip(values):
    found = wire.packed_varints(view(b"".join(map(writer.varint, values))))
    assert found.tolist() == values
    assert found.dtype == np.int64


@given(st.binary(max_size=40))
def test_garbage_is_walked_or_refused_never_worse(data):
    try:
        for tag, stored, _ in wire.fields(view(data)):
            assert tag >= 8
            assert len(stored) <= len(data)
    except WireError:
        pass


@pytest.mark.parametrize("packed", [True, False])
def test_lists(packed):
    _, floats, _ = next(wire.fields(view(writer.floats([1.5, -2, 3], packed))))
    _, integers, _ = next(wire.fields(view(writer.integers([1, 0, -1], packed))))
    assert wire.float_values(floats).tolist() == [1.5, -2, 3]
    assert wire.integer_values(integers).tolist() == [1, 0, -1]


def test_lists_in_pieces():
    assert wire.integer_values(view(writer.block(1, b"\x01\x02") + writer.integer(1, 3))).tolist() == [
        1,
        2,
        3,
    ]
    assert wire.integer_values(view(b"")).tolist() == []
    assert wire.float_values(view(b"")).tolist() == []


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"\x0a\x05hi", "field 1 needs 5 bytes of the 2 left"),
        (b"\x0a\xff\xff\xff\xff\x0f", "field 1 needs 4294967295 bytes"),
        (b"\x09\x00", "field 1 needs 8 bytes of the 1 left"),
        (b"\x0d\x00", "field 1 needs 4 bytes of the 1 left"),
        (b"\x0b", "field 1 has the unknown kind 3"),
        (b"\x0f", "field 1 has the unknown kind 7"),
        (b"\x00\x00", "no field has the tag 0"),
        (b"\x08", "has no end"),
        (b"\x08" + b"\xff" * 11, "has no end"),
        (b"\xff" * 9 + b"\x01", "no field has the tag"),
    ],
)
def test_broken_messages(data, match):
    with pytest.raises(WireError, match=match):
        list(wire.fields(view(data)))


@pytest.mark.parametrize("data", [b"\x80", b"\x01\x80", b"\xff" * 10 + b"\x01"])
def test_broken_packed_varints(data):
    with pytest.raises(WireError, match="has no end"):
        wire.packed_varints(view(data))


def test_broken_values():
    with pytest.raises(WireError, match="3 bytes are not a whole number of floats"):
        wire.float_values(view(writer.block(1, b"abc")))
    with pytest.raises(WireError, match="not UTF-8"):
        wire.text(view(b"\xff\xfe"))
