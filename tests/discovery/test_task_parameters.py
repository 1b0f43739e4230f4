"""Parameters that suit a task are those of an estimator."""

import inspect

import pytest

import softsym as ss
from softsym.discovery.task_parameters import task_parameters
from softsym.tasks import task

TEXTS = ["inertia:Oz(2)", "cossim:SO(3)", "golfball:wind=y"]


@pytest.mark.parametrize("text", TEXTS)
def test_an_estimator_takes_them(text):
    parameters = task_parameters(task(text))
    assert set(parameters) <= set(inspect.signature(ss.SoftEquivariantRegressor).parameters)
    assert [ss.group(name) for name in parameters["groups"]] == list(task(text).groups)
    assert ss.rep(parameters["rep_in"]) == task(text).rep_in
    assert ss.group(parameters["largest"]) == task(text).largest
    assert set(parameters) == {
        "rep_in",
        "rep_out",
        "groups",
        "largest",
    }  # numbers of training are the same for all
