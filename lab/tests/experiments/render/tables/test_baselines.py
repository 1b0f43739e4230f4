"""Every way to a symmetry in one row format."""

from dataclasses import replace

import pytest
from lab.tests.experiments.small import PAPER, record

from softsym_lab.experiments.grid import cells, runs
from softsym_lab.experiments.render.tables.baselines import HEADER, numbers, render
from softsym_lab.experiments.store import Store
from softsym_lab.experiments.summary import summarise
from softsym_lab.experiments.table_spec import load_spec


@pytest.fixture
def made(tmp_path):
    spec, store = load_spec("baselines", PAPER), Store(tmp_path)
    found = cells(spec, "fast", 2)
    for run in runs(found):
        if run.task == "inertia:Oz(2)":
            one = record(run, 0.1 + 0.1 * run.seed)
            costs = {
                "steps": 600,
                "seconds_to_best": 12.0,
                "peak_bytes": 500_000_000,
                "transformed_mse": {"O(2)@z": 0.5, "O(2)@x": 9.0},
            }
            fields = {} if run.preset.name == "code" else costs
            fields = fields | {"steps": None, "epochs": 0} if run.model == "gp" else fields
            store.save(replace(one, result=replace(one.result, **fields)))
    return spec, summarise(spec, found, store)


def cell(made, column):
    return next(s for s in made[1] if s.row.label == "Oz(2)" and s.column.label == column)


def test_numbers_are_those_of_the_group_that_holds(made):
    spec, _ = made
    assert numbers(spec, cell(made, "MLP")) == {
        "transformed_error": 0.5,
        "equivariance_error": pytest.approx(0.001),
        "seconds_a_step": 0.05,
        "seconds_to_best": 12.0,
        "peak_megabytes": 500.0,
    }
    assert numbers(spec, cell(made, "GP"))["seconds_a_step"] is None
    assert numbers(spec, cell(made, "GP"))["seconds_to_best"] == 30.0  # the whole of it


def test_a_preset_of_its_own_is_named_and_what_was_not_measured_is_empty(made):
    text = render(made[0], "fast", made[1]).markdown
    assert "| PER (`code`) | **0.15 ± 0.071** | – | 0.001 | 1,234 | – | – | – | 2/2 |" in text
    assert "| MLP | **0.15 ± 0.071** | 0.5 | 0.001 | 1,234 | 0.05 | 12 | 500 | 2/2 |" in text
    assert text.count(f"| {' | '.join(HEADER)} |") == 9
    assert "## CosSim soft" in text
    assert "| EMLP | – | – | – | – | – | – | – | 0/2 |" in text


def test_lines_of_the_file_have_the_costs(made):
    rows = render(made[0], "fast", made[1]).rows
    mine = next(row for row in rows if (row["section"], row["row"], row["column"]) == ("Inertia", "Oz(2)", "EMLP"))
    assert mine["peak_megabytes"] == 500.0


def test_what_a_model_is_fields(made):
    specs = {s.column.label: s.runs[0] for s in made[1] if s.row.label == "Oz(2)"}
    assert specs["augmentation"].group == specs["MixedEMLP"].group == "O(2)@z"
    assert specs["PER"].preset.name == "code"
    assert specs["PER fast"].groups is None
    whole = {cell.column.label: len(cell.runs) for cell in cells(made[0], "fast")}
    assert (whole["PER"], whole["PER fast"]) == (3, 5)  # as many as are stored
    free = {s.column.label: s.runs[0] for s in made[1] if s.row.task == "inertia:soft"}
    assert free["augmentation"].group is None  # the task's largest
    assert "MixedEMLP" not in free
