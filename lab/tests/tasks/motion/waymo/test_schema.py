import sys

import pytest
from lab.tests.tasks.motion.waymo import writer

from softsym.errors import InputError
from softsym_lab.tasks.motion.waymo import read_scenes, schema
from softsym_lab.tasks.motion.waymo.schema import MESSAGES, RecordError, parse


@pytest.mark.parametrize("missing", ["crc32c", "google"])
def test_one_line_says_what_to_install(missing, monkeypatch, tmp_path):
    path = writer.write(tmp_path / "a.tfrecord", [writer.scenario(*writer.scene(1))])
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(InputError, match=r"needs protobuf and crc32c: pip install 'softsym\[waymo\]'$") as caught:
        next(read_scenes(path))
    assert "\n" not in str(caught.value)


class TestMessages:
    @pytest.fixture(autouse=True)
    def _extra(self):
        pytest.importorskip("google.protobuf", reason="needs the extra [waymo]")

    @pytest.mark.parametrize("name", MESSAGES)
    def test_every_message_reads_what_it_writes(self, name):
        empty = parse(name, b"")
        assert [field.name for field in empty.DESCRIPTOR.fields] == [field for field, *_ in MESSAGES[name]]
        assert empty.SerializeToString() == b""

    def test_a_track_of_bytes_written_by_hand(self):
        track = parse("Track", writer.track(-7, 2, [writer.state(1.5, -2.0, 3.0, True)] * 2))
        assert (track.id, track.object_type, len(track.states)) == (-7, 2, 2)
        state = track.states[1]
        assert (state.center_x, state.center_y, state.center_z, state.valid) == (1.5, -2.0, 3.0, True)

    @pytest.mark.parametrize("packed", [True, False])
    def test_lists_packed_or_not(self, packed):
        feature = parse("Feature", writer.floats([1.5, -2], packed) + writer.integers([1, 0, -1], packed))
        assert list(feature.float_list.value) == [1.5, -2]
        assert list(feature.int64_list.value) == [1, 0, -1]

    def test_a_message_of_another_kind(self):
        with pytest.raises(RecordError, match="its bytes are no protobuf message of the kind Track"):
            parse("Track", b"\x1a\x7f")

    def test_no_other_definition_is_disturbed(self):
        from google.protobuf import descriptor_pool

        schema.parse("Example", b"")
        with pytest.raises(KeyError):
            descriptor_pool.Default().FindMessageTypeByName("softsym.Example")
