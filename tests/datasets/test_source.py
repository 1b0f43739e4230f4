import inspect

import numpy as np
import pytest

import softsym as ss
from softsym.datasets import task as read_task
from softsym.datasets.source import read_data, task_parameters, task_table
from softsym.errors import InputError


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


def test_refusals():
    with pytest.raises(InputError, match=r"'inertai' is neither a file nor a task; did you mean inertia\?"):
        read_data("inertai")
    with pytest.raises(InputError, match="'inertia' is a task, which knows its columns"):
        read_data("inertia", "a..b")


@pytest.mark.parametrize("text", ["inertia:soft", "golfball"])
def test_whoever_asks_gets_the_same_numbers(text):
    one, task = read_data(text, seed=3)
    two = task_table(read_task(text), 3)
    np.testing.assert_array_equal(one.X, two.X)
    np.testing.assert_array_equal(one.Y, two.Y)
    X, Y = (values.double().numpy() for values in task.observations(3))
    np.testing.assert_array_equal(one.X, X)
    np.testing.assert_array_equal(one.Y, Y)


def test_row_groups(tmp_path):
    np.savez(tmp_path / "d.npz", X=np.eye(3), Y=np.ones(3), day=np.array(["a", "b", "a"]))
    assert read_data(str(tmp_path / "d.npz"), row_groups="day")[0].row_groups.tolist() == [0, 1, 0]
    assert read_data("inertia:Oz(2)")[0].row_groups is None
    with pytest.raises(InputError, match="'inertia' is a task, which knows its row groups"):
        read_data("inertia", row_groups="day")


TEXTS = ["inertia:Oz(2)", "cossim:SO(3)", "golfball:wind=y"]


@pytest.mark.parametrize("text", TEXTS)
def test_an_estimator_takes_them(text):
    parameters = task_parameters(read_task(text))
    assert set(parameters) <= set(inspect.signature(ss.SoftEquivariantRegressor).parameters)
    assert [ss.group(name) for name in parameters["groups"]] == list(read_task(text).groups)
    assert ss.rep(parameters["rep_in"]) == read_task(text).rep_in
    assert ss.group(parameters["largest"]) == read_task(text).largest
    assert set(parameters) == {
        "rep_in",
        "rep_out",
        "groups",
        "largest",
    }  # numbers of training are the same for all
