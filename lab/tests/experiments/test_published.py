"""Published numbers: found by the keys of rows and columns, as they are printed."""

import pytest
from lab.tests.experiments.small import PAPER

from softsym_lab.experiments.grid import cells
from softsym_lab.experiments.published import Published, code_curve, correlation_table, find_published, lookup
from softsym_lab.experiments.table_spec import load_spec


@pytest.mark.parametrize("name", ["table1", "table2", "frame-averaging", "robustness"])
def test_published_numbers_are_found(name):
    spec = load_spec(name, PAPER)
    found = {
        (cell.row.label, cell.column.label): find_published(spec, cell.row, cell.column)
        for cell in cells(spec, "quick")
        if not cell.row.section.endswith("(ours)")
    }
    missing = {key for key, value in found.items() if value is None}
    assert {column for _, column in missing} <= {"PER_full"}


def test_a_published_number():
    spec = load_spec("table1", PAPER)
    found = find_published(spec, spec.rows[3], next(c for c in spec.columns if c.label == "PER"))
    assert (found.mean, found.std, str(found)) == (0.32, 0.26, "0.32 ± 0.26")


def test_numbers_without_a_deviation():
    assert str(Published(0.5)) == "0.5"
    assert lookup(["nothing"]) is None
    assert lookup(["table1_inertia_test_mse"]) is None  # a table, not a number
    assert lookup(["table1_inertia_test_mse", "rows", "Oz(2)", "PER", "further"]) is None


def test_a_table_that_the_paper_has_no_numbers_of():
    spec = load_spec("table1", PAPER).model_copy(update={"published": None})
    assert find_published(spec, spec.rows[0], spec.columns[0]) is None


def test_the_tables_that_are_not_tables_of_errors():
    assert len(correlation_table()) == 13
    assert {"epoch", "valid_mse"} <= set(code_curve()[0])
    assert [float(row["epoch"]) for row in code_curve()] == sorted(float(row["epoch"]) for row in code_curve())
