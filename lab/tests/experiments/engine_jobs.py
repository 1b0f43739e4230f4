"""What every engine must do; each engine's own test file runs these."""

import os
import signal
import threading
import time
from dataclasses import replace

from lab.tests.runs.small import spec as small_spec
from safetensors.torch import load_file

from softsym_lab.experiments.engines.engine import Job
from softsym_lab.runs.runner import run


def spec(seed=0, **changes):
    return small_spec(seed=seed, **{"epochs": 24, "width": 12, **changes})


def bits(folder):
    return {name: value.numpy().tobytes() for name, value in load_file(folder / "model.safetensors").items()}


def same_bits_as_alone(engine, folder):
    """An engine's run ends in the same weights as the run alone, in this process."""
    job = Job(spec(), folder / "engine" / "run")
    outcomes = [outcome for _, outcome in engine.outcomes([job])]
    assert [outcome.status for outcome in outcomes] == ["done"], outcomes[0].error
    alone = run(spec(), folder / "alone", quiet=True)
    assert bits(job.folder) == bits(folder / "alone")
    assert outcomes[0].record.result.test_error == alone.test_error
    assert outcomes[0].record.environment["threads"] == 1
    assert outcomes[0].record.history[-1]["epoch"] == alone.epochs


def failure_stops_no_other_run(engine, folder):
    """A run that fails is an outcome like others."""
    bad = replace(spec(), preset=spec().preset.model_copy(update={"lr": 1e30}))
    jobs = [Job(bad, folder / "bad"), Job(spec(), folder / "good")]
    found = {job.folder.name: outcome for job, outcome in engine.outcomes(jobs)}
    assert found["bad"].status == "failed"
    assert "TrainingError: the loss became" in found["bad"].error
    assert "Traceback" in (folder / "bad" / "traceback.txt").read_text()
    assert found["good"].status == "done"


def killed_and_taken_up_again(engine, folder):
    """A worker that is killed in the middle is replaced, and the result is as if nothing had happened."""
    long = spec(epochs=240)
    job, killed = Job(long, folder / "run"), []

    def kill_in_training():
        history = job.folder / "history.jsonl"
        while not (history.exists() and history.read_text().count("\n") > 60):
            time.sleep(0.02)
        killed.append(int((job.folder / "worker.pid").read_text()))
        os.kill(killed[0], signal.SIGKILL)

    killer = threading.Thread(target=kill_in_training, daemon=True)
    killer.start()
    outcomes = [outcome for _, outcome in engine.outcomes([job])]
    killer.join(timeout=5)
    assert [outcome.status for outcome in outcomes] == ["done"], outcomes[0].error
    assert killed
    assert int((job.folder / "worker.pid").read_text()) != killed[0]
    run(long, folder / "alone", quiet=True)
    assert bits(job.folder) == bits(folder / "alone")
