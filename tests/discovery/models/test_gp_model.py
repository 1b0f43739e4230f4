"""The Gaussian process as a rung."""

import numpy as np
import pytest

import softsym as ss
from softsym.discovery.models.gp_model import process
from softsym.errors import InputError
from softsym.groups import group
from softsym.reps import rep

RNG = np.random.default_rng(0)
X = RNG.standard_normal((160, 6))
Y = np.cross(X[:, :3], X[:, 3:])
SHAPE = (rep("2V"), rep("V"))


def test_it_predicts_as_the_process_does():
    gp = ss.SoftEquivariantGP("2V", "V", ["SO(3)"]).fit(X[:100], Y[:100])
    rung = process(X[:100], Y[:100], *SHAPE, [group("SO(3)")])
    mean, std = gp.predict(X[100:], return_std=True)
    assert np.allclose(rung(X[100:]), mean)
    assert np.allclose(rung.spread(X[100:]), std)
    assert rung.weights == gp.weights_


def test_its_noise_is_that_of_the_data():
    noisy = Y + 0.3 * RNG.standard_normal(Y.shape)
    assert process(X, noisy, *SHAPE, [group("SO(3)")]).noise.mean() == pytest.approx(0.09, rel=0.3)


def test_more_rows_are_conditioned_on_with_the_same_settings():
    rung = process(X[:80], Y[:80], *SHAPE, [group("SO(3)")])
    more = rung.on(X[:140], Y[:140])
    assert (rung.rows, more.rows) == (80, 140)
    assert more.gp.process_.noises == rung.gp.process_.noises
    assert np.mean((more(X[140:]) - Y[140:]) ** 2) <= np.mean((rung(X[140:]) - Y[140:]) ** 2)
    assert rung.rows == 80  # as it was


def test_several_symmetries_at_once():
    groups = [group("O(2)@x"), group("O(2)@z")]
    vector = X[:, :3] * np.sum(X[:, 3:] ** 2, axis=1, keepdims=True)
    rung = process(X[:100], vector[:100], *SHAPE, groups).snapped(groups)
    assert rung.has == ("O(2)@x", "O(2)@z")
    assert np.mean((rung(X[100:]) - vector[100:]) ** 2) < 0.1 * vector.var()


def test_what_has_no_kernel_is_refused_or_left_out():
    rung = process(X[:60], Y[:60], *SHAPE, [group("SO(3)")])
    assert rung.snapped([]) is rung
    with pytest.raises(InputError):
        process(X[:, :5], Y, *SHAPE, [group("SO(3)")])
