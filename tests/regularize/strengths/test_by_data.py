"""Strengths by what the model does on data."""

import json

import pytest

from softsym.errors import InputError
from softsym.regularize.strengths import ByData

START = {"a": 10.0, "b": 10.0}


def begun(epochs=12, gamma=2.0) -> ByData:
    controller = ByData(epochs, gamma)
    controller.begin(START)
    return controller


def test_moments():
    controller = begun(12)
    assert [epoch for epoch in range(1, 13) if controller.wants_residuals(epoch)] == [4, 6, 8, 10, 12]
    assert ByData(1).wants_residuals(1)


def test_within_mistakes_stronger_beyond_them_weaker():
    assert begun().on_epoch_end({"a": 0.1, "b": 4.0}, 4) == pytest.approx({"a": 100.0, "b": 2.5})


def test_no_more_than_a_hundred_times_either_way():
    assert begun().on_epoch_end({"a": 0.0, "b": 1e9}, 4) == pytest.approx({"a": 1000.0, "b": 0.1})


def test_if_all_are_violated_the_least_stays_where_it_began():
    assert begun().on_epoch_end({"a": 20.0, "b": 5.0}, 4) == pytest.approx({"a": 2.5, "b": 10.0})


def test_gamma_counts_differences_of_errors():
    assert begun(gamma=4.0).on_epoch_end({"a": 1.0, "b": 4.0}, 4) == pytest.approx({"a": 10.0, "b": 10 / 16})


def test_the_least_violation_so_far_counts():
    controller = begun()
    controller.on_epoch_end({"a": 0.5, "b": 2.0}, 4)
    assert controller.on_epoch_end({"a": 8.0, "b": 9.0}, 6) == pytest.approx({"a": 20.0, "b": 5.0})


def test_nothing_changes_between_the_moments():
    assert begun().on_epoch_end({"a": 1e-9, "b": 1e9}, 5) == START


def test_state_survives_a_restart():
    one, other = begun(), ByData(12)
    one.on_epoch_end({"a": 0.5, "b": 2.0}, 4)
    other.load_state_dict(json.loads(json.dumps(one.state_dict())))
    reading = {"a": 0.7, "b": 1.0}
    assert other.on_epoch_end(reading, 6) == one.on_epoch_end(reading, 6)


@pytest.mark.parametrize(("epochs", "gamma"), [(0, 2.0), (5, 0.0)])
def test_refuses_numbers_without_meaning(epochs, gamma):
    with pytest.raises(InputError, match="ByData needs epochs >= 1 and gamma > 0"):
        ByData(epochs, gamma)
