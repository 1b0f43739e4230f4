"""The perceptron: scikit-learn's, as plain arrays."""

import numpy as np

from softsym.discovery.models.perceptron import fit_perceptron

X = np.random.default_rng(0).standard_normal((200, 3)) * [1.0, 5.0, 0.2] + 2.0
Y = np.stack([X[:, 0] * X[:, 2], 100 * X[:, 1]], axis=1)


def test_it_learns_whatever_the_units():
    model = fit_perceptron(X[:150], Y[:150], (X[150:], Y[150:]))
    errors = (model(X[150:]) - Y[150:]) / Y.std(0)
    assert (np.mean(errors**2, axis=0) < 0.2).all()
    assert np.allclose(model.noise, np.sqrt(np.mean((model(X[150:]) - Y[150:]) ** 2, axis=0)))


def test_the_seed_decides():
    a, b, c = (fit_perceptron(X[:60], Y[:60], (X[60:], Y[60:]), seed)(X) for seed in (0, 0, 1))
    assert np.array_equal(a, b)
    assert not np.array_equal(a, c)


def test_a_handful_of_rows_is_enough():
    assert fit_perceptron(X[:4], Y[:4], (X[4:8], Y[4:8]))(X[:2]).shape == (2, 2)
