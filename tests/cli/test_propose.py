"""``softsym propose`` as a person runs it."""

import json
import sys

import numpy as np
import pytest

import softsym as ss
from softsym.cli import main


@pytest.fixture
def softsym(capsys, monkeypatch, tmp_path):
    """Runs the command in a folder with a file; gives exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 6))
    np.savez("cross.npz", X=X, Y=np.cross(X[:, :3], X[:, 3:]) + 0.02 * rng.standard_normal((150, 3)))

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["softsym", *arguments])
        with pytest.raises(SystemExit) as ended:
            main.run()
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return run


def test_table_words_json_and_picture(softsym, tmp_path):
    code, out, err = softsym(
        "propose", "cross.npz", "--in", "2V", "--out", "V", "--json", "found.json", "--picture", "found.html"
    )
    assert (code, err) == (0, "")
    assert "rotation about" in out
    assert "so(3)" in out
    fields = json.loads((tmp_path / "found.json").read_text())
    assert ss.group(fields["groups"][0]["text"]) == ss.SO(3)
    assert "plotly" in (tmp_path / "found.html").read_text()


def test_json_alone_on_standard_output(softsym):
    code, out, _ = softsym("propose", "cross.npz", "--in", "2V", "--out", "V", "--json", "-")
    assert code == 0
    assert json.loads(out)["algebra"] == "so(3)"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["cross.npz"], "pass how the columns of cross.npz transform"),
        (["cross.npz", "--in", "3V", "--out", "V"], "6 input and 3 output columns are not 3V and V"),
        (["cross.npz", "--in", "2Q", "--out", "V"], "expected a representation"),
        (["cross.npz", "--in", "2V", "--out", "V", "--picture", "x.doc"], "a figure is a file .html"),
        (["missing.npz", "--in", "2V", "--out", "V"], "missing.npz"),
    ],
)
def test_bad_input_is_one_line(softsym, arguments, message):
    code, _, err = softsym("propose", *arguments)
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1


def test_rows_that_lack_a_value_are_named_and_can_be_left_out(softsym, tmp_path):
    with np.load("cross.npz") as stored:
        X, Y = stored["X"], stored["Y"]
    table = np.hstack([X, Y])
    table[3, 2] = np.nan
    names = "a,b,c,d,e,f,u,v,w"
    lines = [names, *(",".join("" if np.isnan(value) else repr(float(value)) for value in row) for row in table)]
    (tmp_path / "cross.csv").write_text("\n".join(lines))
    asked = ("propose", "cross.csv", "--x-columns", "a..f", "--in", "2V", "--out", "V", "--json", "-")
    code, _, err = softsym(*asked)
    assert code == 2
    assert "line 5: column 'c' has no value" in err
    assert "--drop-missing" in err
    code, out, err = softsym(*asked, "--drop-missing", "--max-rows", "120")
    assert code == 0
    assert json.loads(out)["algebra"] == "so(3)"
