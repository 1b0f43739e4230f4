"""One input transformed along a subgroup."""

import numpy as np
import pytest

from softsym.discovery.report.orbit_data import ORBIT_STEPS, compute_orbits, one_parameter
from softsym.groups import group
from softsym.metrics.transform import act
from tests.discovery.small import estimator, fitted, rows


def test_a_turn_goes_around_and_comes_back():
    angles, elements = one_parameter(group("O(2)@z"))
    assert len(angles) == ORBIT_STEPS
    assert np.allclose(elements[0], elements[-1], atol=1e-12)
    assert angles[-1] == pytest.approx(2 * np.pi)


def test_what_does_not_come_back_runs_from_one_over_e_to_e():
    _, scalings = one_parameter(group("Scaling(3)"))
    assert scalings[0][0, 0] == pytest.approx(1 / np.e)
    assert scalings[-1][0, 0] == pytest.approx(np.e)


def test_an_orbit_holds_both_ways_around_the_square():
    fit = fitted().fit_
    first, second = compute_orbits(fit, row=3)
    assert (first.group, second.group) == ("O(2)@x", "O(2)@z")
    assert first.inputs.shape == (2, ORBIT_STEPS, 3)
    assert second.vector == 0
    _, elements = one_parameter(group("O(2)@z"))
    x = fit.held.X[3:4]
    assert np.allclose(second.predicted, fit.predict(act("2V", "O(2)@z", elements, x)[:, 0])[0])
    assert np.allclose(second.transformed, act("V", "O(2)@z", elements, fit.predict(x)[0])[:, 0])


def test_both_ways_meet_where_the_model_is_exact():
    first, second = compute_orbits(fitted().project("O(2)@z").model.fit_)
    assert np.allclose(second.predicted, second.transformed, atol=1e-10)
    assert not np.allclose(first.predicted, first.transformed, atol=1e-3)


def test_groups_that_move_no_vector_of_space_have_no_orbit():
    X, Y = rows(60)
    est = estimator(epochs=2, seeds=1).set_params(rep_in="3V", rep_out="S", groups=["SO(2)", "S(2)"])
    assert compute_orbits(est.fit(X, Y[:, 0]).fit_) == ()
