"""Carrying out a grid: nothing twice, failures noted, and the full schedule goes on where early stopping stopped."""

from dataclasses import replace

from softsym.experiments.engines.carry_out import carry_out, missing
from softsym.experiments.engines.engine import Engine
from softsym.experiments.engines.estimate import Estimate
from softsym.experiments.engines.execute import execute, thinned
from softsym.experiments.engines.job import Job, Outcome
from softsym.experiments.store import Store, name
from softsym.training import run
from tests.experiments.engine_jobs import bits, spec
from tests.experiments.small import record, small_runs


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
                yield job, Outcome("failed", error="ValueError: no")
            else:
                yield job, Outcome("done", record(job.spec, 0.5).result.to_dict(), None, {"threads": 1}, [])


def test_nothing_is_done_twice(tmp_path, capsys):
    runs, store = small_runs(tmp_path, 2), Store(tmp_path / "store")
    engine = Recorded()
    tally = carry_out(runs, store, engine, Estimate({}))
    assert (tally.total, tally.done, tally.failed) == (10, 10, {})
    assert engine.seen == runs
    lines = capsys.readouterr().err.splitlines()
    assert lines[0].startswith("10 of 10 runs to do, about")
    assert lines[-1].startswith("[10/10] ")
    assert lines[-1].endswith("all done")
    again = Recorded()
    assert carry_out(runs, Store(tmp_path / "store"), again, Estimate({})).done == 10
    assert again.seen == []


def test_failures_are_noted_and_tried_again(tmp_path, capsys):
    runs, store = small_runs(tmp_path), Store(tmp_path / "store")
    tally = carry_out(runs, store, Recorded(failing=runs[:1]), Estimate({}))
    assert tally.failed == {name(runs[0]): "ValueError: no"}
    assert tally.done == len(runs) - 1
    assert "failed, ValueError: no" in capsys.readouterr().err
    assert store.failure(runs[0]) == "ValueError: no"
    assert [job.spec for job in missing(runs, store)] == runs[:1]
    assert carry_out(runs, store, Recorded(), Estimate({}), quiet=True).failed == {}
    assert capsys.readouterr().err == ""


def test_a_full_schedule_goes_on_where_early_stopping_stopped(tmp_path):
    short = replace(
        spec(epochs=60), preset=spec(epochs=60).preset.model_copy(update={"patience": 1, "lr": 0.3})
    )
    full = replace(short, early_stopping=False)
    for one in (short, full):
        outcome = execute(Job(one, tmp_path / "work" / name(one)))
        assert outcome.status == "done", outcome.error
    stopped, gone_on = (tmp_path / "work" / name(one) for one in (short, full))
    alone = run(full, tmp_path / "alone", quiet=True)
    assert bits(gone_on) == bits(tmp_path / "alone")
    epochs = [len((folder / "history.jsonl").read_text().splitlines()) for folder in (stopped, gone_on)]
    assert epochs[0] < epochs[1] == alone.epochs == 60
    assert (stopped / "history.jsonl").read_text() in (gone_on / "history.jsonl").read_text()  # times and all


def test_a_thinned_history_keeps_what_figures_need():
    chosen = spec(epochs=600)
    rows = [{"epoch": k, "loss": 1 / 3, "lr": 1.0} for k in range(1, 601)]
    rows[32]["errors"] = {"O(3)": 2 / 3}
    kept = thinned(rows, chosen)
    assert len(kept) < 70
    assert {33, 600, chosen.preset.adjust_at} <= {row["epoch"] for row in kept}
    assert kept[0] == {"epoch": 10, "loss": 0.333333}
