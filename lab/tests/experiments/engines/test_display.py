"""What is shown of a grid: a bar, lines, or nothing."""

import json
import sys
import time

import pytest
import rich.console
from lab.tests.experiments.small import record, small_runs

from softsym_lab.experiments.engines import display as module
from softsym_lab.experiments.engines.display import describe, display
from softsym_lab.experiments.engines.engine import Job, RunOutcome
from softsym_lab.experiments.engines.estimate import Estimate


@pytest.fixture
def jobs(tmp_path):
    return [Job(spec, tmp_path / str(k)) for k, spec in enumerate(small_runs(tmp_path)[:2])]


def finish(jobs, estimate, quiet=False, pause=0.0):
    with display(jobs, 5, estimate, 1, quiet=quiet) as shown:
        shown.tick()
        time.sleep(pause)
        shown.ended(jobs[0], RunOutcome("done", record(jobs[0].spec, 0.5)))
        shown.ended(jobs[1], RunOutcome("failed", error="ValueError: no"))


def test_a_line_for_every_run_where_there_is_no_terminal(jobs, capsys):
    finish(jobs, Estimate({job.spec: 1.0 for job in jobs}))
    assert capsys.readouterr().err.splitlines() == [
        "2 of 5 runs to do, about 2 min left",
        "[4/5] inertia:Oz(2) per seed 0: MSE 0.5 after 20 epochs, 30 s; about 60 s left",
        "[5/5] inertia:soft per seed 0: failed, ValueError: no; all done",
    ]


def test_quiet_and_nothing_to_do_show_nothing(jobs, capsys):
    finish(jobs, Estimate({}), quiet=True)
    with display([], 5, Estimate({}), 1, quiet=False):
        pass
    assert capsys.readouterr().err == ""


def test_a_bar_in_a_terminal_says_how_far_runs_have_come(jobs, monkeypatch, capsys):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    made = rich.console.Console
    monkeypatch.setattr(rich.console, "Console", lambda **options: made(**options, force_terminal=True, width=150))
    monkeypatch.setattr(module, "PERIOD", -1.0)
    jobs[0].folder.mkdir()
    (jobs[0].folder / "history.jsonl").write_text(json.dumps({"epoch": 7, "seconds": 3.0}) + "\n")
    finish(jobs, Estimate({}), pause=0.4)  # a few refreshes of the bar
    shown = capsys.readouterr().err
    assert "inertia:Oz(2) per seed 0 epoch 7" in shown
    assert "failed, ValueError: no" in shown
    assert "5/5" in shown


def test_a_busy_run_is_said_to_be(jobs, capsys):
    with display(jobs[:1], 1, Estimate({}), 1, quiet=False) as shown:
        shown.ended(jobs[0], RunOutcome("busy"))
    assert "another process is running it; all done" in capsys.readouterr().err


def test_runs_in_few_words(tmp_path):
    from dataclasses import replace

    spec = small_runs(tmp_path)[0]
    full = replace(spec, model="emlp", group="O(3)", early_stopping=False, seed=2)
    assert describe(Job(full, tmp_path)) == "inertia:Oz(2) emlp O(3) full seed 2"
