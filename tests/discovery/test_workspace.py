"""Where a discovery works: nothing is overwritten, everything is whole, what was stopped goes on."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from softsym.discovery.discover import Workspace
from softsym.errors import InputError
from softsym.io import load_with_checksum, put_folder


def opened(folder, asked, **options):
    space = Workspace(folder / "out", **options)
    with space.lock():
        space.open(asked)
    return space


def write(folder):
    (folder / "symmetries.json").write_text("{}")


def test_results_appear_whole(tmp_path):
    space = Workspace(tmp_path / "out")
    space.check()
    (tmp_path / ".out.0123456789ab").mkdir()  # of a process that was killed
    with space.lock():
        space.open({"width": 3})
        assert space.partial.exists()
        assert space.finish(write) == tmp_path / "out"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_failed_writing_leaves_nothing(tmp_path):
    space = opened(tmp_path, {})
    (tmp_path / "out").mkdir()
    with pytest.raises(ZeroDivisionError):
        space.finish(lambda folder: 1 / 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.partial"]


def test_nothing_is_overwritten(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(InputError, match="exists already; pass another --out-dir, or --force"):
        Workspace(out).check()
    (out / "symmetries.json").write_text("{}")  # as other people's folders may have one
    with pytest.raises(InputError, match="was not written by softsym"):
        Workspace(out, force=True).check()
    (out / "symmetries.json").unlink()
    put_folder(out, write)
    Workspace(out, force=True).check()
    (out / "thesis.tex").write_text("")
    with pytest.raises(InputError, match=r"holds 'thesis\.tex', which softsym did not write"):
        Workspace(out, force=True).check()


def test_a_stopped_one_is_continued_only_if_the_same_is_asked(tmp_path):
    space = opened(tmp_path, {"width": 3, "seeds": 1})
    with pytest.raises(InputError, match="holds a discovery that was stopped; pass --resume"):
        space.check()
    again = Workspace(tmp_path / "out", resume=True)
    again.check()
    (again.partial / "kept").touch()
    again.open({"width": 3, "seeds": 1})
    assert (again.partial / "kept").exists()
    with pytest.raises(InputError, match="was started with another width; pass the same again"):
        again.open({"width": 4, "seeds": 1})
    opened(tmp_path, {"width": 4}, force=True)
    assert [path.name for path in again.partial.iterdir()] == ["asked.json"]
    assert load_with_checksum((again.partial / "asked.json").read_text()) == {"width": 4}


def test_there_must_be_something_to_resume(tmp_path):
    with pytest.raises(InputError, match=r"there is no stopped discovery in .*out.partial; leave out --resume"):
        Workspace(tmp_path / "out", resume=True).check()


@pytest.mark.parametrize("damage", ["{", '{"width": 4, "checksum": "0"}'])
def test_a_damaged_note_is_refused(tmp_path, damage):
    opened(tmp_path, {"width": 3})
    (tmp_path / "out.partial" / "asked.json").write_text(damage)
    with pytest.raises(InputError, match="cannot be continued"):
        opened(tmp_path, {"width": 3}, resume=True)


@pytest.mark.parametrize("options", [{}, {"force": True}, {"resume": True}])
def test_what_is_being_written_is_left_alone_and_not_called_stopped(tmp_path, options):
    space = opened(tmp_path, {"width": 3})
    other = Workspace(tmp_path / "out", **options)
    with space.lock(), ThreadPoolExecutor(1) as elsewhere:
        with pytest.raises(InputError, match=r"out.partial is being written by process \d+ on .*; wait"):
            elsewhere.submit(other.check).result()
        with pytest.raises(InputError, match="is being written by"):
            elsewhere.submit(lambda: other.lock().__enter__()).result()
        assert (space.partial / "asked.json").exists()


def test_nothing_begun_leaves_no_folder(tmp_path):
    with pytest.raises(ZeroDivisionError), Workspace(tmp_path / "out").lock():
        raise ZeroDivisionError
    assert not list(tmp_path.iterdir())
