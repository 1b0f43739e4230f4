import os
import warnings

import numpy as np
import pytest

from softsym.errors import CacheWarning
from softsym_lab.tasks.motion.waymo import CODE, HONEST, Tracks, cache
from softsym_lab.tasks.motion.waymo.files import SourceFile, find_files


@pytest.fixture
def tracks():
    rng = np.random.default_rng(0)
    return Tracks(
        rng.normal(size=(3, 6, 3)), rng.normal(size=(3, 6, 3)), np.array(["a", "b", "é"]), np.array(["1", "2", "3"])
    )


def same(a, b):
    return all(np.array_equal(getattr(a, k), getattr(b, k)) for k in vars(b))


def test_round_trip(tmp_path, tracks):
    path = tmp_path / "new" / "folder" / "entry.npz"
    assert cache.read(path, HONEST) is None
    cache.write(path, tracks)
    assert same(cache.read(path, HONEST), tracks)
    assert os.listdir(path.parent) == ["entry.npz"]


def test_names_tell_files_settings_flavours_and_formats_apart(tmp_path, monkeypatch):
    path = tmp_path / "a.tfrecord"
    path.write_bytes(b"x")
    files = find_files(path)
    key = files[0].key
    assert key == (str(path), 1, path.stat().st_mtime_ns)
    names = [
        cache.entry_name(files, HONEST, "auto"),
        cache.entry_name(files, CODE, "auto"),
        cache.entry_name(files, HONEST, "example"),
        cache.entry_name(files * 2, HONEST, "auto"),
        cache.entry_name([SourceFile(tmp_path / "b.tfrecord", *key[1:])], HONEST, "auto"),
        cache.entry_name([SourceFile(path, 2, key[2])], HONEST, "auto"),
        cache.entry_name([SourceFile(path, 1, key[2] + 1)], HONEST, "auto"),
    ]
    monkeypatch.setattr(cache, "FORMAT", cache.FORMAT + 1)
    names.append(cache.entry_name(files, HONEST, "auto"))
    assert len(set(names)) == len(names)


def test_every_damage_is_harmless_or_noticed(tmp_path, tracks):
    path = tmp_path / "entry.npz"
    cache.write(path, tracks)
    whole = path.read_bytes()
    noticed = 0
    for at in range(0, len(whole), 3):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 0x55]) + whole[at + 1 :])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = cache.read(path, HONEST)
        assert {warning.category for warning in caught} == (set() if found else {CacheWarning})
        assert found is None or same(found, tracks)
        noticed += found is None
    assert noticed > len(whole) / 3 / 2


def arrays(tracks, **changes):
    return {**vars(tracks), **changes}


@pytest.mark.parametrize(
    "change",
    [
        lambda t: {k: v for k, v in arrays(t).items() if k != "future"},
        lambda t: arrays(t, past=t.past[:2]),
        lambda t: arrays(t, past=t.past.astype(np.float32)),
        lambda t: arrays(t, track_ids=np.arange(3)),
        lambda t: arrays(t, track_ids=np.array(["1", 2, None], dtype=object)),
    ],
)
def test_wrong_content_is_noticed(tmp_path, tracks, change):
    path = tmp_path / "entry.npz"
    np.savez(path, **change(tracks))
    with pytest.warns(CacheWarning, match=f"cannot use the cache entry {path}"):
        assert cache.read(path, HONEST) is None


def test_a_folder_that_cannot_be_written_costs_a_warning(tmp_path, tracks):
    (tmp_path / "file").write_bytes(b"")
    with pytest.warns(CacheWarning, match="cannot write the cache entry"):
        cache.write(tmp_path / "file" / "entry.npz", tracks)


def test_a_failed_write_leaves_nothing(tmp_path, tracks, monkeypatch):
    def full(*args, **options):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(np, "savez", full)
    with pytest.warns(CacheWarning, match="No space left"):
        cache.write(tmp_path / "entry.npz", tracks)
    assert os.listdir(tmp_path) == []


def test_default_folder():
    assert cache.default_folder().parts[-2:] == ("softsym", "motion")
