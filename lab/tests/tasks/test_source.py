"""Tables of the laboratory's tasks."""

import numpy as np
from lab.tests.tasks.flights import write_flights

from softsym.datasets import read_data


def test_motion_is_in_metres():
    table, _ = read_data("motion:scale-aware")
    assert table.X.shape[1] == table.Y.shape[1] == 18
    assert np.abs(table.X).max() > 10


def test_recorded_tasks_give_their_training_data(tmp_path):
    table, task = read_data("table_tennis:" + write_flights(tmp_path / "f.npz"))
    x, y = task.splits(0).train
    np.testing.assert_array_equal(table.X, x.double().numpy())
    np.testing.assert_array_equal(table.Y, y.double().numpy())


def test_rows_of_one_recording_belong_together(tmp_path):
    table, task = read_data("table_tennis:" + write_flights(tmp_path / "f.npz"))
    np.testing.assert_array_equal(table.row_groups, task.row_groups(0))
    assert len(table.row_groups) == len(table.X)
