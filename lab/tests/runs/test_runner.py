"""Whole runs: folders, results, and being killed at any moment."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
import torch
from lab.tests.runs.small import TASK, cli, preset, result, spec
from safetensors.torch import load_file

from softsym.datasets import task
from softsym.errors import InputError
from softsym_lab.experiments.engines.execute import load_network, weight_rows
from softsym_lab.runs.runner import flat, run, tensorboard
from softsym_lab.runs.spec import RunSpec

OPTIONS = ("--epochs", 60, "--width", 16, "--quiet")


def test_a_run_leaves_a_folder_that_tells_all(tmp_path):
    found = run(spec(), tmp_path / "run", quiet=True)
    assert found.model_errors.keys() == found.strengths.keys() == {"O(2)@x", "O(2)@y", "O(2)@z"}
    assert found.data_errors["O(2)@z"] < 1e-6 < 0.1 < found.data_errors["O(2)@x"]
    assert found.test_error > 0
    names = {path.name for path in (tmp_path / "run").iterdir()}
    assert names == {"spec.json", "history.jsonl", "checkpoints", "model.safetensors", "result.json"}
    assert result(tmp_path / "run")["test_error"] == found.test_error
    again = run(spec(), tmp_path / "run", resume=True, quiet=True)
    assert again == found


def test_a_folder_is_never_overwritten(tmp_path):
    run(spec(model="mlp"), tmp_path, quiet=True)
    with pytest.raises(InputError, match="holds a run already; pass --resume"):
        run(spec(model="mlp"), tmp_path, quiet=True)
    with pytest.raises(InputError, match="holds another run"):
        run(spec(model="mlp", seed=1), tmp_path, resume=True, quiet=True)


def test_what_is_refused_claims_no_folder(tmp_path):
    with pytest.raises(InputError, match=r"which take .* GB to train"):
        run(spec(width=1_000_000), tmp_path, quiet=True)
    assert not list(tmp_path.iterdir())


def test_the_usual_size_of_inputs_is_that_of_the_training_rows(tmp_path):
    numbers = preset().model_copy(update={"canonical_scale": True, "task": "cossim:SO(3)"})
    canonical = RunSpec(numbers.task, "per", numbers)
    found = run(canonical, tmp_path, quiet=True)
    model = load_network(canonical, tmp_path / "model.safetensors")
    rows = task(numbers.task).splits(0, numbers.sizes).train[0]
    assert float(model.usual_size) == pytest.approx(float(rows.norm(dim=1).median()))
    assert found.residuals.keys() == {"SO(3)", "Scaling(3)"}
    assert len(weight_rows(canonical, tmp_path)) == numbers.layers
    (tmp_path / "result.json").unlink()
    assert run(canonical, tmp_path, resume=True, quiet=True).test_error == found.test_error


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    folder = tmp_path_factory.mktemp("whole") / "run"
    done = cli(*OPTIONS, "--out-dir", folder)
    assert done.returncode == 0, done.stderr
    return load_file(folder / "model.safetensors"), result(folder)


@pytest.mark.slow
@pytest.mark.parametrize("moment", [0.05, 0.3, 0.8])
def test_killed_at_any_moment_and_resumed(tmp_path, uninterrupted, moment):
    folder = tmp_path / "run"
    command = [sys.executable, "-m", "softsym.cli.main", "train", TASK, *map(str, OPTIONS), "--out-dir", str(folder)]
    history = folder / "history.jsonl"
    ends = []
    for _ in range(3):
        again = ["--resume"] if folder.exists() else []
        before = history.stat().st_mtime_ns if history.exists() else 0
        process = subprocess.Popen(command + again, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        # Training writes the history, so a change of it means that the process is past its imports.
        while not (history.exists() and history.stat().st_mtime_ns != before):
            if process.poll() is not None or time.monotonic() > deadline:
                break
            time.sleep(0.01)
        time.sleep(moment)
        process.send_signal(signal.SIGKILL)
        ends.append(process.wait())
    assert -signal.SIGKILL in ends  # it really was killed, not merely finished
    done = cli(*OPTIONS, "--out-dir", folder, "--resume")
    assert done.returncode == 0, done.stderr
    tensors, whole = uninterrupted
    ours = load_file(folder / "model.safetensors")
    assert ours.keys() == tensors.keys()
    assert all(torch.equal(ours[name], tensors[name]) for name in tensors)
    assert result(folder)["strengths"] == whole["strengths"]


@pytest.mark.slow
def test_two_processes_equal_one(tmp_path):
    options = ("--epochs", 12, "--width", 16, "--quiet", "--model", "per")
    assert cli(*options, "--out-dir", tmp_path / "one").returncode == 0
    environment = {**os.environ, "MASTER_ADDR": "127.0.0.1", "GLOO_SOCKET_IFNAME": "lo"}
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node=2"]
    command = [
        *torchrun,
        "-m",
        "softsym.cli.main",
        "train",
        TASK,
        *map(str, options),
        "--out-dir",
        str(tmp_path / "two"),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, env=environment)
    assert done.returncode == 0, done.stderr[-2000:]
    one, two = (load_file(tmp_path / name / "model.safetensors") for name in ("one", "two"))
    for name in one:
        torch.testing.assert_close(two[name], one[name], rtol=1e-3, atol=1e-4)
    histories = [(tmp_path / name / "history.jsonl").read_text().splitlines() for name in ("one", "two")]
    for a, b in zip(*histories, strict=True):
        assert json.loads(b)["loss"] == pytest.approx(json.loads(a)["loss"], rel=1e-3)


@pytest.mark.slow
def test_devices_start_their_own_processes(tmp_path):
    done = cli("--epochs", 12, "--width", 16, "--quiet", "--devices", 2, "--out-dir", tmp_path / "run")
    assert done.returncode == 0, done.stderr[-2000:]
    assert result(tmp_path / "run")["epochs"] == 12


def test_without_tensorboard_the_message_says_what_to_install(tmp_path, monkeypatch):
    import builtins

    real = builtins.__import__

    def without(name, *args, **kwargs):
        if name.startswith("torch.utils.tensorboard"):
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(InputError, match=r"pip install 'softsym-lab\[track\]'"):
        tensorboard(tmp_path)


def test_rows_are_flattened():
    row = {"epoch": 2, "loss": 1, "validation": None, "residuals": {"O(3)": 0.5}}
    assert flat(row) == {"loss": 1.0, "residuals/O(3)": 0.5}


def test_scalars_are_written(tmp_path):
    pytest.importorskip("tensorboard")
    note = tensorboard(tmp_path)
    note({"epoch": 1, "loss": 0.5})
    assert any(tmp_path.iterdir())
