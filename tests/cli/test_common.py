"""What the commands share: bad input is refused before torch is imported, JSON output, warnings in one line."""

import json
import os
import subprocess
import sys
import warnings

import numpy as np
import polars
import pytest

from softsym.cli.common import check_target, check_texts, one_line_warnings, write_json
from softsym.datasets.parse import read_data
from softsym.errors import CacheWarning, InputError

SLIPS = {
    "group": (["discover", "--groups", "Q(9)"], "unknown group"),
    "representation": (["discover", "data.csv", "--in", "3Q", "--out", "V", "--groups", "O(3)"], "3Q"),
    "file": (
        ["discover", "nowhere.csv", "--in", "V", "--out", "V", "--groups", "O(3)"],
        "there is no file nowhere.csv",
    ),
    "column": (["discover", "data.csv", "--x-columns", "a..q", "--in", "V", "--out", "S", "--groups", "O(3)"], "q"),
    "size": (
        ["discover", "data.csv", "--y-columns", "d", "--in", "2V", "--out", "S", "--groups", "O(3)"],
        "has size 6, X has 3 columns",
    ),
    "missing": (["discover", "data.csv", "--y-columns", "d"], "pass --in, --out, as in"),
    "out-dir": (["discover", "--out-dir", "taken"], "taken exists already"),
    "rule": (["discover", "--strengths", "often"], "unknown rule of strengths 'often'"),
    "task": (["discover", "inertai"], "did you mean inertia?"),
    "resume": (["discover", "--resume"], "there is no stopped discovery"),
    "check": (["check", "data.csv", "--in", "V", "--groups", "Q(9)"], "unknown group"),
    "train": (["train", "inertai:Oz(2)"], "unknown task 'inertai'"),
    "train model": (["train", "inertia", "--model", "magic"], "unknown model 'magic'"),
    "train group": (["train", "inertia", "--group", "Q(9)"], "unknown group"),
    "inspect": (["inspect", "--in", "V", "--out", "V", "--groups", "Q(9)"], "unknown group"),
    "model": (["predict", "nowhere", "data.csv", "-o", "p.csv"], "nowhere holds no softsym model"),
    "ending": (["predict", "nowhere", "data.csv", "-o", "p.txt"], "p.txt must end in"),
    "table": (["reproduce", "table9"], "unknown table 'table9'"),
    "preset": (["reproduce", "table1", "--preset", "slow"], "unknown preset 'slow'"),
    "engine": (["reproduce", "table1", "--engine", "steam"], "unknown engine 'steam'"),
}
ALL = """
import contextlib, io, json, sys
from softsym.cli import main
for arguments, message in json.loads(sys.stdin.read()):
    sys.argv = ["softsym", *arguments]
    err = io.StringIO()
    with contextlib.redirect_stderr(err), contextlib.suppress(SystemExit):
        main.run()
    heavy = [name for name in ("torch", "sklearn", "scipy.linalg", "sympy", "plotly") if name in sys.modules]
    if heavy or message not in err.getvalue():
        sys.exit(f"{arguments}: imported {heavy}, said {err.getvalue()!r}")
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "taken").mkdir()
    values = np.random.default_rng(0).standard_normal((60, 4))
    polars.DataFrame(values, schema=list("abcd")).write_csv(tmp_path / "data.csv")
    return tmp_path


def test_slips_import_nothing_heavy(folder):
    import json

    asked = json.dumps(list(SLIPS.values()))
    process = subprocess.run([sys.executable, "-c", ALL], input=asked, capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr


def test_texts_that_were_not_given_are_not_read():
    check_texts([None, "5S + 5V"], [None, "O(2)@z"])
    with pytest.raises(InputError, match="unknown group"):
        check_texts(groups=["O(3)", "Q(9)"])
    with pytest.raises(InputError, match="Q"):
        check_texts(["Q"])


def test_a_file_has_no_task_and_a_task_has_no_columns(folder):
    table, task = read_data("data.csv", "a..c", "d")
    assert task is None
    assert (table.x_names, table.y_names) == (("a", "b", "c"), ("d",))
    table, task = read_data("inertia:Oz(2)", seed=1)
    assert task.name == "inertia:Oz(2)"
    assert len(table.X) == 1500
    with pytest.raises(InputError, match="'inertia' is a task, which knows its columns"):
        read_data("inertia", "a..b")


def test_to_a_file_or_to_standard_output(tmp_path, capsys):
    write_json({"a": [1, None]}, str(tmp_path / "out.json"))
    assert json.loads((tmp_path / "out.json").read_text()) == {"a": [1, None]}
    assert capsys.readouterr().out == ""
    write_json({"a": 1}, "-")
    assert json.loads(capsys.readouterr().out) == {"a": 1}


def test_places_where_nothing_can_be_written_are_refused_early(tmp_path):
    check_target("-")
    check_target(str(tmp_path / "new.json"))
    for place in (tmp_path, tmp_path / "no" / "out.json"):
        with pytest.raises(InputError, match=r"cannot write .*: pass a file in a folder that exists, or -"):
            check_target(str(place))
        with pytest.raises(InputError, match="cannot write"):
            write_json({}, str(place))


def test_an_input_is_never_overwritten(tmp_path):
    (tmp_path / "d.csv").write_text("a,b\n1,2\n")
    (tmp_path / "link.json").symlink_to(tmp_path / "d.csv")
    os.link(tmp_path / "d.csv", tmp_path / "hard.json")
    for target in ("d.csv", "link.json", "hard.json", "../" + tmp_path.name + "/d.csv"):
        with pytest.raises(InputError, match="is what this command reads; pass another file"):
            check_target(str(tmp_path / target), str(tmp_path / "d.csv"))
    check_target(str(tmp_path / "new.json"), str(tmp_path / "d.csv"), "inertia:Oz(2)")
    check_target(None, "d.csv")


def test_json_is_whole_or_as_it_was(tmp_path, monkeypatch):
    write_json({"a": 1}, str(tmp_path / "r.json"))
    with pytest.raises(TypeError):
        write_json({"a": object()}, str(tmp_path / "r.json"))
    monkeypatch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(InputError, match=r"cannot write .*: No space left"):
        write_json({"a": 2}, str(tmp_path / "r.json"))
    assert json.loads((tmp_path / "r.json").read_text()) == {"a": 1}
    assert os.listdir(tmp_path) == ["r.json"]


def test_one_line_each_without_the_place(capsys):
    with one_line_warnings():
        warnings.warn("cannot write the cache", CacheWarning, stacklevel=1)
    assert capsys.readouterr().err == "softsym: warning: cannot write the cache\n"


def test_what_was_set_before_comes_back():
    before, shown = list(warnings.filters), warnings.showwarning
    with one_line_warnings():
        assert warnings.showwarning is not shown
    assert warnings.filters == before
    assert warnings.showwarning is shown
