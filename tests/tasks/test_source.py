import numpy as np
import pytest

from softsym.errors import InputError
from softsym.tasks import task as read_task
from softsym.tasks.source import read_data, task_table
from tests.tasks.flights import write_flights


def test_files(tmp_path):
    np.savez(tmp_path / "d.npz", X=np.eye(3), Y=np.ones(3))
    table, task = read_data(str(tmp_path / "d.npz"))
    assert task is None
    assert table.X.shape == (3, 3)


def test_tasks():
    table, task = read_data("inertia:Oz(2)")
    assert task.name == "inertia:Oz(2)"
    assert (table.X.shape, table.Y.shape) == ((1500, 20), (1500, 9))
    assert (table.x_names[0], table.y_names[-1], table.source) == ("x0", "y8", "inertia:Oz(2)")
    assert (read_data("inertia:Oz(2)", seed=1)[0].X != table.X).any()


def test_motion_is_in_metres():
    table, _ = read_data("motion:scale-aware")
    assert table.X.shape[1] == table.Y.shape[1] == 18
    assert np.abs(table.X).max() > 10


def test_refusals():
    with pytest.raises(InputError, match=r"'inertai' is neither a file nor a task; did you mean inertia\?"):
        read_data("inertai")
    with pytest.raises(InputError, match="'inertia' is a task, which knows its columns"):
        read_data("inertia", "a..b")


@pytest.mark.parametrize("text", ["inertia:soft", "motion:scale-aware"])
def test_whoever_asks_gets_the_same_numbers(text):
    one, task = read_data(text, seed=3)
    two = task_table(read_task(text), 3)
    np.testing.assert_array_equal(one.X, two.X)
    np.testing.assert_array_equal(one.Y, two.Y)
    X, Y = (values.double().numpy() for values in task.observations(3))
    np.testing.assert_array_equal(one.X, X)
    np.testing.assert_array_equal(one.Y, Y)


def test_recorded_tasks_give_their_training_data(tmp_path):
    table, task = read_data("table_tennis:" + write_flights(tmp_path / "f.npz"))
    x, y = task.splits(0).train
    np.testing.assert_array_equal(table.X, x.double().numpy())
    np.testing.assert_array_equal(table.Y, y.double().numpy())


def test_rows_that_belong_together(tmp_path):
    np.savez(tmp_path / "d.npz", X=np.eye(3), Y=np.ones(3), day=np.array(["a", "b", "a"]))
    assert read_data(str(tmp_path / "d.npz"), together="day")[0].together.tolist() == [0, 1, 0]
    table, task = read_data("table_tennis:" + write_flights(tmp_path / "f.npz"))
    np.testing.assert_array_equal(table.together, task.together(0))
    assert len(table.together) == len(table.X)
    assert read_data("inertia:Oz(2)")[0].together is None
    with pytest.raises(InputError, match="'inertia' is a task, which knows which rows belong together"):
        read_data("inertia", together="day")
