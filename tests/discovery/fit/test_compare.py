"""One model against another, by paired differences."""

import math

import numpy as np
import pytest

from softsym.discovery.fit.compare import squared_errors, standard_errors
from softsym.discovery.fit.fitted import HeldOut

X = np.random.default_rng(0).standard_normal((50, 3))


def test_errors_of_rows_are_those_of_the_mean_over_members():
    rows = HeldOut(X, X[:, :2])
    errors = squared_errors(lambda x: np.stack([x[:, :2] + 1.0, x[:, :2] - 0.5]), rows)
    assert errors.shape == (50,)
    np.testing.assert_allclose(errors, 0.25**2)
    np.testing.assert_allclose(
        HeldOut(X, np.zeros((50, 1))).errors(X[:, 0]), X[:, 0] ** 2
    )  # one column may be flat


def test_differences_are_paired():
    noise = 100 * X[:, 0] ** 2
    assert standard_errors(noise + 1 + 0.01 * X[:, 1], noise) > 100
    t = np.random.default_rng(1).standard_normal(50)
    assert standard_errors(t, np.zeros(50)) == pytest.approx(t.mean() / (t.std(ddof=1) / 50**0.5))
    assert standard_errors(np.zeros(50), t) == pytest.approx(-standard_errors(t, np.zeros(50)))


def test_where_nothing_varies_the_sign_decides():
    same = np.ones(5)
    assert standard_errors(same, same) == 0.0
    assert standard_errors(same + 1, same) == math.inf
    assert standard_errors(same, same + 1) == -math.inf
    assert standard_errors(same[:1] + 1, same[:1]) == math.inf  # a single row


def test_who_diverged_is_infinitely_worse():
    finite, lost = np.arange(5.0), np.full(5, math.inf)
    assert standard_errors(lost, finite) == math.inf
    assert standard_errors(finite, lost) == -math.inf
    assert standard_errors(lost, lost) == 0.0
