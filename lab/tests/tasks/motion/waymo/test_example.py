import numpy as np
import pytest
from lab.tests.tasks.motion.waymo import writer

from softsym_lab.tasks.motion.waymo import example
from softsym_lab.tasks.motion.waymo.schema import RecordError, parse

pytest.importorskip("crc32c", reason="needs the extra [waymo]")
pytest.importorskip("google.protobuf", reason="needs the extra [waymo]")


def decode(data, **options):
    return example.decode(parse("Example", data), **options)


@pytest.mark.parametrize("packed", [True, False])
def test_floats_come_back_exactly(packed):
    name, ids, types, positions, valid = writer.scene(4, seed=2)
    types[:] = [1, 2, 3, -1]
    ids[3] = -1
    valid[1, 3:60] = False
    positions[1, 3:60] = -1
    scene = decode(writer.example(name, ids, types, positions, valid, packed=packed))
    assert scene.scenario_id == name
    np.testing.assert_array_equal(scene.positions, positions.astype(np.float32))
    np.testing.assert_array_equal(scene.valid, valid)
    assert scene.positions.dtype == np.float64
    assert scene.track_ids.tolist() == ids.tolist()
    assert scene.types.tolist() == types.tolist()


def test_minus_one_is_not_valid():
    name, ids, types, positions, valid = writer.scene(2)
    scene = decode(writer.example(name, ids, types, positions, np.where(valid, -1, 0)))
    assert not scene.valid.any()


def test_only_the_steps_asked_for():
    made = writer.scene(3)
    scene = decode(writer.example(*made), steps=24)
    np.testing.assert_array_equal(scene.positions, made[3][:, :24].astype(np.float32))
    assert scene.valid.shape == (3, 24)


def test_no_agents():
    assert decode(writer.example(*writer.scene(0))).positions.shape == (0, 91, 3)


def changed(key, value):
    encoded = writer.features(*writer.scene(2))
    if value is None:
        del encoded[key]
    else:
        encoded[key] = value
    return writer.join(encoded)


@pytest.mark.parametrize(
    ("key", "value", "match"),
    [
        ("state/past/x", None, "no feature 'state/past/x'"),
        ("state/future/x", None, r"no feature 'state/future/x' \(Waymo's test files have no future\)"),
        ("scenario/id", None, "no feature 'scenario/id'"),
        ("state/id", writer.integers([1, 2]), "'state/id' is no list of floats"),
        ("state/past/valid", writer.floats([1, 2]), "'state/past/valid' is no list of integers"),
        ("scenario/id", writer.floats([1]), "'scenario/id' is no list of bytes"),
        ("scenario/id", writer.block(1, b""), "'scenario/id' has 0 values, not 1"),
        ("state/past/z", writer.floats(np.zeros(19)), "'state/past/z' has 19 values, not 2 x 10"),
        ("state/future/valid", writer.integers([1]), "'state/future/valid' has 1 values, not 2 x 80"),
        ("state/type", writer.floats([1]), "'state/type' has 1 values for 2 agents"),
        ("state/type", writer.floats([1, 1.5]), "'state/type' holds something other than whole numbers"),
        ("state/id", writer.floats([1, np.nan]), "'state/id' holds something other than whole numbers"),
        ("state/id", writer.block(2, writer.block(1, b"abc")), "no protobuf message of the kind Feature"),
        ("state/past/x", b"\xff\xff", "no protobuf message of the kind Feature"),
        ("scenario/id", writer.block(1, writer.block(1, b"\xff")), "'scenario/id' is not UTF-8"),
    ],
)
def test_damaged_features(key, value, match):
    with pytest.raises(RecordError, match=match):
        decode(changed(key, value))


def test_features_that_are_not_needed_are_not_read():
    encoded = writer.features(*writer.scene(2)) | {"roadgraph_samples/xyz": b"\xff\xff"}
    assert decode(writer.join(encoded)).positions.shape == (2, 91, 3)


def test_the_last_of_two_entries_counts():
    encoded = writer.features(*writer.scene(2))
    first = writer.block(1, writer.block(1, writer.block(1, b"scenario/id") + writer.block(2, b"\xff")))
    assert decode(first + writer.join(encoded)).scenario_id == "scene0"
