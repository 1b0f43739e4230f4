"""Snapping onto a group: exact, honest about its price, and without side effects."""

import numpy as np
import pytest

from softsym.errors import InputError
from softsym.metrics import equivariance_error
from tests.discovery.small import fitted, rows


def test_it_is_exact_and_says_what_it_costs():
    X, _ = rows()
    before = fitted().predict(X)
    projected = fitted().project("O(2)@z")
    error = equivariance_error(projected.model.predict, X[:50], "2V", "V", "O(2)@z")
    assert error < 1e-12
    assert equivariance_error(projected.model.predict, X[:50], "2V", "V", "O(2)@x") > 1e-3
    assert projected.cost == projected.test_error - projected.test_error_before
    assert projected.test_error_before == fitted().fit_.test_error()
    assert projected.model.symmetries_["O(2)@z"].verdict == "exact"
    assert 0 <= projected.distance < 1e-6  # it was built in already
    assert "exactly O(2)@z-equivariant: test error" in str(projected)
    assert np.array_equal(fitted().predict(X), before)


def test_the_right_group_costs_less():
    assert fitted().project("O(2)@z").cost < fitted().project("O(2)@x").cost


def test_what_a_projected_model_says_of_itself_is_its_own():
    projected = fitted().project("O(2)@x")
    assert 0.01 < projected.distance < 1
    assert projected.model.fit_.exact_groups == ("O(2)@x",)
    own = projected.model.baselines_["network"]
    assert own.is_returned
    assert own.test_error == pytest.approx(projected.test_error)
    assert own.test_error > fitted().baselines_["network"].test_error
    assert projected.model.report_data("it").exact_groups == ("O(2)@x",)


def test_other_groups_are_refused():
    with pytest.raises(InputError, match=r"O\(3\) is not among the candidate groups \(O\(2\)@x, O\(2\)@z\)"):
        fitted().project("O(3)")
