import gzip
import struct
import tracemalloc

import pytest
from lab.tests.tasks.motion.waymo import writer

from softsym.errors import InputError
from softsym_lab.tasks.motion.waymo import tfrecord
from softsym_lab.tasks.motion.waymo.tfrecord import read_records

pytest.importorskip("crc32c", reason="needs the extra [waymo]")
pytest.importorskip("google.protobuf", reason="needs the extra [waymo]")
DATA = [b"first record", b"", b"third" * 30]
SECOND = 16 + len(DATA[0])
THIRD = SECOND + 16


@pytest.fixture
def path(tmp_path):
    return writer.write(tmp_path / "some.tfrecord", DATA)


def damage(path, change):
    data = bytearray(path.read_bytes())
    data = change(data) or data
    path.write_bytes(data)
    return path


def refused(path, match):
    with pytest.raises(InputError, match=match) as caught:
        list(read_records(path))
    message = str(caught.value)
    assert path.name in message
    assert "\n" not in message


def test_round_trip(path):
    records = list(read_records(path))
    assert [record.data for record in records] == DATA
    assert [record.offset for record in records] == [0, SECOND, THIRD]
    assert records[-1].end == path.stat().st_size


def test_every_flipped_byte_is_noticed(path):
    whole = path.read_bytes()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 16]) + whole[at + 1 :])
        refused(path, rf"at byte {max(o for o in (0, SECOND, THIRD) if o <= at)}\b")


def test_every_cut_inside_a_record_is_noticed(path):
    whole = path.read_bytes()
    for size in set(range(1, len(whole))) - {SECOND, THIRD}:
        path.write_bytes(whole[:size])
        refused(path, rf"at byte {max(o for o in (0, SECOND, THIRD) if o < size)}\b.*download")


def test_wrong_checksum_of_length(path):
    damage(path, lambda d: d.__setitem__(SECOND + 9, d[SECOND + 9] ^ 1))
    refused(path, rf"wrong checksum of the length of the record at byte {SECOND};")


def test_wrong_checksum_of_data(path):
    damage(path, lambda d: d.__setitem__(THIRD + 20, d[THIRD + 20] ^ 1))
    refused(path, rf"wrong checksum of the data of the record at byte {THIRD};")


def test_cut_in_header(path):
    damage(path, lambda d: d[: THIRD + 5])
    refused(path, rf"cut off in the header of the record at byte {THIRD};")


def test_cut_in_data(path):
    damage(path, lambda d: d[: THIRD + 12 + 40])
    refused(path, rf"record at byte {THIRD} claims 150 bytes of data but 40 are left")


def test_cut_in_footer(path):
    damage(path, lambda d: d[:-1])
    refused(path, rf"cut off in the record at byte {THIRD}, before its last checksum ends")


@pytest.mark.parametrize("length", [2**63, 2**40, tfrecord.MAX_RECORD + 1])
def test_absurd_length_is_not_allocated(path, length):
    header = struct.pack("<Q", length)
    damage(path, lambda d: d[:SECOND] + header + writer.masked(header) + d[THIRD - 4 :])
    tracemalloc.start()
    refused(path, rf"record at byte {SECOND} claims {length} bytes, more than the limit")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 1 << 20


def test_empty_file(tmp_path):
    refused(writer.write(tmp_path / "none.tfrecord", []), "is empty; download")


def test_text_file(tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("these are not the records you are looking for")
    refused(path, "at byte 0; .*pass a TFRecord file")


def test_gzip_file(path):
    path.write_bytes(gzip.compress(path.read_bytes()))
    refused(path, "gzip at byte 0; unpack it with gunzip")


def test_no_file(tmp_path):
    refused(tmp_path / "gone.tfrecord", "cannot read .*gone.tfrecord: No such file")


def test_folder(tmp_path):
    refused(tmp_path, "Is a directory")


def test_no_permission(path, monkeypatch):
    def forbidden(*args):
        raise PermissionError(13, "Permission denied")  # root may read anything, so chmod would not do

    monkeypatch.setattr(tfrecord, "open", forbidden, raising=False)
    refused(path, "Permission denied; pass a file you may read")


def test_one_record_in_memory(tmp_path):
    size, count = 300_000, 12
    path = writer.write(tmp_path / "big.tfrecord", [bytes(size)] * count)
    next(read_records(path))  # imports
    tracemalloc.start()
    seen = 0
    for record in read_records(path):
        seen += len(record.data)
        del record
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert seen == size * count
    assert peak < 5 * size  # one record and what is left of the one before; the file is twelve


VECTORS = {
    b"": 0,
    b"a": 0xC1D04330,
    b"123456789": 0xE3069283,
    bytes(32): 0x8A9136AA,
    b"\xff" * 32: 0x62A8AB43,
    bytes(range(32)): 0x46DD794E,
    bytes(range(31, -1, -1)): 0x113FDB5C,
}


@pytest.mark.parametrize(("data", "crc"), VECTORS.items())
def test_known_checksums(data, crc):
    assert writer.crc32c(data) == crc
    assert tfrecord.masked_crc32c(data) == ((crc >> 15 | crc << 17) + 0xA282EAD8) % 2**32
    assert tfrecord.masked_crc32c(data) == int.from_bytes(writer.masked(data), "little")
