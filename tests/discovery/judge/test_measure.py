"""What a verdict rests on, against functions whose answer is known."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from softsym.data.scaler import SymmetricScaler
from softsym.discovery.fit.fitted import FittedEnsemble, HeldOut
from softsym.discovery.fit.member import Shape
from softsym.discovery.fit.recipe import Recipe
from softsym.discovery.judge.measure import bootstrap_interval, measure_group
from softsym.groups import group
from softsym.metrics import equivariance_error
from softsym.reps import rep
from tests.discovery.small import rows


@dataclass(frozen=True)
class Known:
    """A predictor whose members are given functions."""

    functions: tuple
    scale_in: SymmetricScaler

    def __call__(self, X):
        return np.stack([f(np.asarray(X)) for f in self.functions])


def known(*functions, truth=None):
    X, _ = rows(300, seed=1)
    held = HeldOut(X, (truth or functions[0])(X))
    shape = Shape.of(rep("2V"), rep("V"), [group("O(2)@x"), group("O(2)@z")])
    return FittedEnsemble(
        shape,
        Recipe(),
        Known(functions, SymmetricScaler(np.zeros(6), np.ones(6))),
        (),
        held,
        n_train=200,
        seconds=0.0,
    )


def push(X):
    return X[:, :3] + np.array([0.0, 0.0, 1.0])


def test_an_exact_function():
    statistics = measure_group(known(push), group("O(2)@z"))
    assert statistics.error < 1e-12
    assert statistics.control > 0.3
    assert statistics.interval == pytest.approx((0, 0), abs=1e-12)
    assert (statistics.explained, statistics.rows, statistics.held_out) == (1.0, 200, True)


def test_a_broken_one_equals_the_plain_measure():
    statistics = measure_group(known(push), group("O(2)@x"))
    plain = equivariance_error(push, rows(300, seed=1)[0], "2V", "V", "O(2)@x", n_transforms=16)
    assert statistics.error == pytest.approx(plain, rel=0.25)
    low, high = statistics.interval
    assert low < statistics.error < high
    assert statistics.coverage > 0.8


def test_the_noise_ratio_is_one_for_independent_mistakes():
    def noisy(X):
        seeds = np.abs(X[:, :1] * 1e6) % 1
        return push(X) + 0.3 * np.sin(1e5 * seeds + np.arange(3) * 1e4 * seeds)

    fit = known(noisy, truth=push)
    assert measure_group(fit, group("O(2)@z")).noise_ratio == pytest.approx(1.0, abs=0.15)
    assert measure_group(fit, group("O(2)@x")).noise_ratio > 3


def test_more_members_are_averaged():
    alone, still = (measure_group(known(f, truth=push), group("O(2)@x")) for f in (push, lambda X: X[:, :3]))
    both = measure_group(known(push, lambda X: X[:, :3]), group("O(2)@x"))
    assert still.error < 1e-12 < alone.error
    assert both.error == pytest.approx(alone.error / 2)


def test_elements_that_do_nothing_hide_nothing():
    """A group of two elements, one of them the identity, that the function breaks."""

    def broken(X):
        return X[:, :3] + np.abs(X[:, :1])

    statistics = measure_group(known(broken, truth=lambda X: broken(X) + 0.01), group("O(1)@3[0]"))
    assert statistics.error > 0.1
    assert statistics.noise_ratio > 10
    assert statistics.refutation > 5


def test_noise_of_the_labels_does_not_hide_a_violation():
    noise = np.random.default_rng(3).standard_normal((300, 3))
    fit = known(push, truth=lambda X: push(X) + noise)
    assert measure_group(fit, group("O(2)@x")).refutation > 5
    assert abs(measure_group(fit, group("O(2)@z")).refutation) < 3


def test_too_few_different_rows_have_no_coverage():
    fit = known(push)
    few = replace(
        fit, held=HeldOut(np.repeat(fit.held.X[:3], 40, axis=0), np.repeat(fit.held.Y[:3], 40, axis=0))
    )
    assert measure_group(few, group("O(2)@z")).coverage is None


def test_validation_rows_are_judged_where_there_are_any():
    fit = known(push)
    X, _ = rows(200, seed=2)
    validated = replace(fit, checked=HeldOut(X, push(X)), held=HeldOut(fit.held.X, -fit.held.Y))
    assert measure_group(validated, group("O(2)@x")) == measure_group(
        replace(fit, held=HeldOut(X, push(X))), group("O(2)@x")
    )
    assert measure_group(validated, group("O(2)@z")).explained == 1.0


def test_the_interval_covers_the_mean_and_shrinks_with_the_rows():
    errors = np.random.default_rng(0).random((3, 24, 400))
    wide, narrow = bootstrap_interval(errors[..., :20]), bootstrap_interval(errors)
    assert narrow[0] < 0.5 < narrow[1]
    assert narrow[1] - narrow[0] < wide[1] - wide[0]
    assert bootstrap_interval(errors, seed=1) != narrow


@pytest.mark.parametrize("offset", [10.0, 1e3, -1e6])
def test_a_constant_added_to_the_outputs_changes_nothing(offset):
    shape = Shape.of(rep("2V"), rep("S"), [group("O(2)@x"), group("O(2)@z")])
    plain, transformed = (
        measure_group(replace(known(lambda X, by=by: X[:, :1] + by), shape=shape), group("O(2)@z"))
        for by in (0.0, offset)
    )
    assert plain.error > 0.5
    assert transformed.error == pytest.approx(plain.error, rel=1e-6)
    assert transformed.control == pytest.approx(plain.control, rel=1e-6)
