"""What a verdict rests on, against functions whose answer is known."""

import numpy as np
import pytest

from softsym.discovery.fit.fit import Fit, HeldOut
from softsym.discovery.judge.measure import TRANSFORMS, measure_group, weight_distances
from softsym.discovery.report.orbit_data import one_parameter, orbits_of
from softsym.groups import group
from softsym.measure import equivariance_error
from tests.discovery.small import fitted, rows


class Known(Fit):
    """A fit whose members are given functions."""

    def outputs(self, X):
        return np.stack([f(np.asarray(X)) for f in self.functions])


def known(*functions, noise=0.0):
    est = fitted().fit_
    X, _ = rows(300, seed=1)
    Y = functions[0](X) + noise * np.random.default_rng(0).standard_normal((300, 3))
    fit = Known(
        est.kind, est.shape, est.recipe, est.scale_in, est.scale_out, est.members, est.curves, HeldOut(X, Y),
        200, 0.0,
    )  # fmt: skip
    object.__setattr__(fit, "functions", functions)
    return fit


def push(X):
    return X[:, :3] + np.array([0.0, 0.0, 1.0])


def test_an_exact_function():
    found = measure_group(known(push), group("O(2)@z"))
    assert found.error < 1e-12
    assert found.control > 0.3
    assert found.interval() == pytest.approx((0, 0), abs=1e-12)


def test_a_broken_one_equals_the_plain_measure():
    found = measure_group(known(push), group("O(2)@x"))
    plain = equivariance_error(push, rows(300, seed=1)[0], "2V", "V", "O(2)@x", n_transforms=16)
    assert found.error == pytest.approx(plain, rel=0.25)
    low, high = found.interval()
    assert low < found.error < high
    assert found.coverage.grade == "well"


def test_the_noise_ratio_is_one_for_independent_mistakes():
    def noisy(X):
        seeds = np.abs(X[:, :1] * 1e6) % 1
        return push(X) + 0.3 * np.sin(1e5 * seeds + np.arange(3) * 1e4 * seeds)

    fit = known(noisy)
    object.__setattr__(fit, "held", HeldOut(fit.held.X, push(fit.held.X)))
    assert measure_group(fit, group("O(2)@z")).noise_ratio == pytest.approx(1.0, abs=0.15)
    assert measure_group(fit, group("O(2)@x")).noise_ratio > 3


def test_more_members_are_averaged():
    found = measure_group(known(push, lambda X: X[:, :3]), group("O(2)@x"))
    assert found.errors.shape == (2, TRANSFORMS, 300)
    assert found.errors[1].max() < 1e-12 < found.errors[0].max()


def test_elements_that_do_nothing_hide_nothing():
    """A group of two elements, one of them the identity, that the function breaks."""

    def broken(X):
        return X[:, :3] + np.abs(X[:, :1])

    fit = known(broken)
    object.__setattr__(fit, "held", HeldOut(fit.held.X, broken(fit.held.X) + 0.01))
    found = measure_group(fit, group("O(1)@3[0]"))
    assert found.error > 0.1
    assert found.noise_ratio > 10
    assert found.refutation > 5


def test_noise_of_the_labels_does_not_hide_a_violation():
    rng = np.random.default_rng(3)
    fit = known(push)
    noisy = push(fit.held.X) + rng.standard_normal((300, 3))
    object.__setattr__(fit, "held", HeldOut(fit.held.X, noisy))
    assert measure_group(fit, group("O(2)@x")).refutation > 5
    assert abs(measure_group(fit, group("O(2)@z")).refutation) < 3


def test_distances_of_snapped_weights_are_zero():
    snapped = fitted().snap("O(2)@z").model.fit_
    share, layers = weight_distances(snapped, group("O(2)@z"))
    assert share < 1e-24
    assert max(layers.values()) < 1e-12
    assert weight_distances(snapped, group("O(2)@x"))[0] > 1e-6


def test_an_orbit_goes_around_and_comes_back():
    angles, elements = one_parameter(group("O(2)@z"))
    assert np.allclose(elements[0], elements[-1], atol=1e-12)
    assert angles[-1] == pytest.approx(2 * np.pi)
    _, scalings = one_parameter(group("Scaling(3)"))
    assert scalings[-1][0, 0] == pytest.approx(np.e)
    first, second = orbits_of(fitted().snap("O(2)@z").model.fit_)
    assert (first.group, second.group) == ("O(2)@x", "O(2)@z")
    assert first.inputs.shape == (2, 49, 3)
    assert second.vector == 0
    assert np.allclose(second.predicted, second.moved, atol=1e-10)
    assert not np.allclose(first.predicted, first.moved, atol=1e-3)
