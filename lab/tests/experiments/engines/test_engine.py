"""Jobs and outcomes go from process to process as JSON."""

import json
import os

import pytest
from lab.tests.experiments.small import record, small_runs

from softsym.errors import InputError
from softsym_lab.experiments.engines.engine import Engine, Job, RunOutcome, cores


class Nothing(Engine):
    name = "nothing"

    def outcomes(self, jobs, tick=lambda: None):
        yield from ()


def test_a_job_comes_back(tmp_path):
    job = Job(small_runs(tmp_path)[0], tmp_path / "run")
    assert Job.from_dict(json.loads(json.dumps(job.to_dict()))) == job


def test_an_outcome_comes_back_with_all_of_its_record(tmp_path):
    done = RunOutcome("done", record(small_runs(tmp_path)[0], 0.5))
    for outcome in (done, RunOutcome("failed", error="ValueError: no"), RunOutcome("busy")):
        assert RunOutcome.from_dict(json.loads(json.dumps(outcome.to_dict()))) == outcome


def test_workers():
    assert Nothing().workers == cores()
    assert Nothing(3).workers == 3
    with pytest.raises(InputError, match="`workers` must be at least 1, got 0"):
        Nothing(0)


def test_cores_where_the_system_does_not_say_which(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 5)
    assert cores() == 5
