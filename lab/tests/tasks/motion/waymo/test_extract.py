import contextlib
import importlib
import tracemalloc

import numpy as np
import pytest
from lab.tests.tasks.motion.waymo import writer

from softsym.errors import CacheWarning, InputError
from softsym_lab.tasks.motion.waymo import CODE, HONEST, ExtractSettings, extract

pytest.importorskip("crc32c", reason="needs the extra [waymo]")
pytest.importorskip("google.protobuf", reason="needs the extra [waymo]")
module = importlib.import_module("softsym_lab.tasks.motion.waymo.extract")  # the package's `extract` is the function
ENCODERS = {"example": writer.example, "scenario": writer.scenario}


def ascending(name, ids, types=None, ascent=0.5):
    """A scene whose tracks all pass the selection: they ascend steadily and hardly move."""
    n = len(ids)
    rise = np.arange(91)[None, :, None] * np.array([0.01, 0.02, ascent / 10])
    positions = np.arange(n)[:, None, None] * 10.0 + 300 + rise
    return name, np.array(ids), np.ones(n, int) if types is None else types, positions, np.ones((n, 91), bool)


@pytest.fixture(params=ENCODERS)
def flavour(request):
    return request.param


@pytest.fixture
def folder(flavour, tmp_path):
    """Two files of two scenes each, one track of each scene invalid at a step that matters."""
    encode = ENCODERS[flavour]
    (tmp_path / "data").mkdir()
    for file in (1, 0):
        records = []
        for record in range(2):
            scene = ascending(f"f{file}r{record}", [10, 11, 12], np.array([1, 2, 1]))
            scene[4][2, 8] = False
            records.append(encode(*scene))
        writer.write(tmp_path / "data" / f"training.tfrecord-0000{file}-of-00002", records)
    return tmp_path / "data"


def test_what_is_kept_and_in_which_order(folder):
    tracks = extract(folder, cache=False)
    assert tracks.scenario_ids.tolist() == ["f0r0", "f0r1", "f1r0", "f1r1"]
    assert tracks.track_ids.tolist() == ["10"] * 4
    assert tracks.past.shape == tracks.future.shape == (4, 6, 3)
    assert tracks.past.dtype == tracks.future.dtype == np.float64
    assert tracks.scenario_ids.dtype.kind == tracks.track_ids.dtype.kind == "U"
    assert len(tracks) == 4


def test_positions_exactly_as_stored(folder, flavour):
    tracks = extract(folder, cache=False)
    stored = ascending("", [10])[3][0, :24:2]
    if flavour == "example":
        stored = stored.astype(np.float32).astype(np.float64)
    for row in range(4):
        np.testing.assert_array_equal(tracks.past[row], stored[:6])
        np.testing.assert_array_equal(tracks.future[row], stored[6:])


def test_code_keeps_pedestrians(folder):
    assert extract(folder, CODE, cache=False).track_ids.tolist() == ["10", "11"] * 4


def test_nothing_kept(folder):
    tracks = extract(folder, ExtractSettings(min_ascent=100.0), cache=False)
    assert tracks.past.shape == tracks.future.shape == (0, 6, 3)
    assert tracks.scenario_ids.dtype.kind == "U"


def test_other_windows(folder):
    settings = ExtractSettings(steps=91, keep_every=9, past=8, future=3, min_ascent=0.5)
    tracks = extract(folder, settings, cache=False)
    assert tracks.past.shape == (8, 8, 3)  # step 8 is not among the points, so track 12 is kept too
    assert tracks.future.shape == (8, 3, 3)


def test_files_of_different_flavours_may_stand_side_by_side(tmp_path):
    files = [
        writer.write(tmp_path / f"{key}.tfrecord", [encode(*ascending(key, [1]))]) for key, encode in ENCODERS.items()
    ]
    assert extract(files[::-1], cache=False).scenario_ids.tolist() == ["example", "scenario"]
    with pytest.raises(InputError, match=r"scenario.tfrecord: the record at byte 0 is a Scenario"):
        extract(files, flavour="example", cache=False)


def test_a_damaged_last_file_stops_everything(folder, tmp_path):
    last = sorted(folder.iterdir())[-1]
    last.write_bytes(last.read_bytes()[:-3])
    with pytest.raises(InputError, match=rf"{last.name}: the file is cut off in the record at byte \d+"):
        extract(folder, cache=tmp_path / "cache")
    assert not (tmp_path / "cache").exists()


def test_the_second_time_comes_from_the_cache(folder, tmp_path, monkeypatch):
    first = extract(folder, cache=tmp_path / "cache")
    (entry,) = (tmp_path / "cache").iterdir()
    assert entry.suffix == ".npz"
    monkeypatch.setattr(module, "read_scenes", None)
    second = extract(folder, HONEST, cache=tmp_path / "cache", progress=False)
    for key, value in vars(first).items():
        np.testing.assert_array_equal(getattr(second, key), value)
    with pytest.raises(TypeError):  # other settings are another entry
        extract(folder, CODE, cache=tmp_path / "cache")


def test_a_changed_file_is_read_again(folder, tmp_path):
    extract(folder, cache=tmp_path / "cache")
    first = min(folder.iterdir())
    writer.write(first, [writer.scenario(*ascending("new", [5, 6]))])
    assert extract(folder, cache=tmp_path / "cache").scenario_ids.tolist() == ["new", "new", "f1r0", "f1r1"]


def test_a_damaged_entry_is_made_again(folder, tmp_path):
    first = extract(folder, cache=tmp_path)
    (entry,) = tmp_path.glob("*.npz")
    entry.write_bytes(entry.read_bytes()[:-200])
    with pytest.warns(CacheWarning, match=f"cannot use the cache entry {entry}"):
        second = extract(folder, cache=tmp_path)
    np.testing.assert_array_equal(first.past, second.past)
    np.testing.assert_array_equal(extract(folder, cache=tmp_path).past, first.past)


def test_the_default_cache_is_the_platforms(folder, tmp_path, monkeypatch):
    monkeypatch.setattr(module.store, "default_folder", lambda: tmp_path / "platform")
    extract(folder)
    assert len(list((tmp_path / "platform").iterdir())) == 1


def test_progress_over_bytes(folder, monkeypatch):
    seen = []

    @contextlib.contextmanager
    def record(what, total, *, quiet, unit):
        seen.append((total, quiet, unit))
        yield seen.append

    monkeypatch.setattr(module, "shown", record)
    extract(folder, cache=False, progress=False)
    sizes = [path.stat().st_size for path in sorted(folder.iterdir())]
    first, *done = seen
    assert first == (sum(sizes), True, "bytes")
    assert done == sorted(done)
    assert done[1] == sizes[0]
    assert done[-1] == sum(sizes)


def test_memory_does_not_grow_with_the_file(tmp_path):
    road = writer.block(8, bytes(200_000))
    record = writer.scenario(*ascending("s", [1])) + road
    path = writer.write(tmp_path / "big.tfrecord", [record] * 20)
    small = writer.write(tmp_path / "small.tfrecord", [record])
    extract(small, cache=False)  # imports and tables
    tracemalloc.start()
    assert len(extract(path, cache=False)) == 20
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert path.stat().st_size > 20 * len(record)
    assert peak < 6 * len(record)
