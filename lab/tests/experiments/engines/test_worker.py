"""The worker process: one job from its input, the outcome left in the job's folder."""

import json
import subprocess
import sys

from lab.tests.experiments.engine_jobs import spec

from softsym_lab.experiments.engines.engine import Job, RunOutcome
from softsym_lab.experiments.engines.worker import OUTCOME

COMMAND = [sys.executable, "-m", "softsym_lab.experiments.engines.worker"]


def test_the_outcome_is_left_in_the_folder(tmp_path):
    bad = spec().to_dict() | {"task": "inertia:nonsense"}
    job = {"spec": bad, "folder": str(tmp_path)}
    worker = subprocess.Popen(COMMAND, stdin=subprocess.PIPE)
    worker.stdin.write(json.dumps(job).encode() + b"\n")
    worker.stdin.flush()  # and stays open, as the engine's does
    assert worker.wait(timeout=120) == 0
    worker.stdin.close()
    outcome = RunOutcome.from_dict(json.loads((tmp_path / OUTCOME).read_text()))
    assert outcome.status == "failed"
    assert outcome.error.startswith("InputError: task 'inertia:nonsense'")


def test_nobody_works_for_an_engine_that_is_gone(tmp_path):
    job = Job(spec(epochs=2000), tmp_path / "run")
    line = json.dumps(job.to_dict()).encode() + b"\n"
    done = subprocess.run(COMMAND, input=line, timeout=120, check=False)  # the input ends at once
    assert done.returncode == 3
    assert not (job.folder / OUTCOME).exists()
