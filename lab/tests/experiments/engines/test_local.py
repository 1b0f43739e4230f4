"""The local engine: same bits, failures, kills, and no process left behind."""

import json
import os
import subprocess
import sys
import time

import pytest
from filelock import FileLock
from lab.tests.experiments import engine_jobs as engines
from lab.tests.experiments.engine_jobs import spec

from softsym.errors import InputError
from softsym_lab.experiments.engines import local
from softsym_lab.experiments.engines.engine import Job, RunOutcome
from softsym_lab.experiments.engines.local import OUTCOME, Local


@pytest.mark.slow
def test_same_bits_as_alone(tmp_path):
    engines.same_bits_as_alone(Local(1), tmp_path)


def test_failure_stops_no_other_run(tmp_path):
    engines.failure_stops_no_other_run(Local(2), tmp_path)


@pytest.mark.slow
def test_killed_and_taken_up_again(tmp_path):
    engines.killed_and_taken_up_again(Local(1), tmp_path)


def test_a_process_that_always_dies_fails_in_the_end(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "executable", "/bin/false")
    outcomes = [outcome for _, outcome in Local(1).outcomes([Job(engines.spec(), tmp_path / "run")])]
    assert [outcome.status for outcome in outcomes] == ["failed"]
    assert outcomes[0].error == "its process died 3 times, last with exit code 1"


def test_a_run_that_another_process_is_at_is_left_alone(tmp_path):
    folder = tmp_path / "run"
    folder.mkdir()
    with FileLock(folder / ".lock"):
        outcomes = [outcome for _, outcome in Local(1).outcomes([Job(engines.spec(), folder)])]
    assert [outcome.status for outcome in outcomes] == ["busy"]
    assert not (folder / "history.jsonl").exists()


def pid_of_started(job):
    path, deadline = job.folder / "history.jsonl", time.monotonic() + 60
    while not path.exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    return int((job.folder / "worker.pid").read_text())


def is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_closing_the_engine_stops_its_workers(tmp_path):
    job, pids = Job(engines.spec(epochs=2000), tmp_path / "run"), []

    def interrupt():
        if (job.folder / "history.jsonl").exists():
            pids.append(int((job.folder / "worker.pid").read_text()))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        list(Local(1).outcomes([job], interrupt))
    assert not is_alive(pids[0])


@pytest.mark.slow
def test_workers_end_with_an_engine_that_was_killed(tmp_path):
    job = Job(engines.spec(epochs=2000), tmp_path / "run")
    script = (
        "import json, sys\nfrom softsym_lab.experiments.engines.engine import Job\n"
        "from softsym_lab.experiments.engines.local import Local\n"
        "list(Local(1).outcomes([Job.from_dict(json.loads(sys.argv[1]))]))"
    )
    import json

    engine = subprocess.Popen([sys.executable, "-c", script, json.dumps(job.to_dict())])
    pid = pid_of_started(job)
    engine.kill()
    engine.wait()
    deadline = time.monotonic() + 10
    while is_alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_alive(pid)


def test_workers():
    assert Local().workers == len(os.sched_getaffinity(0))
    assert local.THREADS == 1
    with pytest.raises(InputError, match="`workers` must be at least 1, got 0"):
        Local(0)


COMMAND = [sys.executable, "-m", "softsym_lab.experiments.engines.local"]


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


def test_no_process_works_for_an_engine_that_is_gone(tmp_path):
    job = Job(spec(epochs=2000), tmp_path / "run")
    line = json.dumps(job.to_dict()).encode() + b"\n"
    done = subprocess.run(COMMAND, input=line, timeout=120, check=False)  # the input ends at once
    assert done.returncode == 3
    assert not (job.folder / OUTCOME).exists()
