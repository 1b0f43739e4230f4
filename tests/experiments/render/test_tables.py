"""Tables: pure functions of the store, and honest about what is missing."""

import csv
from dataclasses import replace

import pytest

from softsym.experiments.artefact import ORDER, artefact
from softsym.experiments.grid import cells, runs
from softsym.experiments.render.artefacts import RENDER
from softsym.experiments.render.tables import number, plus_minus
from softsym.experiments.reproduce import plan, render
from softsym.experiments.store import Store
from softsym.experiments.summary import summarise
from tests.experiments.small import PAPER, record, small


def full_record(spec):
    """A record with numbers for every group of the run, whatever they are."""
    made = record(spec, 0.1 + 0.01 * spec.seed)
    if spec.groups is None:
        return made
    values = {group: 0.01 * (k + 1) + 0.001 * spec.seed for k, group in enumerate(spec.groups)}
    names = ("model_errors", "data_errors", "residuals", "strengths")
    return replace(made, result=replace(made.result, **dict.fromkeys(names, values)))


def test_a_partly_filled_store_gives_a_partly_filled_table(tmp_path):
    spec, store = small(tmp_path), Store(tmp_path / "store")
    found = cells(spec, "quick", 3)
    per = [run for run in runs(found) if run.model == "per" and "Oz" in run.task]
    store.save(record(per[0], 0.2))
    store.save(record(per[2], 0.4))
    text = RENDER["table"](spec, "quick", summarise(spec, found, store)).markdown
    assert "2 of 15 runs done" in text
    assert "| Oz(2) | – (0/3) | – (0/3) | **0.3 ± 0.14** (2/3) |" in text
    assert "| soft | – (0/3) | - | – (0/3) |" in text  # no exact group, so no such cell
    assert (
        "| Oz(2) | PER | 0.3 ± 0.14 | 2/3 | 0.32 ± 0.26 | -0.02 (better) | 1,234 | 20 | 0.3 (1) | 30 s |"
        in text
    )


def test_worse_than_published_is_said(tmp_path):
    spec, store = small(tmp_path), Store(tmp_path / "store")
    found = cells(spec, "quick", 1)
    for run in runs(found):
        store.save(record(run, 2.0))
    text = RENDER["table"](spec, "quick", summarise(spec, found, store)).markdown
    assert "| Oz(2) | PER | 2 | 1/1 | 0.32 ± 0.26 | +1.68 (worse) |" in text


@pytest.mark.parametrize(
    ("name", "share"), [*((name, 1) for name in ORDER), ("table2", 0), ("correlation", 0.4), ("motion", 0.4)]
)
def test_every_artefact_renders_whatever_is_there(tmp_path, name, share):
    chosen, store = plan(name, "quick", 2, folder=PAPER), Store(tmp_path)
    for run in chosen.runs[: round(share * len(chosen.runs))]:
        store.save(full_record(run))
    (output,) = render(chosen, store)
    assert output.rendered.markdown.startswith("# ")
    files = {path.suffix for path in output.files}
    assert {".md", ".csv"} <= files
    assert {".png", ".pdf"} <= files or share < 1
    with (tmp_path / "quick" / f"{name}.csv").open() as file:
        assert list(csv.DictReader(file)) or share == 0


def test_the_same_runs_give_the_same_bytes(tmp_path):
    chosen, store = plan("frame-averaging", "quick", 2, folder=PAPER), Store(tmp_path)
    for run in chosen.runs:
        store.save(full_record(run))
    (output,) = render(chosen, store)
    before = {path: path.read_bytes() for path in output.files}
    assert len(before) == 4
    render(chosen, Store(tmp_path))
    assert {path: path.read_bytes() for path in output.files} == before


def test_of_all_artefacts_those_with_runs_are_rendered(tmp_path):
    chosen, store = plan("all", "quick", 1, folder=PAPER), Store(tmp_path)
    study = next(part for part, _ in chosen.parts if part.name == "frame-averaging")
    for run in runs(cells(study, "quick", 1)):
        store.save(full_record(run))
    names = {output.name for output in render(chosen, store)}
    assert names == {"table1", "correlation", "parameters", "frame-averaging"}  # which share runs


def test_choosing_rows_and_columns_chooses_runs_and_leaves_the_table_whole(tmp_path):
    chosen, store = plan("table1", "quick", 1, folder=PAPER, columns=["PER"], rows=["Oz(2)"]), Store(tmp_path)
    assert [(run.task, run.model) for run in chosen.runs] == [("inertia:Oz(2)", "per")]
    store.save(record(chosen.runs[0], 0.2))
    (output,) = render(chosen, store)
    assert "1 of 31 runs done" in output.rendered.markdown
    assert "| O(3) | MLP |" in output.rendered.markdown


def test_numbers_for_people():
    assert [number(x) for x in (0.123456, 12.3456, 1234.5, 3e-7, 0.0)] == [
        "0.123",
        "12.3",
        "1234",
        "3.00e-07",
        "0",
    ]
    assert plus_minus(None, None) == "–"


def test_the_published_correlations_are_computed_from_the_published_table():
    from softsym.experiments.render.artefacts.correlation import ours_and_published

    ours, printed = ours_and_published([])
    assert ours == dict.fromkeys(("model", "reg", "lambda", "before"))
    assert printed.pop("before") is None
    assert {name: round(value, 3) for name, value in printed.items()} == {
        "model": 0.989, "reg": 0.615, "lambda": -0.486,
    }  # fmt: skip


def test_unknown_artefact_kinds_are_all_covered():
    assert {artefact(name, PAPER).kind for name in ORDER} == set(RENDER)
