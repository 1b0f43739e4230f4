"""What a fit leaves behind: predictions in the units of the data, and held-out ones that are computed once."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from softsym.data.scaler import SymmetricScaler
from softsym.discovery.fit.fitted import FittedEnsemble, HeldOut, Predictor, Target
from softsym.discovery.fit.member import Member, Shape
from softsym.discovery.fit.recipe import Recipe
from softsym.reps import rep

X = np.random.default_rng(0).standard_normal((30, 2))


class Affine(torch.nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        return self.factor * x


def predictor(*factors, target=Target.NUMBERS):
    members = tuple(Member(seed, Affine(factor), {}, []) for seed, factor in enumerate(factors))
    inputs = SymmetricScaler(np.array([1.0, 0.0]), np.array([2.0, 1.0]))
    outputs = SymmetricScaler(np.array([0.0, 5.0]), np.array([1.0, 10.0]))
    return Predictor(target, members, inputs, outputs)


class Counted:
    """A predictor that counts how often it is asked."""

    def __init__(self, function):
        self.function, self.calls = function, 0

    def __call__(self, X):
        self.calls += 1
        return self.function(X)


def ensemble(predict, Y):
    shape = Shape.of(rep("2S"), rep("2S"), [])
    return FittedEnsemble(shape, Recipe(), predict, (), HeldOut(X, Y), n_train=100, seconds=1.0)


def test_members_see_standardised_rows_and_answer_in_the_units_of_the_data():
    outputs = predictor(1.0, 3.0)(X)
    standard = (X - [1.0, 0.0]) / [2.0, 1.0]
    assert outputs.shape == (2, 30, 2)
    np.testing.assert_allclose(outputs[0], standard * [1.0, 10.0] + [0.0, 5.0])
    np.testing.assert_allclose(outputs[1], 3 * standard * [1.0, 10.0] + [0.0, 5.0])


def test_classes_have_probabilities():
    outputs = predictor(1.0, 3.0, target=Target.CLASSES)(X)
    np.testing.assert_allclose(outputs.sum(-1), 1.0)
    assert (outputs > 0).all()


def test_each_target_has_its_loss_and_its_word_in_files():
    assert Target("regressor").criterion is torch.nn.functional.mse_loss
    assert Target("classifier").criterion is torch.nn.functional.cross_entropy


def test_mean_and_spread_over_members():
    fit = ensemble(lambda rows: np.stack([rows, 3 * rows]), X)
    mean, std = fit.predict(X)
    np.testing.assert_allclose(mean, 2 * X)
    np.testing.assert_allclose(std, np.abs(X))


def test_errors_on_held_out_rows():
    right, shifted = ensemble(lambda rows: rows[None], X), ensemble(lambda rows: rows[None] + 0.5, X)
    assert (right.test_error(), right.explained()) == (0.0, 1.0)
    assert shifted.test_error() == pytest.approx(0.25)
    assert shifted.explained() == pytest.approx(1 - 0.25 / X.var(0).mean())
    assert ensemble(lambda rows: rows[None], np.zeros_like(X)).explained() == 0.0  # nothing to explain


def test_held_out_rows_are_predicted_once():
    predict = Counted(lambda rows: rows[None])
    fit = ensemble(predict, X)
    for _ in range(3):
        fit.test_error(), fit.explained(), fit.held_predictions
    assert predict.calls == 1
    changed = replace(fit, predictor=Counted(lambda rows: rows[None] + 1.0))
    assert changed.test_error() == pytest.approx(1.0)
