"""``softsym discover`` and ``softsym predict`` as a person runs them."""

import json
import os
import shlex
import signal
import subprocess
import sys
import time

import numpy as np
import polars
import pytest
import torch

import softsym as ss
from softsym.cli import main
from softsym.cli.discover import default_folder
from tests.discovery.small import rows

NAMES = ["ax", "ay", "az", "bx", "by", "bz", "u", "v", "w"]
ASKED = (
    "flights.csv",
    "--x-columns",
    "ax..bz",
    "--y-columns",
    "u..w",
    "--in",
    "2V",
    "--out",
    "V",
    "--groups",
    "O(2)@x",
    "O(2)@z",
    "--model",
    "network",
    "--width",
    "16",
    "--layers",
    "2",
    "--strength",
    "10",
)
SHORT = (*ASKED, "--epochs", "20", "--seeds", "1")


@pytest.fixture
def softsym(capsys, monkeypatch, tmp_path):
    """Runs the command in a folder with one file; gives exit code, output and errors."""
    monkeypatch.chdir(tmp_path)
    X, Y = rows()
    polars.DataFrame(np.hstack([X, Y]), schema=NAMES).write_csv("flights.csv")

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["softsym", *arguments])
        with pytest.raises(SystemExit) as ended:
            main.run()
        captured = capsys.readouterr()
        return ended.value.code or 0, captured.out, captured.err

    return run


def test_the_whole_job(softsym, tmp_path):
    code, out, err = softsym("discover", *SHORT, "--out-dir", "found", "--quiet")
    assert code == 0, err
    assert "O(2)@z" in out
    assert "Report: found" in out
    assert "kernel ridge regression" in out
    assert out.count("returned") == 1
    assert sorted(path.name for path in (tmp_path / "found").iterdir()) == [
        "manifest.json",
        "model",
        "report.html",
        "symmetries.json",
    ]
    assert not (tmp_path / "found.partial").exists()
    content = json.loads((tmp_path / "found" / "symmetries.json").read_text())
    assert {"schema", "rep_in", "rep_out", "seeds", "seconds", "test_mse", "groups", "built_in", "baselines"} <= set(
        content
    )
    assert content["schema"] == 2
    assert {"model", "blend", "why", "evidence", "explained"} <= set(content)
    assert "Evidence, " in out
    for row in content["groups"]:
        assert row["verdict"] in ("exact", "soft", "absent", "undecided")
        assert {
            "name",
            "error",
            "error_interval",
            "residual",
            "strength",
            "p_value",
            "log_evidence",
            "tolerance",
            "note",
        } <= set(row)
    assert "<!doctype html>" in (tmp_path / "found" / "report.html").read_text()[:200].lower()
    est = ss.load("found/model")
    assert est.feature_names_in_.tolist() == NAMES[:6]

    code, out, err = softsym("discover", *SHORT, "--out-dir", "found", "--quiet")
    assert code == 2
    assert "found exists already; pass another --out-dir, or --force" in err

    for target in ("p.csv", "p.parquet", "p.npz"):
        code, out, err = softsym("predict", "found/model", "flights.csv", "-o", target)
        assert code == 0, err
        assert out == f"240 predictions in {target}\n"
    frame = polars.read_csv("p.csv")
    assert frame.columns[:3] == ["u", "v", "w"]
    assert np.allclose(frame["u"], est.fit_.predict(rows()[0])[:, 0], atol=1e-6)
    code, out, err = softsym("predict", "found/model", "flights.csv", "-o", "p.csv")
    assert code == 2
    assert "p.csv exists already" in err


def test_json_to_standard_output(softsym):
    code, out, _ = softsym("discover", *SHORT, "--json", "-", "--quiet")
    assert code == 0
    assert json.loads(out)["rep_in"] == "2V"


def test_a_task_knows_its_columns(softsym):
    code, out, err = softsym("discover", "golfball:wind=y", "--model", "linear", "--quiet")
    assert code == 0, err
    assert "O(2)@y" in out


