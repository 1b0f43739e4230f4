"""The Gaussian process as a model."""

import numpy as np
import pytest

import softsym as ss
from softsym.discovery.models.gp_model import fit_gp_model
from softsym.errors import InputError
from softsym.groups import group
from softsym.reps import rep

RNG = np.random.default_rng(0)
X = RNG.standard_normal((160, 6))
Y = np.cross(X[:, :3], X[:, 3:])
SHAPE = (rep("2V"), rep("V"))


def test_it_predicts_as_the_process_does():
    gp = ss.SoftEquivariantGP("2V", "V", ["SO(3)"]).fit(X[:100], Y[:100])
    model = fit_gp_model(X[:100], Y[:100], *SHAPE, [group("SO(3)")])
    mean, std = gp.predict(X[100:], return_std=True)
    assert np.allclose(model(X[100:]), mean)
    assert np.allclose(model.std(X[100:]), std)
    assert model.weights == gp.weights_


def test_its_noise_is_that_of_the_data():
    noisy = Y + 0.3 * RNG.standard_normal(Y.shape)
    assert fit_gp_model(X, noisy, *SHAPE, [group("SO(3)")]).noise.mean() == pytest.approx(0.09, rel=0.3)


def test_more_rows_are_conditioned_on_with_the_same_settings():
    model = fit_gp_model(X[:80], Y[:80], *SHAPE, [group("SO(3)")])
    more = model.refit(X[:140], Y[:140])
    assert (model.rows, more.rows) == (80, 140)
    assert more.gp.process_.noises == model.gp.process_.noises
    assert np.mean((more(X[140:]) - Y[140:]) ** 2) <= np.mean((model(X[140:]) - Y[140:]) ** 2)
    assert model.rows == 80  # as it was


def test_several_symmetries_at_once():
    groups = [group("O(2)@x"), group("O(2)@z")]
    vector = X[:, :3] * np.sum(X[:, 3:] ** 2, axis=1, keepdims=True)
    model = fit_gp_model(X[:100], vector[:100], *SHAPE, groups).project(groups)
    assert model.exact_groups == ("O(2)@x", "O(2)@z")
    assert np.mean((model(X[100:]) - vector[100:]) ** 2) < 0.1 * vector.var()


def test_what_has_no_kernel_is_refused_or_left_out():
    model = fit_gp_model(X[:60], Y[:60], *SHAPE, [group("SO(3)")])
    assert model.project([]) is model
    with pytest.raises(InputError):
        fit_gp_model(X[:, :5], Y, *SHAPE, [group("SO(3)")])
