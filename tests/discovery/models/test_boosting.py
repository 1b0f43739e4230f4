"""Gradient boosting for outputs of any number."""

import numpy as np

from softsym.discovery.models.boosting import MOST_DIRECTIONS, boosted

X = np.random.default_rng(0).standard_normal((120, 3))


def test_a_function_of_any_rows():
    predict = boosted(X, np.sign(X))
    assert np.mean((predict(X) - np.sign(X)) ** 2) < 0.05
    np.testing.assert_allclose(predict(X[:4]), predict(X)[:4])


def test_outputs_lie_along_a_few_directions():
    predict = boosted(X, X @ np.random.default_rng(1).standard_normal((3, 40)))
    assert predict(X).shape == (120, 40)
    assert np.linalg.matrix_rank(predict(X) - predict(X).mean(0)) <= MOST_DIRECTIONS