WRONG = {
    "size": ({"--in": "3V"}, "3V under O(2)@x has size 9, X has 6 columns"),
    "group": ({"--groups": "O(2)@w"}, "expected an axis x, y or z"),
    "rep": ({"--out": "Q"}, "Q"),
    "column": ({"--x-columns": "ax..bq"}, "bq"),
    "model": ({"--model": "forest"}, "unknown model 'forest'; pass one of auto, linear, gp, network"),
    "particles": ({"--in": "2S + 2V", "--groups": "S(2)"}, "if S(2) permutes equal particles, write their columns"),
    "strengths": ({"--strengths": "often"}, "unknown rule of strengths 'often'; pass one of"),
}


@pytest.mark.parametrize(("changes", "message"), WRONG.values(), ids=list(WRONG))
def test_bad_input_is_one_line_and_writes_nothing(softsym, tmp_path, changes, message):
    code, out, err = softsym("discover", *SHORT, *[text for pair in changes.items() for text in pair], "--quiet")
    assert code == 2
    assert message in err
    assert err.count("\n") == 1
    assert out == ""
    assert [path.name for path in tmp_path.iterdir()] == ["flights.csv"]


def test_what_is_missing_is_named(softsym):
    code, _, err = softsym("discover", "flights.csv", "--x-columns", "ax..bz", "--y-columns", "u..w")
    assert code == 2
    assert "pass --in, --out, as in" in err


def test_a_file_alone_gets_advice(softsym, tmp_path):
    code, _, err = softsym("discover", "flights.csv")
    assert code == 2
    assert "its columns are ax, ay, az, bx, by, bz, u, v, w" in err
    assert "softsym discover flights.csv --x-columns ax,ay,az,u,v,w --y-columns bx,by,bz --in 'V + 3S' --out V" in err
    assert not (tmp_path / "softsym-flights").exists()


def test_the_advice_on_a_file_with_text_can_be_copied(softsym, tmp_path):
    X, Y = rows()
    table = polars.DataFrame(np.hstack([X, Y]), schema=["ax", "ay", "az", "bx", "by", "bz", "cx", "cy", "cz"])
    table.with_columns(day=polars.lit("monday")).write_csv("text.csv")
    _, _, err = softsym("discover", "text.csv")
    line = shlex.split(err.splitlines()[-1].partition("to copy: ")[2])
    assert line[:2] == ["softsym", "discover"]
    assert softsym(*line[1:], "--model", "linear")[0] == 0
    assert (tmp_path / "softsym-text" / "report.html").exists()


def test_it_says_at_once_what_it_works_on(softsym):
    _, _, err = softsym("discover", *(word if word != "network" else "linear" for word in ASKED))
    assert err.splitlines()[0].endswith(" rows, 2 candidate groups")


def test_without_groups_the_data_propose_them(softsym, tmp_path):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((150, 3))
    Y = X * [1.0, 1.0, 2.0] + np.sum(X**2, axis=1, keepdims=True) * [0.0, 0.0, 0.3]
    np.savez("drawn.npz", X=X, Y=Y + 0.01 * rng.standard_normal(Y.shape))
    asked = ("drawn.npz", "--in", "V", "--out", "V", "--model", "linear", "--seeds", "1", "--out-dir", "found")
    code, _, err = softsym("discover", *asked)
    assert code == 0, err
    assert "note: the data propose O(2)@z, SO(2)@z" in err
    content = json.loads((tmp_path / "found" / "symmetries.json").read_text())
    assert [row["name"] for row in content["groups"]][:2] == ["O(2)@z", "SO(2)@z"]


def test_equal_particles(softsym, tmp_path):
    X = np.random.default_rng(0).standard_normal((120, 6))
    np.savez(tmp_path / "springs.npz", X=X, Y=np.sum(X[:, :2] * X[:, 2:4] + X[:, 4:] ** 2, axis=1)[:, None])
    asked = ("springs.npz", "--in", "3x(V)", "--out", "S", "--groups", "O(2)", "S(3)")
    code, out, err = softsym("discover", *asked, "--model", "gp", "--quiet")
    assert code == 0, err
    assert "S(3)" in out
    found = json.loads((tmp_path / "softsym-springs" / "symmetries.json").read_text())
    assert {row["name"]: row["verdict"] for row in found["groups"]} == {"O(2)": "exact", "S(3)": "absent"}
    assert (found["rep_in"], found["rep_out"]) == ("3x(V)", "S")
    assert softsym("predict", "softsym-springs/model", "springs.npz", "-o", "out.csv")[0] == 0
    code, out, err = softsym("check", *asked)
    assert code == 0, err
    assert "it keeps O(2) and S(3) exactly" in " ".join(out.split())
    code, out, err = softsym("propose", *asked[:5])
    assert code == 0, err
    assert "O(2)" in out


