import numpy as np
import pytest
from lab.tests.tasks.motion.waymo import writer

from softsym.errors import InputError
from softsym_lab.tasks.motion.waymo import read_records, read_scenes

pytest.importorskip("crc32c", reason="needs the extra [waymo]")
pytest.importorskip("google.protobuf", reason="needs the extra [waymo]")
ENCODERS = {"example": writer.example, "scenario": writer.scenario}
OTHER = {"example": "scenario", "scenario": "example"}


def refused(path, match, **options):
    with pytest.raises(InputError, match=match) as caught:
        list(read_scenes(path, **options))
    assert path.name in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.fixture(params=ENCODERS)
def flavour(request):
    return request.param


@pytest.fixture
def path(tmp_path, flavour):
    records = [ENCODERS[flavour](*writer.scene(2, seed)) for seed in range(3)]
    return writer.write(tmp_path / f"{flavour}.tfrecord", records)


@pytest.mark.parametrize("asked", ["auto", "own"])
def test_reads_either_flavour(path, flavour, asked):
    found = list(read_scenes(path, flavour if asked == "own" else "auto"))
    assert [scene.scenario_id for _, scene in found] == ["scene0", "scene1", "scene2"]
    assert found[-1][0] == path.stat().st_size
    for seed, (_, scene) in enumerate(found):
        expected = writer.scene(2, seed)[3]
        np.testing.assert_array_equal(
            scene.positions, expected if flavour == "scenario" else expected.astype(np.float32)
        )


def test_wrong_flavour(path, flavour):
    name = {"example": "a tf.Example", "scenario": "a Scenario"}[flavour]
    refused(path, rf"at byte 0 is {name}, but .*pass flavour='{flavour}'", flavour=OTHER[flavour])


def test_mixed_flavours(tmp_path, flavour):
    first, second = (ENCODERS[f](*writer.scene()) for f in (flavour, OTHER[flavour]))
    path = writer.write(tmp_path / "mixed", [first, second])
    refused(path, rf"at byte {len(first) + 16} is .*the records before it are not")


def test_unknown_flavour(path):
    with pytest.raises(InputError, match="unknown flavour 'both'; pass 'auto', 'example' or 'scenario'"):
        list(read_scenes(path, "both"))


@pytest.mark.parametrize(
    ("data", "match"),
    [
        (b"", "at byte 0 is neither a tf.Example nor a Scenario"),
        (writer.integer(1, 5), "at byte 0 is neither"),
        (b"\xff\xff\xff", "at byte 0 cannot be read as a motion record: .*pass training or validation"),
        (writer.block(1, b"\xff"), "at byte 0 cannot be read as a motion record: its bytes are no protobuf message"),
        (writer.block(1, b""), "as a tf.Example: it has no feature 'state/id'"),
        (writer.block(5, b"a") + writer.block(2, b"\x1a\x09"), "at byte 0 cannot be read as a motion record"),
        (writer.block(5, b"a") + writer.block(2, b""), "at byte 0 cannot be read as a Scenario: track 0 has 0"),
    ],
)
def test_garbage_with_right_checksums(tmp_path, data, match):
    refused(writer.write(tmp_path / "garbage.tfrecord", [data]), match)


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_valid_positions_are_numbers(tmp_path, flavour, value):
    made = writer.scene()
    good = ENCODERS[flavour](*made)
    made[3][1, 40, 2] = value
    made[4][1, 40] = False
    fine = ENCODERS[flavour](*made)
    made[4][1, 40] = True
    path = writer.write(tmp_path / "nan.tfrecord", [good, fine, ENCODERS[flavour](*made)])
    refused(path, rf"at byte {len(good) + len(fine) + 32} .*valid position is infinite or not a number")


def test_test_files_have_no_future(tmp_path):
    path = writer.write(tmp_path / "testing.tfrecord", [writer.scenario(*writer.scene(steps=11))])
    refused(path, "at byte 0 .*has 11 of the 91 steps needed .*pass training or validation files")


def test_damage_is_harmless_or_named_in_one_line(path, tmp_path):
    """Bytes that were changed before the checksums were made, so that only the messages can tell."""
    rng = np.random.default_rng(0)
    record = bytearray(next(read_records(path)).data)
    messages = []
    for _ in range(60):
        damaged = bytearray(record)
        damaged[rng.integers(min(len(damaged), 400))] = rng.integers(256)
        bad = writer.write(tmp_path / "bad.tfrecord", [bytes(damaged)])
        try:
            list(read_scenes(bad))
        except InputError as error:
            messages.append(str(error))
    assert len(messages) > 3
    assert all("bad.tfrecord: the record at byte 0" in message for message in messages)
    assert not any("\n" in message for message in messages)
