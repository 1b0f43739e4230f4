"""Where a discovery works: nothing is overwritten, everything is whole, what was stopped goes on."""

import json

import pytest

from softsym.discovery.workspace import Workspace
from softsym.errors import InputError


def write(folder):
    (folder / "symmetries.json").write_text("{}")


def test_results_appear_whole(tmp_path):
    space = Workspace(tmp_path / "out")
    space.check()
    space.open({"width": 3})
    assert space.partial.exists()
    assert space.finish(write) == tmp_path / "out"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_a_failed_writing_leaves_nothing(tmp_path):
    space = Workspace(tmp_path / "out")
    space.open({})
    (tmp_path / "out").mkdir()
    with pytest.raises(ZeroDivisionError):
        space.finish(lambda folder: 1 / 0)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out", "out.partial"]


def test_nothing_is_overwritten(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    with pytest.raises(InputError, match="exists already; pass another --out-dir, or --force"):
        Workspace(out).check()
    with pytest.raises(InputError, match="was not written by softsym discover; it is left alone"):
        Workspace(out, force=True).check()
    write(out)
    Workspace(out, force=True).check()


def test_a_stopped_one_is_continued_only_if_the_same_is_asked(tmp_path):
    space = Workspace(tmp_path / "out")
    space.open({"width": 3, "seeds": 1})
    with pytest.raises(InputError, match="holds a discovery that was stopped; pass --resume"):
        space.check()
    again = Workspace(tmp_path / "out", resume=True)
    again.check()
    (again.partial / "kept").touch()
    again.open({"width": 3, "seeds": 1})
    assert (again.partial / "kept").exists()
    with pytest.raises(InputError, match="was started with another width; pass the same again"):
        again.open({"width": 4, "seeds": 1})
    Workspace(tmp_path / "out", force=True).open({"width": 4})
    assert not (again.partial / "kept").exists()
    assert json.loads((again.partial / "asked.json").read_text()) == {"width": 4}


def test_there_must_be_something_to_resume(tmp_path):
    with pytest.raises(
        InputError, match=r"there is no stopped discovery in .*out.partial; leave out --resume"
    ):
        Workspace(tmp_path / "out", resume=True).check()


def test_a_damaged_note_is_refused(tmp_path):
    space = Workspace(tmp_path / "out", resume=True)
    space.open({})
    (space.partial / "asked.json").write_text("{")
    with pytest.raises(InputError, match="cannot be continued"):
        space.open({})
