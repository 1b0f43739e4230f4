import itertools

import numpy as np
import pytest

from softsym.tasks.motion.waymo import scenario
from softsym.tasks.motion.waymo.wire import WireError
from tests.tasks.motion.waymo import writer


def decode(data, **options):
    return scenario.decode(memoryview(data), **options)


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


def test_state_at_one_stroke_agrees_with_field_by_field():
    for valid in (True, False):
        stored = memoryview(writer.state(1.25, -2.5, 1e3 + 1e-9, valid))
        assert scenario.decode_state(stored) == scenario.decode_any_state(stored)
        assert scenario.decode_state(stored) == (1.25, -2.5, 1e3 + 1e-9, valid)


def test_fields_of_a_state_in_any_order():
    parts = [writer.double(2, 1.0), writer.double(3, 2.0), writer.double(4, 3.0), writer.integer(11, 1)]
    rest = b"".join(writer.single(number, 9.0) for number in range(5, 11))
    for order in itertools.permutations(parts):
        assert scenario.decode_state(memoryview(rest + b"".join(order))) == (1, 2, 3, True)


def test_what_a_state_does_not_store_is_zero():
    assert scenario.decode_state(memoryview(b"")) == (0, 0, 0, False)
    assert scenario.decode_state(memoryview(writer.integer(11, 0))) == (0, 0, 0, False)


def test_too_few_steps():
    with pytest.raises(WireError, match=r"track 100 has 11 of the 24 steps needed \(Waymo's test files"):
        decode(writer.scenario(*writer.scene(2, steps=11)), steps=24)


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (writer.block(2, b""), "track 0 has 0 of the 91 steps"),
        (writer.integer(1, 1), "no scenario_id"),
        (writer.block(5, b"\xff"), "not UTF-8"),
        (writer.block(2, writer.block(3, b"\xff\xff") * 91) + writer.block(5, b"a"), "no end"),
        (writer.block(2, b"\x1a\x7f"), "needs 127 bytes"),
    ],
)
def test_garbage(data, match):
    with pytest.raises(WireError, match=match):
        decode(data)
