"""Files that appear whole or not at all, checksums, and locks on folders."""

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from softsym import io
from softsym.errors import BusyError, InputError
from softsym.io import (
    digest,
    dump_with_checksum,
    load_with_checksum,
    lock_folder,
    lock_owner,
    private_folder,
    put_bytes,
    put_file,
    put_folder,
    put_text,
    read_regular,
    sweep,
)

HOLD = """
import sys, pathlib
from softsym.io import lock_folder
with lock_folder(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""
FULL = OSError(28, "No space left on device")


def fill(folder):
    (folder / "a.txt").write_text("new")
    (folder / "deep").mkdir()
    (folder / "deep" / "b.txt").write_text("new too")


def test_text_and_bytes(tmp_path):
    put_text(tmp_path / "a.txt", "größer\n")
    assert (tmp_path / "a.txt").read_bytes() == "größer\n".encode()
    put_bytes(tmp_path / "a.txt", b"\0\xff")
    assert (tmp_path / "a.txt").read_bytes() == b"\0\xff"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_writer_sees_the_ending_in_small_letters(tmp_path):
    seen = []

    def write(path):
        seen.append(path)
        path.write_text("x")

    put_file(tmp_path / "Table.PARQUET", write)
    (temporary,) = seen
    assert temporary.parent == tmp_path
    assert temporary.name.startswith(".Table.")
    assert temporary.suffix == ".parquet"
    assert os.listdir(tmp_path) == ["Table.PARQUET"]


@pytest.mark.skipif(sys.platform == "win32", reason="files are locked by flock")
def test_what_a_killed_process_left_of_a_file_goes_with_the_next_one(tmp_path):
    left, other = tmp_path / ".a.0123456789ab.txt", tmp_path / ".b.0123456789ab.txt"
    left.write_text("half")
    other.write_text("of another file")

    def write(path):
        assert not left.exists()
        put_text(tmp_path / "a.txt", "from another writer, who leaves this one alone")
        path.write_text("whole")

    put_file(tmp_path / "a.txt", write)
    assert (tmp_path / "a.txt").read_text() == "whole"
    assert sorted(os.listdir(tmp_path)) == [other.name, "a.txt"]


@pytest.mark.parametrize("error", [FULL, KeyboardInterrupt()])
def test_a_failed_file_leaves_the_old_one(tmp_path, error):
    put_text(tmp_path / "a.txt", "old")

    def fail(path):
        path.write_text("half")
        raise error

    with pytest.raises(type(error)):
        put_file(tmp_path / "a.txt", fail)
    assert (tmp_path / "a.txt").read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("place", ["fsync", "replace"])
def test_a_failure_at_the_end_leaves_the_old_one_too(tmp_path, monkeypatch, place):
    put_text(tmp_path / "a.txt", "old")

    def fail(*arguments):
        raise FULL

    monkeypatch.setattr(io.os, place, fail)
    with pytest.raises(OSError, match="No space left"):
        put_text(tmp_path / "a.txt", "new")
    assert (tmp_path / "a.txt").read_text() == "old"
    assert os.listdir(tmp_path) == ["a.txt"]


def test_a_folder(tmp_path):
    put_folder(tmp_path / "out", fill)
    assert (tmp_path / "out" / "deep" / "b.txt").read_text() == "new too"
    put_folder(tmp_path / "out", lambda folder: (folder / "c.txt").write_text("newer"))
    assert sorted(os.listdir(tmp_path / "out")) == ["c.txt", "manifest.json"]
    assert os.listdir(tmp_path) == ["out"]


def test_a_failed_folder_leaves_the_old_one(tmp_path):
    put_folder(tmp_path / "out", fill)

    def fail(folder):
        (folder / "half.txt").write_text("half")
        raise FULL

    with pytest.raises(OSError, match="No space left"):
        put_folder(tmp_path / "out", fail)
    assert sorted(os.listdir(tmp_path / "out")) == ["a.txt", "deep", "manifest.json"]
    assert os.listdir(tmp_path) == ["out"]


def test_the_old_folder_comes_back_if_the_new_one_cannot_be_put_in_place(tmp_path, monkeypatch):
    put_folder(tmp_path / "out", fill)
    replace, calls = os.replace, []

    def second_fails(source, target):
        calls.append(source)
        if len(calls) == 2:
            raise FULL
        replace(source, target)

    monkeypatch.setattr(io.os, "replace", second_fails)
    with pytest.raises(OSError, match="No space left"):
        put_folder(tmp_path / "out", lambda folder: (folder / "c.txt").write_text("newer"))
    assert sorted(os.listdir(tmp_path / "out")) == ["a.txt", "deep", "manifest.json"]
    assert os.listdir(tmp_path) == ["out"]


def others_folder(place, kind):
    """A folder of somebody else, which looks more or less like one of softsym's."""
    place.mkdir()
    (place / "thesis.txt").write_text("ten years of work")
    if kind in ("model.json", "symmetries.json", "gp.json"):
        (place / kind).write_text("{}")
    elif kind == "forged":
        (place / "manifest.json").write_text('{"format": 1, "files": {"thesis.txt": "0"}, "checksum": "0"}')
    elif kind == "ours with more":
        shutil.rmtree(place)
        put_folder(place, fill)
        (place / "deep" / "thesis.txt").write_text("ten years of work")
    elif kind == "ours with a link":
        shutil.rmtree(place)
        put_folder(place, fill)
        (place.parent / "elsewhere.txt").write_text("ten years of work")
        (place / "link").symlink_to(place.parent / "elsewhere.txt")


