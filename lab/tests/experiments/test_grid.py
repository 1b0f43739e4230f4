"""From rows and columns to runs."""

import pytest
from lab.tests.experiments.small import PAPER, small

import softsym as ss
from softsym_lab.experiments.grid import cells, check_run, runs
from softsym_lab.experiments.table_spec import load_spec


def test_columns_come_in_the_order_asked_for_and_seeds_in_rounds(tmp_path):
    found = runs(cells(small(tmp_path), "quick", 2))
    first = [(run.model, run.task, run.seed) for run in found[:4]]
    assert first == [
        ("per", "inertia:Oz(2)", 0),
        ("per", "inertia:soft", 0),
        ("per", "inertia:Oz(2)", 1),
        ("per", "inertia:soft", 1),
    ]
    assert len(found) == 2 * (2 + 2 + 1)  # no exact group in the soft row


def test_numbers_of_rows_reach_the_runs(tmp_path):
    for run in runs(cells(small(tmp_path), "quick", 1)):
        assert run.preset.width == 12
        assert run.settings.epochs == 24


def test_factors_and_widths():
    spec = load_spec("robustness", PAPER)
    found = {(cell.row.section, cell.row.label): cell.runs[0].preset for cell in cells(spec, "code", 1)}
    by_label = {label: preset for (section, label), preset in found.items() if section.startswith("Inertia")}
    assert by_label["0.00009"].lambda0 == 400
    assert by_label["3000"].adjust_at == 3000
    assert by_label["5"].gamma == 5
    quick = {cell.row.label: cell.runs[0].preset for cell in cells(spec, "quick", 1)}
    assert quick["3000"].adjust_at == 149  # 150 would be too late to count


def test_baselines_of_samples_and_rules_of_strengths_can_be_asked_for(tmp_path):
    spec = small(tmp_path, old='model = "emlp"', new='model = "augment"')
    (cell,) = (cell for cell in cells(spec, "quick", 1) if cell.column.label == "O2_EMLP")
    check_run(cell.runs[0])
    assert (cell.runs[0].model, cell.runs[0].group) == ("augment", "O(2)@z")
    fixed = small(tmp_path, old="adjust_at = 6", new='adjust_at = 6, strengths = "fixed", sample_strength = 0.5')
    run = cells(fixed, "quick", 1)[0].runs[0]
    assert (run.preset.strengths, run.preset.sample_strength) == ("fixed", 0.5)
    assert isinstance(run.controller, ss.strengths.Fixed)


def test_tables_share_runs():
    table, study, progress = (
        runs(cells(load_spec(name, PAPER), "code", 3)) for name in ("table1", "correlation", "progress")
    )
    assert set(progress) <= set(table)
    assert len(set(study) & set(table)) == 3
    assert len(study) == 39


def test_a_full_schedule_that_all_runs_have_is_no_column():
    code, fast = (cells(load_spec("table1", PAPER), name, 1) for name in ("code", "fast"))
    labels = [{cell.column.label for cell in found} for found in (code, fast)]
    assert labels[0] - labels[1] == {"PER_full"}


def test_records_go_to_motion_only():
    found = runs(cells(load_spec("motion", PAPER), "quick", 1, records="/data/womd"))
    assert all(run.task.endswith(",records=/data/womd") for run in found)
    assert runs(cells(load_spec("table1", PAPER), "quick", 1, records="/data/womd"))[0].task == "inertia:O(3)"


@pytest.mark.parametrize("name", ["table1", "table2", "frame-averaging", "motion"])
def test_networks_of_the_paper_preset_have_as_many_trainable_numbers_as_per(name):
    spec = load_spec(name, PAPER)
    row = next((row for row in spec.rows if row.exact), spec.rows[0])
    counts = {
        cell.column.label: trainable(cell.runs[0])
        for cell in cells(spec, "paper", 1)
        if cell.row is row and trainable(cell.runs[0])  # closed forms have none
    }
    assert len(counts) >= 5
    assert all(count == pytest.approx(counts["PER"], rel=0.02) for count in counts.values()), counts


def trainable(run):
    return sum(parameter.numel() for parameter in run.build(ss.task(run.task)).model.parameters())