def test_where_nothing_is_proposed_there_is_a_report(softsym, tmp_path):
    rng = np.random.default_rng(0)
    np.savez("noise.npz", X=rng.standard_normal((80, 3)), Y=rng.standard_normal((80, 3)))
    asked = ("noise.npz", "--in", "V", "--out", "V", "--groups", "auto", "--out-dir", "found", "--model", "gp")
    code, _, err = softsym("discover", *asked)
    assert code == 0, err
    assert "nothing sure; nearly found: " in err
    assert json.loads((tmp_path / "found" / "symmetries.json").read_text())["built_in"] == []
    assert "nothing sure; nearly found: " in (tmp_path / "found" / "report.html").read_text()


def test_a_wrong_model_is_one_line(softsym, tmp_path):
    code, _, err = softsym("predict", "nowhere", "flights.csv", "-o", "p.csv")
    assert code == 2
    assert "nowhere holds no softsym model" in err
    code, _, err = softsym("predict", "nowhere", "flights.csv", "-o", "p.txt")
    assert "p.txt must end in .npz, .csv, .tsv, .parquet" in err


def start(folder, *more):
    command = [sys.executable, "-m", "softsym.cli.main", "discover", *ASKED, "--epochs", "60", "--seeds", "2"]
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    return subprocess.Popen([*command, *more], cwd=folder, start_new_session=True, **pipes)


@pytest.mark.parametrize("jobs", [pytest.param("1", marks=pytest.mark.slow), "2"])
def test_interrupted_and_resumed_equals_uninterrupted(softsym, tmp_path, jobs):
    """As Ctrl-C in a terminal, which reaches every process; resumed with another number of jobs."""
    whole = start(tmp_path, "--out-dir", "whole", "--jobs", "1")
    process = start(tmp_path, "--out-dir", "cut", "--jobs", jobs)
    members = tmp_path / "cut.partial" / "members"
    until = time.time() + 120
    while not list(members.glob("seed-*/history.jsonl")) and time.time() < until:
        time.sleep(0.05)
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=120)
    assert process.returncode == 130, err
    assert "interrupted; what has been learned is in cut.partial; add --resume" in err
    assert err.count("interrupted") == 1
    assert not (tmp_path / "cut").exists()

    again = start(tmp_path, "--out-dir", "cut")
    _, err = again.communicate(timeout=120)
    assert again.returncode == 2
    assert "pass --resume to go on with it" in err

    resumed = start(tmp_path, "--out-dir", "cut", "--resume", "--jobs", "3")
    _, err = resumed.communicate(timeout=240)
    assert resumed.returncode == 0, err
    _, err = whole.communicate(timeout=240)
    assert whole.returncode == 0, err
    X, _ = rows()
    a, b = (ss.load(tmp_path / name / "model") for name in ("whole", "cut"))
    assert np.array_equal(a.fit_.predict(X), b.fit_.predict(X))
    assert not (tmp_path / "cut.partial").exists()
    assert os.stat(tmp_path / "cut").st_mode & 0o777 == 0o755


def test_rows_of_one_label_stay_in_one_part(softsym, tmp_path):
    X, Y = rows()
    days = [f"day {k // 6}" for k in range(len(X))]
    frame = polars.DataFrame(np.hstack([X, Y]), schema=NAMES).with_columns(day=polars.Series(days))
    frame.write_csv("labelled.csv")
    asked = [text for text in SHORT if text not in ("--x-columns", "ax..bz")]
    asked[0] = "labelled.csv"  # inputs are the rest: not the labels
    code, _, err = softsym("discover", *asked, "--row-groups", "day")
    assert code == 0, err
    assert "note: there are 40 row groups; each stays in one part" in err
    fit = ss.load("softsym-labelled/model").fit_
    day_of = {tuple(row): day for row, day in zip(X.round(9), days, strict=True)}
    held = {day_of[tuple(row)] for row in fit.test.X.round(9)}
    assert fit.test.is_separate
    assert len(fit.test) == 6 * len(held)
    assert fit.n_train % 6 == 0


