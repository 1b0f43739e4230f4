"""The rule, by hand."""

import math

import pytest

from softsym.regularize.strengths.controller import rescaled, totals


def test_rule_by_hand():
    found = rescaled({"a": 100.0, "b": 100.0, "c": 50.0}, {"a": 2.0, "b": 4.0, "c": 20.0}, gamma=3.0)
    assert found == pytest.approx({"a": 100.0, "b": 12.5, "c": 0.05})


def test_published_run():
    """R 0.92, 2.72, 2.71 x 1e-4 and gamma 2 gave strengths 100 / 11.4 / 11.5."""
    residuals = {"z": 0.92e-4, "x": 2.72e-4, "y": 2.71e-4}
    found = rescaled(dict.fromkeys("zxy", 100.0), residuals, gamma=2.0)
    assert found == pytest.approx({"z": 100.0, "x": 11.4, "y": 11.5}, rel=5e-3)


def test_equal_residuals_change_nothing():
    assert rescaled({"a": 3.0, "b": 5.0}, {"a": 0.7, "b": 0.7}, 5.0) == {"a": 3.0, "b": 5.0}


@pytest.mark.parametrize("gamma", [0.5, 2.0, 5.0])
def test_zero_residuals_are_safe(gamma):
    found = rescaled({"a": 100.0, "b": 100.0}, {"a": 0.0, "b": 1.0}, gamma)
    assert found["a"] == 100.0
    assert all(math.isfinite(value) and value > 0 for value in found.values())
    assert rescaled({"a": 1.0, "b": 2.0}, {"a": 0.0, "b": 0.0}, gamma) == {"a": 1.0, "b": 2.0}


def test_sums_over_layers():
    assert totals({"a": {"first": 1.0, "last": 2.0}, "b": 4}) == {"a": 3.0, "b": 4.0}
