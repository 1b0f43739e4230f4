"""``softsym train``: options, errors, and being interrupted."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from lab.tests.runs.small import TASK, cli, result
from typer.testing import CliRunner

from softsym.cli.main import add_commands, app
from softsym.regularize.strengths import CONTROLLERS
from softsym_lab.zoo import MODELS
from tests.processes import invoke, started


@pytest.mark.slow
def test_interrupted_says_how_to_go_on(tmp_path):
    folder = tmp_path / "run"
    command = [sys.executable, "-m", "softsym.cli.main", "train", TASK, "--quiet", "--out-dir", str(folder)]
    process = started(command)
    deadline = time.monotonic() + 60
    while not (folder / "history.jsonl").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)
    assert process.returncode == 130
    assert stderr.splitlines()[-1].endswith("; add --resume to the same command to go on")
    assert "Traceback" not in stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--model", "magic"), "unknown model 'magic'; pass one of mlp, emlp,"),
        (
            ("--strengths", "often"),
            "unknown rule of strengths 'often'; pass one of one-shot, continuous, by-data, fixed",
        ),
        (("--model", "mlp", "--group", "O(3)"), "mlp takes no group"),
        (("--preset", "slow"), "preset"),
        (("--device", "gpu"), "unknown device 'gpu'; pass one of cpu, cuda, mps"),
        (("--model", "emlp", "--group", "Q(3)"), "unknown group"),
        (("--out-dir", "/proc/nowhere"), "cannot write to"),
        (("--epochs", 1), "early stopping counts"),
    ],
)
def test_bad_input_is_one_line_and_exit_code_two(tmp_path, arguments, message):
    done = invoke("train", TASK, "--quiet", *arguments, cwd=tmp_path)
    assert done.returncode == 2
    assert message in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert not (tmp_path / "runs").exists()


def test_the_table(tmp_path):
    done = invoke("train", TASK, "--epochs", 12, "--width", 12, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    for text in ("test MSE", "O(2)@z", "strength", "model error", "data error", "run folder: runs/"):
        assert text in done.stdout
    assert "epoch 12/12" in done.stderr  # plain lines when not a terminal


def test_help_lists_all_models_and_rules():
    add_commands()
    shown = " ".join(CliRunner().invoke(app, ["train", "--help"], env={"COLUMNS": "300"}).output.split())
    assert f"One of {', '.join(MODELS)}." in shown
    assert f"instead of the preset's: {', '.join(CONTROLLERS)}." in shown


@pytest.mark.slow
@pytest.mark.parametrize("model", ["augment", "sample"])
def test_baselines_that_learn_from_transformed_samples(tmp_path, model):
    options = ("--epochs", 12, "--width", 12, "--quiet", "--model", model, "--group", "O(2)@z")
    done = cli(*options, "--out-dir", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert result(tmp_path / "run")["model"] == model


def test_the_rule_is_written_into_the_spec_where_it_was_chosen(tmp_path):
    options = ("--epochs", 12, "--width", 12, "--quiet", "--strengths", "fixed")
    done = invoke("train", TASK, *options, "--out-dir", tmp_path / "run")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "run" / "spec.json").read_text())["preset"]["strengths"] == "fixed"
    assert set(result(tmp_path / "run")["strengths"].values()) == {100.0}


@pytest.mark.slow
def test_without_a_compiler_it_says_so_in_one_line(tmp_path):
    arguments = ["train", TASK, "--model", "mlp", "--width", "8", "--quiet", "--out-dir", str(tmp_path / "run")]
    done = subprocess.run(
        [sys.executable, "-m", "softsym.cli.main", *arguments],
        capture_output=True,
        text=True,
        timeout=240,
        env={**os.environ, "PATH": "/nowhere"},
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr.splitlines() == [
        "softsym: warning: training runs without compiled code, about half as fast: "
        "no C compiler (cc or gcc) was found (see `softsym doctor`)"
    ]
