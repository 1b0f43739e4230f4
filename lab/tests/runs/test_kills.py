"""Runs and discoveries that are killed at random moments, a hundred times and more: weights identical, nothing left behind."""

import json
import multiprocessing
import os
import signal
import time

import numpy as np
import pytest
from lab.tests.runs.small import spec

from softsym.data.table import Table
from softsym.discovery.discover import Workspace, discover
from softsym.training.history import last_epoch
from softsym_lab.runs.runner import run
from tests.discovery.small import rows

KILLS = 100
CHOSEN = spec(epochs=24)
LEFT = {"spec.json", "history.jsonl", "checkpoints", "model.safetensors", "result.json"}


def _go(folder, resume):
    run(CHOSEN, folder, resume=resume, quiet=True)


def _started(folder):
    # Forked from here, where everything is imported and nothing has been computed: a new one takes no time to start.
    process = multiprocessing.get_context("fork").Process(target=_go, args=(folder, folder.exists()))
    process.start()
    return process


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_hundred_kills_at_random_moments(tmp_path):
    began = time.monotonic()
    whole = _started(tmp_path / "whole")
    whole.join()
    assert whole.exitcode == 0
    duration = time.monotonic() - began
    expected = (tmp_path / "whole" / "model.safetensors").read_bytes()
    rng, kills, epochs, number = np.random.default_rng(0), 0, set(), 0
    while kills < KILLS:
        number += 1
        folder = tmp_path / f"run-{number}"
        for _ in range(12):
            process = _started(folder)
            process.join(rng.uniform(0, 0.8 * duration))
            if process.exitcode is None:
                os.kill(process.pid, signal.SIGKILL)
                process.join()
                kills += 1
                epochs.add(last_epoch(folder / "history.jsonl"))
            else:
                assert process.exitcode == 0
        last = _started(folder)
        last.join()
        assert last.exitcode == 0
        assert (folder / "model.safetensors").read_bytes() == expected
        assert {path.name for path in folder.iterdir()} == LEFT
        assert all(path.name.startswith("epoch-") for path in (folder / "checkpoints").iterdir())
    assert len(epochs) > 3  # they were killed at different moments


def _discover(folder):
    X, Y = rows()
    table = Table(X, Y, tuple("abcdef"), tuple("uvw"), "rows")
    asked = {
        "rep_in": "2V",
        "rep_out": "V",
        "groups": ["O(2)@x", "O(2)@z"],
        "model": "network",
        "width": 16,
        "layers": 2,
        "strength": 10.0,
        "epochs": 150,
        "seeds": 2,
    }
    begun = folder.with_name(folder.name + ".partial").exists()
    discover(table, asked, Workspace(folder, resume=begun), title="rows")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_discovery_that_is_killed_ends_as_if_it_had_not_been(tmp_path):
    def started(folder):
        process = multiprocessing.get_context("fork").Process(target=_discover, args=(folder,))
        process.start()
        return process

    began = time.monotonic()
    whole = started(tmp_path / "whole")
    whole.join()
    assert whole.exitcode == 0
    duration = time.monotonic() - began
    expected = (tmp_path / "whole" / "model" / "tensors.safetensors").read_bytes()
    verdicts = _verdicts(tmp_path / "whole")
    rng, kills = np.random.default_rng(1), 0
    for number in range(3):
        folder = tmp_path / f"found-{number}"
        for _ in range(6):
            if folder.exists():
                break
            process = started(folder)
            process.join(rng.uniform(0.1, 0.7) * duration)
            if process.exitcode is None:
                os.kill(process.pid, signal.SIGKILL)
                process.join()
                kills += 1
        if not folder.exists():
            last = started(folder)
            last.join()
            assert last.exitcode == 0
        assert (folder / "model" / "tensors.safetensors").read_bytes() == expected
        assert _verdicts(folder) == verdicts
    assert kills >= 6
    assert {path.name for path in tmp_path.iterdir()} == {"whole", "found-0", "found-1", "found-2"}


def _verdicts(folder):
    content = json.loads((folder / "symmetries.json").read_text())
    return [(row["name"], row["verdict"], row["error"]) for row in content["groups"]]
