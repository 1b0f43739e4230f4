"""Runs that are killed at random moments, a hundred times: weights identical, nothing left behind."""

import multiprocessing
import os
import signal
import time

import numpy as np
import pytest

from softsym.training import run
from softsym.training.history import last_epoch
from tests.training.small import spec

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
