"""A cell in numbers."""

import statistics

import pytest
from lab.tests.experiments.small import record, small

from softsym_lab.experiments.grid import cells
from softsym_lab.experiments.store import Store
from softsym_lab.experiments.summary import summarise


@pytest.fixture
def summaries(tmp_path):
    """Two of three seeds of PER on Oz(2) are done."""
    table_spec, store = small(tmp_path), Store(tmp_path / "store")
    made = cells(table_spec, "quick", 3)
    cell = next(cell for cell in made if (cell.row.label, cell.column.label) == ("Oz(2)", "PER"))
    store.save(record(cell.runs[0], 0.2, epochs=20, seconds=10.0))
    store.save(record(cell.runs[2], 0.5, epochs=30, seconds=30.0))
    return summarise(table_spec, made, store)


def cell_of(summaries, row, column):
    return next(s for s in summaries if (s.row.label, s.column.label) == (row, column))


def test_means_over_the_seeds_that_are_done(summaries):
    done = cell_of(summaries, "Oz(2)", "PER")
    assert (len(done.values), done.wanted) == (2, 3)
    assert done.mean == pytest.approx(0.35)
    assert done.std == pytest.approx(statistics.stdev([0.2, 0.5]))
    assert done.difference == pytest.approx(0.35 - 0.32)
    assert (done.epochs, done.seconds, done.parameters) == (25, 20, 1234)
    assert done.lowest == ((0.2, 1), (0.5, 1))  # the first of equal epochs
    assert (done.lowest_validation, done.lowest_epoch) == (pytest.approx(0.35), 1)


def test_nothing_is_made_up_where_nothing_is_done(summaries):
    empty = cell_of(summaries, "soft", "MLP")
    numbers = empty.to_dict()
    assert (numbers["seeds"], numbers["seeds_wanted"]) == (0, 3)
    assert numbers["published_mean"] is not None
    for name in ("mean", "std", "difference", "lowest_validation", "parameters", "epochs", "seconds"):
        assert numbers[name] is None


def test_one_seed_has_no_deviation(tmp_path):
    table_spec, store = small(tmp_path), Store(tmp_path / "store")
    made = cells(table_spec, "quick", 1)
    store.save(record(made[0].runs[0], 0.2))
    assert summarise(table_spec, made, store)[2].std is None


def test_the_unit_is_that_of_the_paper(tmp_path):
    table_spec, store = (
        small(tmp_path, old='best = "PER"', new='best = "PER"\nfactor = 100.0'),
        Store(tmp_path / "store"),
    )
    made = cells(table_spec, "quick", 1)
    store.save(record(made[0].runs[0], 0.2))
    done = next(s for s in summarise(table_spec, made, store) if s.values)
    assert done.mean == pytest.approx(20)
    assert done.lowest_validation == pytest.approx(20)


def test_the_order_is_that_of_the_table_not_of_the_runs(summaries):
    order = [(s.row.label, s.column.label) for s in summaries]
    assert order == [("Oz(2)", "MLP"), ("Oz(2)", "O2_EMLP"), ("Oz(2)", "PER"), ("soft", "MLP"), ("soft", "PER")]


def test_values_by_seed(summaries):
    for summary in summaries:
        assert list(summary.by_seed) == [each.spec.seed for each in summary.records]
        assert tuple(summary.by_seed.values()) == summary.values
