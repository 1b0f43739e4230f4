"""Planning, and rendering whatever the store holds; running is the engines' part."""

import csv
import json
from dataclasses import replace

import pytest
from lab.tests.experiments.engines.test_run_missing import Recorded
from lab.tests.experiments.small import PAPER, full_record, paper, record, rendered
from lab.tests.tasks.recorded.made_up import write_trials

from softsym.errors import InputError
from softsym_lab.experiments.engines.engine import Job
from softsym_lab.experiments.engines.estimate import UNKNOWN
from softsym_lab.experiments.engines.execute import execute
from softsym_lab.experiments.grid import cells, runs
from softsym_lab.experiments.reproduce import Output, plan, render, reproduce
from softsym_lab.experiments.store import Store
from softsym_lab.experiments.table_spec import BENCHMARKS, ORDER


def filled(folder, name, share=1.0, seeds=2):
    """A plan at the quick preset, and a store with a share of its runs."""
    chosen, store = plan(name, "quick", seeds, folder=PAPER), Store(folder)
    for run in chosen.runs[: round(share * len(chosen.runs))]:
        store.save(full_record(run))
    return chosen, store


@pytest.mark.parametrize(
    ("name", "share"), [*((name, 1) for name in ORDER), ("table2", 0), ("correlation", 0.4), ("motion", 0.4)]
)
def test_every_table_renders_whatever_is_there(tmp_path, name, share):
    (output,) = render(*filled(tmp_path, name, share))
    assert output.rendered.markdown.startswith("# ")
    files = {path.suffix for path in output.files}
    assert {".md", ".csv"} <= files
    assert {".png", ".pdf"} <= files or share < 1
    with (tmp_path / "quick" / f"{name}.csv").open() as file:
        assert list(csv.DictReader(file)) or share == 0


def test_the_same_runs_give_the_same_bytes(tmp_path):
    chosen, store = filled(tmp_path, "frame-averaging")
    (output,) = render(chosen, store)
    before = {path: path.read_bytes() for path in output.files}
    assert len(before) == 4
    render(chosen, Store(tmp_path))
    assert {path: path.read_bytes() for path in output.files} == before


def test_of_all_tables_those_with_runs_are_rendered(tmp_path):
    chosen, store = plan("all", "quick", 1, folder=PAPER), Store(tmp_path)
    study = next(part for part, _ in chosen.parts if part.name == "frame-averaging")
    for run in runs(cells(study, "quick", 1)):
        store.save(full_record(run))
    names = {output.name for output in render(chosen, store)}
    assert names == {"table1", "correlation", "parameters", "frame-averaging"}  # which share runs


def test_all_tables_are_those_that_say_how_many_seeds_they_want():
    assert {part.name for part, _ in plan("all", "code", 1, folder=PAPER).parts} == set(ORDER)
    fast = plan("all", "fast", 1, folder=PAPER)
    assert {part.name for part, _ in fast.parts} == {*ORDER, *BENCHMARKS}
    assert {run.task.partition(":")[0] for run in fast.runs} == {"inertia", "cossim", "motion"}


def test_a_benchmark_reads_the_file_it_is_given(tmp_path):
    file = write_trials(tmp_path / "trials.npz")
    chosen = plan("mocap", "fast", 1, file, folder=PAPER, columns=["mean", "ridge"], rows=["centred"])
    store, other = Store(tmp_path / "results"), plan("mocap", "fast", 1, folder=PAPER, columns=["mean"])
    with pytest.raises(InputError, match=r"mocap reads the trials of CMU subject 9 .*; pass its path with --records"):
        reproduce(other, store, Recorded(), quiet=True)
    missing = plan("mocap", "fast", 1, str(tmp_path / "none.npz"), folder=PAPER, columns=["mean"])
    with pytest.raises(InputError, match="there is no file"):
        reproduce(missing, store, Recorded(), quiet=True)
    for job in chosen.missing(store):
        outcome = execute(Job.from_dict(job.to_dict()))
        assert outcome.error is None
        store.save(outcome.record)
    assert not any(str(tmp_path) in path.read_text() for path in (tmp_path / "results/pending").glob("[!.]*"))
    (output,) = render(plan("mocap", "fast", 1, folder=PAPER), Store(tmp_path / "results"))  # without the file
    assert "| ridge | centred | ours |" in output.rendered.markdown
    assert reproduce(replace(chosen, records=None), Store(tmp_path / "results"), Recorded(), quiet=True).done == 2


def test_choosing_rows_and_columns_chooses_runs_and_leaves_the_table_whole(tmp_path):
    chosen, store = plan("table1", "quick", 1, folder=PAPER, columns=["PER"], rows=["Oz(2)"]), Store(tmp_path)
    assert [(run.task, run.model) for run in chosen.runs] == [("inertia:Oz(2)", "per")]
    store.save(record(chosen.runs[0], 0.2))
    (output,) = render(chosen, store)
    assert "1 of 31 runs done" in output.rendered.markdown
    assert "| O(3) | MLP |" in output.rendered.markdown


def test_what_is_missing_is_what_is_not_done(tmp_path):
    chosen, store = filled(tmp_path, "frame-averaging", share=0.5)
    left = chosen.missing(store)
    assert len(left) == len(chosen.runs) - round(0.5 * len(chosen.runs))
    engine = Recorded()
    assert reproduce(chosen, store, engine, quiet=True).done == len(chosen.runs)
    assert engine.seen == [job.spec for job in left]


def test_times_come_from_the_table_until_runs_are_done(tmp_path):
    folder = paper(tmp_path)
    chosen, store = plan("table1", "quick", 1, folder=folder), Store(tmp_path / "store")
    by_model = {run.model: chosen.estimate(store).seconds(run) for run in chosen.runs}
    assert by_model == {"per": 120, "mlp": 60, "emlp": UNKNOWN}
    store.save(record(chosen.runs[0], seconds=7.0))
    assert chosen.estimate(store).seconds(chosen.runs[0]) == 7


def test_only_what_is_missing_is_checked(tmp_path, monkeypatch):
    checked = []
    monkeypatch.setattr("softsym_lab.experiments.grid.check_run", checked.append)
    chosen, store = filled(tmp_path, "frame-averaging")
    render(chosen, store)
    chosen.check(store)
    assert checked == []
    chosen, store = filled(tmp_path / "some", "frame-averaging", share=0.9)
    chosen.check(store)
    left = {(job.spec.task, job.spec.model, job.spec.group) for job in chosen.missing(store)}
    assert {(spec.task, spec.model, spec.group) for spec in checked} == left


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "table9"}, "unknown table 'table9'; pass one of table1"),
        ({"preset": "slow"}, "unknown preset 'slow'; pass one of paper, code, quick"),
        ({"columns": ["KAN"]}, "table1 has no column 'KAN'; it has MLP"),
        ({"rows": ["Ow"]}, r"table1 has no row 'Ow'; it has O\(3\)"),
    ],
)
def test_mistakes_are_named_before_anything_runs(arguments, message):
    with pytest.raises(InputError, match=message):
        plan(**{"name": "table1", "preset": "quick", "seeds": 1, "folder": PAPER, **arguments})


def test_an_output_for_json(tmp_path):
    made = rendered(tmp_path, "correlation", seeds=1)
    numbers = json.loads(json.dumps(Output("correlation", "quick", made, (tmp_path / "one.md",)).to_dict()))
    assert (numbers["name"], numbers["preset"]) == ("correlation", "quick")
    assert {"pearson", "published_pearson", "rows"} <= set(numbers)
    assert numbers["files"] == [str(tmp_path / "one.md")]