@pytest.mark.parametrize(
    "kind", ["plain", "model.json", "symmetries.json", "gp.json", "forged", "ours with more", "ours with a link"]
)
def test_a_folder_of_others_is_left_alone(tmp_path, kind):
    others_folder(tmp_path / "out", kind)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(InputError, match="it is left alone, pass another folder"):
        put_folder(tmp_path / "out", fill)
    assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before


def test_a_file_that_is_put_there_meanwhile_is_left_alone(tmp_path):
    put_folder(tmp_path / "out", fill)

    def slow(folder):
        fill(folder)
        (tmp_path / "out" / "thesis.txt").write_text("ten years of work")

    with pytest.raises(InputError, match=r"holds 'thesis.txt', which softsym did not write"):
        put_folder(tmp_path / "out", slow)
    assert (tmp_path / "out" / "thesis.txt").exists()
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.skipif(os.name == "nt", reason="no pipes, links and owners here")
def test_symbolic_links_are_followed(tmp_path):
    for name in ("folder", "file"):
        (tmp_path / name).symlink_to(tmp_path / "real" / name)
    (tmp_path / "real").mkdir()
    for text in ("old", "new"):
        put_folder(tmp_path / "folder", lambda folder, text=text: (folder / "a.txt").write_text(text))
        put_text(tmp_path / "file", text)
        assert (tmp_path / "folder").is_symlink()
        assert (tmp_path / "file").is_symlink()
        assert (tmp_path / "real" / "folder" / "a.txt").read_text() == text
        assert (tmp_path / "real" / "file").read_text() == text


@pytest.mark.skipif(os.name == "nt", reason="no pipes, links and owners here")
def test_what_is_no_file_is_never_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    for name in ("pipe", "folder"):
        with pytest.raises(InputError, match="is no file but a folder, a pipe or a device"):
            put_text(tmp_path / name, "x")
    put_text(tmp_path / "file", "x")
    with pytest.raises(InputError, match="is no folder; it is left alone"):
        put_folder(tmp_path / "file", fill)
    assert sorted(os.listdir(tmp_path)) == ["file", "folder", "pipe"]


@pytest.mark.skipif(os.name == "nt", reason="no pipes, links and owners here")
def test_only_files_of_a_size_are_read(tmp_path):
    (tmp_path / "small").write_bytes(b"12345")
    assert read_regular(tmp_path / "small", 5) == b"12345"
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(10**12)
    for name, most, message in (("small", 4, "at most 4 are read"), ("sparse", 10**6, "1,000,000,000,000 bytes")):
        with pytest.raises(InputError, match=message):
            read_regular(tmp_path / name, most)
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/zero"), tmp_path):
        with pytest.raises(InputError, match="is no file but"):
            read_regular(path, 10)


@pytest.mark.skipif(os.name == "nt", reason="no pipes, links and owners here")
@pytest.mark.parametrize("mode", [0o777, 0o1777])
def test_folders_that_others_can_write_to_are_not_private(tmp_path, mode):
    assert stat.S_IMODE(private_folder(tmp_path / "a" / "b").stat().st_mode) == 0o700
    (tmp_path / "a" / "b").chmod(mode)
    with pytest.raises(PermissionError, match="can be written to by others"):
        private_folder(tmp_path / "a" / "b")
    (tmp_path / "a" / "b").chmod(0o700)
    (tmp_path / "a").chmod(mode)  # with a sticky bit, as /tmp has, nobody can exchange b
    if mode == 0o777:
        with pytest.raises(PermissionError, match="can be written to by others"):
            private_folder(tmp_path / "a" / "b")
    else:
        assert private_folder(tmp_path / "a" / "b").is_dir()


def test_everything_is_on_the_disk_before_it_is_in_place(tmp_path, monkeypatch):
    events = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(io.os, "fsync", lambda handle: (events.append("fsync"), fsync(handle))[1])
    monkeypatch.setattr(io.os, "replace", lambda a, b: (events.append("replace"), replace(a, b))[1])
    put_text(tmp_path / "a.txt", "x")
    put_folder(tmp_path / "out", fill)
    assert events == ["fsync", "replace", "fsync", "fsync", "fsync", "replace"]


