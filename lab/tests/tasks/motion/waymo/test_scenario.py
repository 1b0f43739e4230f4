import itertools

import numpy as np
import pytest
from lab.tests.tasks.motion.waymo import writer

from softsym_lab.tasks.motion.waymo import scenario
from softsym_lab.tasks.motion.waymo.schema import RecordError, parse

pytest.importorskip("crc32c", reason="needs the extra [waymo]")
pytest.importorskip("google.protobuf", reason="needs the extra [waymo]")


def decode(data, **options):
    return scenario.decode(parse("Scenario", data), **options)


def only_state(stored):
    """The centre and validity of a state, from its bytes."""
    scene = decode(writer.block(2, writer.block(3, stored)), steps=1)
    return *scene.positions[0, 0].tolist(), bool(scene.valid[0, 0])


def test_doubles_come_back_exactly():
    name, ids, types, positions, valid = writer.scene(5, seed=1)
    types[:] = [0, 1, 2, 3, 4]
    ids[0] = -3
    valid[2, 7:50] = False
    scene = decode(writer.scenario(name, ids, types, positions, valid))
    assert scene.scenario_id == name
    np.testing.assert_array_equal(scene.positions, positions)
    np.testing.assert_array_equal(scene.valid, valid)
    assert scene.track_ids.tolist() == ids.tolist()
    assert scene.types.tolist() == types.tolist()
    assert scene.positions.dtype == np.float64


def test_only_the_steps_asked_for():
    made = writer.scene(3)
    scene = decode(writer.scenario(*made), steps=24)
    np.testing.assert_array_equal(scene.positions, made[3][:, :24])
    assert scene.valid.shape == (3, 24)


def test_no_tracks():
    scene = decode(writer.block(5, b"empty"))
    assert scene.positions.shape == (0, 91, 3)
    assert scene.valid.shape == (0, 91)


def test_fields_of_a_state_in_any_order():
    parts = [writer.double(2, 1.25), writer.double(3, -2.5), writer.double(4, 1e3 + 1e-9), writer.integer(11, 1)]
    rest = b"".join(writer.single(number, 9.0) for number in range(5, 11))
    for order in itertools.permutations(parts):
        assert only_state(rest + b"".join(order)) == (1.25, -2.5, 1e3 + 1e-9, True)


def test_what_a_state_does_not_store_is_zero():
    assert only_state(b"") == (0, 0, 0, False)
    assert only_state(writer.integer(11, 0)) == (0, 0, 0, False)


def test_other_fields_are_skipped():
    made = writer.scene(2)
    more = b"".join([writer.block(300, bytes(1000)), writer.integer(7, 3), writer.double(301, 1.0)])
    scene = decode(more + writer.scenario(*made) + more)
    np.testing.assert_array_equal(scene.positions, made[3])


def test_too_few_steps():
    with pytest.raises(RecordError, match=r"track 100 has 11 of the 24 steps needed \(Waymo's test files"):
        decode(writer.scenario(*writer.scene(2, steps=11)), steps=24)


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (writer.block(2, b""), "track 0 has 0 of the 91 steps"),
        (writer.block(5, b"\xff"), "its scenario_id is not UTF-8"),
        (writer.block(2, writer.block(3, b"\xff\xff") * 91) + writer.block(5, b"a"), "no protobuf message"),
        (writer.block(2, b"\x1a\x7f"), "no protobuf message of the kind Scenario"),
    ],
)
def test_garbage(data, match):
    with pytest.raises(RecordError, match=match):
        decode(data)