def test_labels_that_make_no_parts_are_one_line_and_write_nothing(softsym, tmp_path):
    before = polars.read_csv("flights.csv").with_columns(day=polars.Series(["mon", "tue"] * 120))
    before.write_csv("flights.csv")
    for column, message in (("day", "there are 2 row groups; at least 3"), ("week", "no column 'week'")):
        code, out, err = softsym("discover", *SHORT, "--rows-together", column, "--quiet")
        assert (code, out, err.count("\n")) == (2, "", 1)
        assert message in err
    assert [path.name for path in tmp_path.iterdir()] == ["flights.csv"]
    code, _, err = softsym("discover", "inertia", "--row-groups", "day")
    assert "is a task, which knows its row groups; leave out --row-groups" in err


def test_a_group_that_acts_trivially_is_undecided(softsym, tmp_path):
    code, out, err = softsym("discover", *SHORT, "--in", "6S", "--out", "3S", "--quiet")
    assert code == 0, err
    assert "undecided" in out
    found = json.loads((tmp_path / "softsym-flights" / "symmetries.json").read_text())["groups"]
    assert [row["name"] for row in found] == ["O(2)@x", "O(2)@z"]
    for row in found:
        assert row["verdict"] == "undecided"
        assert "trivially" in row["note"]
    page = (tmp_path / "softsym-flights" / "report.html").read_text()
    assert "it acts trivially on these data" in page


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is such a device")
def test_a_device_that_is_not_there(softsym, tmp_path):
    code, _, err = softsym("discover", *SHORT, "--quiet", "--device", "cuda")
    assert (code, err.count("\n")) == (2, 1)
    assert "finds no device 'cuda' here; pass one that is there: cpu" in err
    code, _, err = softsym("discover", *SHORT, "--device", "gpu")
    assert (code, err) == (2, "softsym: error: unknown device 'gpu'; pass one of cpu, cuda, mps\n")
    assert [path.name for path in tmp_path.iterdir()] == ["flights.csv"]


@pytest.mark.parametrize("seconds", [0.7, 2.5, 5.0])
def test_an_interrupt_is_obeyed_at_any_moment(softsym, tmp_path, seconds):
    """While it imports, computes closed forms, or fits trees: within two seconds, with one line."""
    command = [sys.executable, "-m", "softsym", "discover", "inertia", "--out-dir", "it"]
    pipes = {"stderr": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, cwd=tmp_path, start_new_session=True, **pipes)
    time.sleep(seconds)
    began = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert time.monotonic() - began < 3.0
    assert err.splitlines()[-1].startswith("softsym: interrupted; ")
    assert not (tmp_path / "it").exists()


def test_rows_that_lack_a_value_are_named_and_can_be_left_out(softsym, tmp_path):
    lines = (tmp_path / "flights.csv").read_text().splitlines()
    lines[7] = "," + lines[7].partition(",")[2]
    (tmp_path / "flights.csv").write_text("\n".join(lines))
    linear = [word if word != "network" else "linear" for word in SHORT]
    code, _, err = softsym("discover", *linear, "--quiet")
    assert code == 2
    assert "line 8: column 'ax' has no value" in err
    assert "--drop-missing" in err
    code, _, err = softsym("discover", *linear, "--quiet", "--drop-missing", "--out-dir", "found")
    assert code == 0, err
    assert "1 of 300 rows lack a value and are left out" in err or "rows lack a value" in err


def test_a_folder_of_other_people_is_refused_before_any_work(softsym, tmp_path):
    (tmp_path / "found").mkdir()
    (tmp_path / "found" / "symmetries.json").write_text("{}")
    code, _, err = softsym("discover", "nothing.csv", "--out-dir", "found", "--force")
    assert code == 2
    assert "was not written by softsym" in err
    assert (tmp_path / "found" / "symmetries.json").read_text() == "{}"


@pytest.mark.parametrize(
    ("data", "folder"),
    [
        ("runs/flights.csv.gz", "softsym-flights"),
        ("golfball:wind=y", "softsym-golfball-wind-y"),
        ("inertia:Oz(2)", "softsym-inertia-Oz-2"),
    ],
)
def test_results_are_named_after_the_data(data, folder):
    assert str(default_folder(data)) == folder
