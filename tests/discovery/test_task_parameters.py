import inspect

import pytest

from softsym.discovery import SoftEquivariantRegressor
from softsym.discovery.task_parameters import STRENGTHS, task_parameters
from softsym.tasks import TASKS, task


def test_the_estimator_takes_them():
    known = set(inspect.signature(SoftEquivariantRegressor).parameters)
    assert set(task_parameters(task("cossim"))) <= known


@pytest.mark.parametrize("name", ["inertia:Ox(2)", "golfball:wind=y", "motion:scale-aware"])
def test_texts_that_parse_back(name):
    found = task(name)
    parameters = task_parameters(found)
    SoftEquivariantRegressor(**parameters)
    assert parameters["rep_in"] == str(found.rep_in)
    assert parameters["groups"] == [str(group) for group in found.groups]
    assert parameters["largest"] == str(found.largest)


def test_strengths_where_they_are_known():
    assert set(STRENGTHS) <= set(TASKS)
    assert task_parameters(task("inertia:soft"))["strength"] == 300.0
    assert task_parameters(task("golfball"))["strength"] is None
