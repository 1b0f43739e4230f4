"""One run in this process: its record or its error, a head start, and a history that figures can be drawn from."""

import json
from dataclasses import replace

import torch
from filelock import FileLock
from lab.tests.experiments.engine_jobs import bits, spec

import softsym as ss
from softsym_lab.experiments.engines.engine import Job
from softsym_lab.experiments.engines.execute import THREADS, environment, execute, take_head_start, thin_history
from softsym_lab.experiments.store import name
from softsym_lab.runs.runner import run


def test_a_full_schedule_goes_on_where_early_stopping_stopped(tmp_path):
    short = replace(spec(epochs=60), preset=spec(epochs=60).preset.model_copy(update={"patience": 1, "lr": 0.3}))
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
    kept = thin_history(rows, chosen)
    assert len(kept) < 70
    assert {33, 600, chosen.preset.adjust_at} <= {row["epoch"] for row in kept}
    assert kept[0] == {"epoch": 10, "loss": 0.333333}


def test_a_record_says_what_ran_and_under_what(tmp_path):
    before = torch.get_num_threads()
    try:
        outcome = execute(Job(spec(epochs=12), tmp_path / "run"))
        assert torch.get_num_threads() == THREADS == 1
    finally:
        torch.set_num_threads(before)
    assert outcome.status == "done", outcome.error
    assert outcome.record.spec == spec(epochs=12)
    assert outcome.record.environment["softsym"] == ss.__version__
    assert outcome.record.history[-1]["epoch"] == outcome.record.result.epochs
    assert [row["layer"] for row in outcome.record.weights] == [1, 2, 3, 4]  # of PER, which may leave the space
    assert json.loads((tmp_path / "run" / "result.json").read_text())["test_error"] == outcome.record.result.test_error


def test_errors_are_one_line_and_the_rest_is_in_a_file(tmp_path):
    bad = replace(spec(), task="inertia:nonsense")
    outcome = execute(Job(bad, tmp_path / "run"))
    assert outcome.status == "failed"
    assert outcome.error.startswith("InputError: task 'inertia:nonsense'")
    assert "\n" not in outcome.error
    assert "Traceback" in (tmp_path / "run" / "traceback.txt").read_text()


def test_a_locked_run_is_busy(tmp_path):
    with FileLock(tmp_path / ".lock"):
        assert execute(Job(spec(), tmp_path)).status == "busy"


def test_no_head_start_where_there_is_none_to_take(tmp_path):
    full = replace(spec(), early_stopping=False)
    mine = tmp_path / name(full)
    mine.mkdir()
    assert not take_head_start(spec(), tmp_path / name(spec()))  # stops early itself
    assert not take_head_start(full, mine)  # its twin has not run
    twin = tmp_path / name(spec())
    (twin / "checkpoints").mkdir(parents=True)
    (twin / "checkpoints" / "one").write_text("of the twin")
    (twin / "history.jsonl").write_text("{}\n")
    assert not take_head_start(full, mine)  # nor finished
    (twin / "result.json").write_text("{}")
    assert take_head_start(full, mine)
    assert (mine / "checkpoints" / "one").read_text() == "of the twin"
    assert sorted(path.name for path in mine.iterdir()) == ["checkpoints", "history.jsonl"]
    (mine / "checkpoints" / "one").write_text("my own")
    assert not take_head_start(full, mine)  # it has begun
    assert (mine / "checkpoints" / "one").read_text() == "my own"


def test_a_head_start_that_was_cut_off_is_taken_again(tmp_path):
    full = replace(spec(), early_stopping=False)
    mine, twin = tmp_path / name(full), tmp_path / name(spec())
    for folder in (mine, twin):
        (folder / "checkpoints").mkdir(parents=True)
    (twin / "checkpoints" / "one").write_text("of the twin")
    (twin / "history.jsonl").write_text("{}\n")
    (twin / "result.json").write_text("{}")
    assert take_head_start(full, mine)
    assert (mine / "checkpoints" / "one").read_text() == "of the twin"


def test_the_environment_is_plain():
    assert json.loads(json.dumps(environment())) == environment()