@pytest.mark.parametrize("mask", [0o022, 0o077, 0o002])
def test_permissions_are_those_of_peoples_own_files(tmp_path, mask):
    before = os.umask(mask)
    try:
        put_text(tmp_path / "a.txt", "x")
        put_folder(tmp_path / "out", fill)
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "a.txt").stat().st_mode) == 0o666 & ~mask
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o777 & ~mask


def test_a_folder_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(FileNotFoundError):
        put_text(tmp_path / "none" / "a.txt", "x")


def test_two_processes_never_write_into_one_another(tmp_path):
    """Readers see whole files all the while two processes write the same one."""
    target = tmp_path / "a.txt"
    put_text(target, "0" * 200_000)
    code = (
        "import sys; from pathlib import Path; from softsym.io import put_text\n"
        "for _ in range(150): put_text(Path(sys.argv[1]), sys.argv[2] * 200_000)"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, target, letter]) for letter in "12"]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        text = target.read_text()
        assert len(text) == 200_000
        assert len(set(text)) == 1
        seen.add(text[0])
    assert [writer.wait() for writer in writers] == [0, 0]
    assert seen & {"1", "2"}
    assert os.listdir(tmp_path) == ["a.txt"]


def test_digests_are_those_of_files_that_exist_already():
    assert digest(b"") == "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8"
    assert digest(memoryview(b"softsym")) == digest(b"softsym")
    assert len(bytes.fromhex(digest(b"softsym"))) == 32


@given(
    st.dictionaries(
        st.text(), st.one_of(st.integers(), st.floats(allow_nan=False), st.text(), st.lists(st.floats(allow_nan=False)))
    )
)
def test_fields_with_checksum_round_trip(fields):
    fields.pop("checksum", None)
    assert load_with_checksum(dump_with_checksum(fields)) == fields


def test_every_change_breaks_the_seal():
    text = dump_with_checksum({"strength": 100.0, "names": ["a", "b"], "deep": {"x": 1}})
    for before, after in (("100.0", "10.0"), ('"a"', '"c"'), ('"x": 1', '"x": 2'), ('"deep"', '"depth"')):
        with pytest.raises(ValueError, match="checksum does not match"):
            load_with_checksum(text.replace(before, after))


def test_files_from_before_have_no_seal():
    with pytest.raises(ValueError, match="it has no checksum"):
        load_with_checksum('{"a": 1}')
    with pytest.raises(ValueError, match="a JSON object was expected"):
        load_with_checksum("[]")


def test_what_killed_processes_left_is_swept_and_nothing_else(tmp_path):
    for name in (".out.0123456789ab", ".other.0123456789ab", ".out.0123456789ab.old", "out", ".git", ".out.short"):
        (tmp_path / name).mkdir()
    for name in (".spec.0123456789ab.json", ".notes.json", "file.0123456789ab"):
        (tmp_path / name).touch()
    sweep(tmp_path, "out")
    kept = {".other.0123456789ab", "out", ".git", ".out.short", ".notes.json", "file.0123456789ab"}
    assert {path.name for path in tmp_path.iterdir()} == kept | {".spec.0123456789ab.json"}
    sweep(tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == kept - {".other.0123456789ab"}


def test_a_folder_put_aside_and_never_replaced_comes_back(tmp_path):
    aside = tmp_path / ".out.0123456789ab.old"
    aside.mkdir()
    (aside / "result").write_text("it")
    (tmp_path / ".out.0123456789ab").mkdir()
    sweep(tmp_path, "out")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
    assert (tmp_path / "out" / "result").read_text() == "it"


@pytest.fixture
def holder(tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout.readline() == "held\n"
    yield process
    process.kill()
    process.communicate()


def test_the_other_process_is_named(tmp_path, holder):
    with (
        pytest.raises(BusyError, match=rf"is being written by process {holder.pid} on .*, since .* UTC; wait"),
        lock_folder(tmp_path),
    ):
        pytest.fail("two at a time")
    assert f"process {holder.pid} on " in lock_owner(tmp_path)


def test_the_lock_ends_with_its_process(tmp_path, holder):
    holder.kill()
    holder.wait()
    assert lock_owner(tmp_path) is None
    (tmp_path / ".model.0123456789ab").mkdir()
    with lock_folder(tmp_path):
        assert sorted(path.name for path in tmp_path.iterdir()) == [".lock", ".owner.json"]
    assert not list(tmp_path.iterdir())


def test_a_process_may_lock_repeatedly(tmp_path):
    with lock_folder(tmp_path):
        with lock_folder(tmp_path):
            pass
        assert f"process {os.getpid()} " in lock_owner(tmp_path)
    assert lock_owner(tmp_path) is None
    assert not list(tmp_path.iterdir())


def test_an_unreadable_note_of_the_owner(tmp_path, holder):
    (tmp_path / ".owner.json").write_text("{")
    assert lock_owner(tmp_path) == "another process"
