"""``softsym check`` as a person runs it."""

import json
import subprocess
import sys

import numpy as np
import pytest

from softsym.cli import main


@pytest.fixture
def softsym(capsys, monkeypatch, tmp_path):
    """Runs the command in an empty folder; gives exit code, output and errors."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["softsym", *arguments])
        with pytest.raises(SystemExit) as ended:
            main.run()
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return run


@pytest.fixture
def ball(tmp_path):
    """A file as people have them: names, a text column, flat data."""
    rng = np.random.default_rng(0)
    rows = np.column_stack([rng.uniform(1, 2, 200), rng.standard_normal((200, 3)) * [1.23, 1.34, 0.05]])
    lines = [f"run{k}," + ",".join(f"{value:.6f}" for value in row) for k, row in enumerate(rows)]
    path = tmp_path / "ball.csv"
    path.write_text("\n".join(["id,mass,x,y,z", *lines]))
    return "ball.csv"


ASKED = ("--x-columns", "mass..z", "--in", "S + V", "--groups", "O(3)", "O(2)@z")


def test_table(softsym, ball):
    code, out, err = softsym("check", ball, *ASKED)
    assert code == 0, err
    for text in ("ball.csv: 200 rows of S + V", "per-axis", "common-scale", "keeps", "orbit overlap", "well"):
        assert text in out
    assert "Recommended: common-scale, because it keeps O(3) and O(2)@z exactly" in out


def test_one_normalisation(softsym, ball):
    code, out, _ = softsym("check", ball, *ASKED, "--normalisation", "per-axis")
    assert code == 0
    for text in ("per-axis normalisation", "map", "shift", "error"):
        assert text in out
    assert "scale-aware" not in out


def test_json(softsym, ball, tmp_path):
    code, out, _ = softsym("check", ball, *ASKED, "--json", "-", "--quiet")
    assert code == 0
    found = json.loads(out)
    assert found["recommended"] == "common-scale"
    assert [one["group"] for one in found["coverage"]] == ["O(3)", "O(2)@z"]
    code, out, _ = softsym("check", ball, *ASKED, "--json", "found.json")
    assert code == 0
    assert "Recommended" in out
    assert json.loads((tmp_path / "found.json").read_text()) == found


def test_tasks_know_how_they_transform(softsym):
    code, out, _ = softsym("check", "inertia:Oz(2)")
    assert code == 0
    assert "inertia:Oz(2): 1,500 rows of 5S + 5V" in out


def test_warnings_are_one_line(softsym, tmp_path):
    np.savez(tmp_path / "d.npz", X=np.random.default_rng(0).standard_normal((60, 2, 3)))
    code, _, err = softsym("check", "d.npz", "--in", "2V", "--groups", "O(3)")
    assert code == 0
    assert err.strip() == (
        "softsym: warning: d.npz: `X` has shape (60, 2, 3); each row is flattened to 6 columns, the last axis fastest"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("ball.csv", "--in", "S + V", "--groups", "O(3)"), "line 2: column 'id' holds 'run0', which is no number"),
        (("ball.csv", "--x-columns", "x..z", *ASKED[2:]), "S + V under O(3) has size 4, X has 3 columns; pass"),
        (("ball.csv", "--x-columns", "mas..z", *ASKED[2:]), "no column 'mas'; did you mean 'mass'?"),
        (("ball.csv", "--x-columns", "mass..z"), "pass how the columns of ball.csv transform, as in --in"),
        (("ball.csv", *ASKED, "--normalisation", "magic"), "unknown normalisation 'magic'; pass one of none"),
        (("ball.csv", *ASKED, "--normalisation", "scale-aware"), "is for trajectories"),
        (("ball.csv", *ASKED, "O(2)"), "all groups must act on the same space"),
        (("ball.csv", *ASKED, "Q(3)"), "unknown group"),
        (("none.csv", *ASKED), "there is no file none.csv"),
        (("balls", *ASKED), "'balls' is neither a file nor a task"),
        ((".", *ASKED), ". is a folder; pass a file in it"),
        (("inertia", "--x-columns", "a"), "is a task, which knows its columns"),
        (("ball.csv", *ASKED, "--json", "no/such/folder/x.json"), "cannot write no/such/folder/x.json"),
    ],
)
def test_bad_input_is_one_line_exit_code_two_and_writes_nothing(softsym, ball, tmp_path, arguments, message):
    before = sorted(tmp_path.iterdir())
    code, out, err = softsym("check", *arguments)
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1
    assert err.startswith("softsym: error: ")
    assert out == ""
    assert sorted(tmp_path.iterdir()) == before


def test_help_has_an_example_and_bad_options_are_refused():
    command = [sys.executable, "-m", "softsym.cli.main", "check"]
    done = subprocess.run([*command, "--help"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0
    assert "Example: softsym check measured.csv" in done.stdout
    done = subprocess.run([*command, "inertia", "--sed", "1"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2


def test_outputs_are_tested_too(softsym, tmp_path):
    X = np.random.default_rng(0).standard_normal((150, 3))
    np.savez(tmp_path / "pulls.npz", X=X, Y=X * np.sum(X**2, axis=1, keepdims=True) + [0, 0, 2.0])
    asked = ("pulls.npz", "--in", "V", "--groups", "O(3)", "O(2)@z")
    code, out, err = softsym("check", *asked, "--out", "V")
    assert code == 0, err
    assert "Evidence" in out
    assert "exact" in out
    code, out, _ = softsym("check", *asked, "--out", "V", "--json", "-")
    rows = {row["name"]: row for row in json.loads(out)["evidence"]}
    assert rows["O(3)"]["p_value"] < 0.01 < rows["O(2)@z"]["p_value"]
    code, out, _ = softsym("check", *asked)
    assert "Evidence" not in out
    code, _, err = softsym("check", *asked, "--y-columns", "Y")
    assert code == 2
    assert "--y-columns are outputs: pass how they transform too" in err


def test_repeated_rows_and_rows_that_are_too_few(softsym, tmp_path):
    X = np.random.default_rng(0).standard_normal((60, 3))
    np.savez(tmp_path / "rows.npz", X=np.concatenate([X, X[:5]]), Y=np.ones(65))  # constant outputs do not matter
    asked = ("rows.npz", "--in", "V", "--groups", "O(3)")
    code, out, err = softsym("check", *asked, "--json", "-", "--quiet")
    assert code == 0, err
    written = json.loads(out)
    assert (written["schema"], written["rows"], written["repeated"], written["rep_in"]) == (1, 65, 5, "V")
    np.savez(tmp_path / "rows.npz", X=X[:40])
    code, _, err = softsym("check", *asked)
    assert code == 2
    assert "rows.npz has 40 rows; at least 50" in err
    np.savez(tmp_path / "rows.npz", X=X)
    code, _, err = softsym("check", "rows.npz", "--in", "2V", "--groups", "O(3)")
    assert "2V under O(3) has size 6, X has 3 columns" in err
