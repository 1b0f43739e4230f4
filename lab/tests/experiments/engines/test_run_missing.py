"""Running a grid: nothing twice, failures noted."""

import json

from lab.tests.experiments.small import record, small_runs

from softsym_lab.experiments.engines.engine import Engine, RunOutcome
from softsym_lab.experiments.engines.estimate import Estimate
from softsym_lab.experiments.engines.run_missing import missing, run_missing
from softsym_lab.experiments.store import Store, name


class Recorded(Engine):
    """An engine that trains nothing."""

    name = "recorded"

    def __init__(self, failing=()):
        super().__init__(1)
        self.seen, self.failing = [], failing

    def outcomes(self, jobs, tick=lambda: None):
        for job in jobs:
            tick()
            self.seen.append(job.spec)
            if job.spec in self.failing:
                yield job, RunOutcome("failed", error="ValueError: no")
            else:
                yield job, RunOutcome("done", record(job.spec, 0.5))


def test_nothing_is_done_twice(tmp_path, capsys):
    runs, store = small_runs(tmp_path, 2), Store(tmp_path / "store")
    engine = Recorded()
    tally = run_missing(runs, store, engine, Estimate({}))
    assert (tally.total, tally.done, tally.failed) == (10, 10, {})
    assert engine.seen == runs
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("10 of 10 runs to do, about")
    assert lines[-1].startswith("[10/10] ")
    assert lines[-1].endswith("all done")
    again = Recorded()
    assert run_missing(runs, Store(tmp_path / "store"), again, Estimate({})).done == 10
    assert again.seen == []


def test_failures_are_noted_and_tried_again(tmp_path, capsys):
    runs, store = small_runs(tmp_path), Store(tmp_path / "store")
    tally = run_missing(runs, store, Recorded(failing=runs[:1]), Estimate({}))
    assert tally.failed == {name(runs[0]): "ValueError: no"}
    assert tally.done == len(runs) - 1
    assert "failed, ValueError: no" in capsys.readouterr().err
    left = json.loads((store.work(runs[0]) / "error.json").read_text())
    assert left["error"] == "ValueError: no"
    assert [job.spec for job in missing(runs, store)] == runs[:1]
    assert run_missing(runs, store, Recorded(), Estimate({}), quiet=True).failed == {}
    assert capsys.readouterr().err == ""


def test_a_run_that_another_process_is_at_is_no_failure(tmp_path):
    class Busy(Recorded):
        def outcomes(self, jobs, tick=lambda: None):
            yield from ((job, RunOutcome("busy")) for job in jobs)

    runs, store = small_runs(tmp_path)[:1], Store(tmp_path / "store")
    tally = run_missing(runs, store, Busy(), Estimate({}), quiet=True)
    assert tally.failed == {name(runs[0]): "another process is running it"}
    assert not store.work(runs[0]).exists()
    assert store.records() == []


def test_the_estimate_learns_from_every_run(tmp_path):
    runs, estimate = small_runs(tmp_path)[:2], Estimate({})
    run_missing(runs[:1], Store(tmp_path / "store"), Recorded(), estimate, quiet=True)
    assert estimate.seconds(runs[0]) == record(runs[0]).result.seconds
