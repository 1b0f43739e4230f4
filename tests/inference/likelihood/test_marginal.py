import math

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from softsym.errors import InputError
from softsym.inference.kernels import Kernel
from softsym.inference.likelihood.marginal import (
    LOWEST,
    Spectrum,
    best_noise,
    condition,
    roots_of,
    scale_by_weights,
)


@pytest.fixture
def case():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((40, 2))
    gram = Kernel("rbf", 1.0).gram(X, X)
    truth = np.linalg.cholesky(gram + 1e-9 * np.eye(40)) @ rng.standard_normal((40, 3))
    return gram, truth + 0.1 * rng.standard_normal((40, 3))


def test_value_is_the_density_at_the_best_scale(case):
    gram, Y = case
    one = condition(gram, Y, 0.02)
    covariance = one.scale * (gram + 0.02 * np.eye(40))
    assert one.value == pytest.approx(sum(multivariate_normal(cov=covariance).logpdf(y) for y in Y.T))
    for scale in (0.99, 1.01):
        assert sum(multivariate_normal(cov=scale * covariance).logpdf(y) for y in Y.T) < one.value


def test_spectrum_and_factorisation_agree(case):
    gram, Y = case
    spectrum = Spectrum.of(gram, Y)
    assert spectrum.value(0.02) == pytest.approx(condition(gram, Y, 0.02).value)
    noise, value = spectrum.best()
    for guess in (None, 1e-4, noise, 10.0):
        assert best_noise(gram, Y, guess).value == pytest.approx(value, abs=0.02)
    assert best_noise(gram, Y).noise == pytest.approx(noise, rel=0.1)


def test_left_out_errors_are_those_of_fits_without_the_row(case):
    gram, Y = case
    leave_out_errors = condition(gram, Y, 0.02).leave_out_errors()
    for i in (0, 7):
        rest = np.delete(np.arange(40), i)
        alpha = np.linalg.solve(gram[np.ix_(rest, rest)] + 0.02 * np.eye(39), Y[rest])
        assert np.allclose(leave_out_errors[i], Y[i] - gram[i, rest] @ alpha)


def test_left_out_rows_of_several_coordinates(case):
    gram, Y = case  # 20 rows of two coordinates
    leave_out_errors = condition(gram, Y, 0.02).leave_out_errors(blocks=2)
    out = np.array([3, 23])
    rest = np.delete(np.arange(40), out)
    alpha = np.linalg.solve(gram[np.ix_(rest, rest)] + 0.02 * np.eye(38), Y[rest])
    assert np.allclose(leave_out_errors[out], Y[out] - gram[np.ix_(out, rest)] @ alpha)


def test_posterior_spread_of_a_part(case):
    gram, Y = case
    part = 0.3 * gram
    dense = part - part @ np.linalg.solve(gram + 0.02 * np.eye(40), part)
    assert np.allclose(condition(gram, Y, 0.02).posterior_variances(part), np.diag(dense))


def test_without_noise_the_least_is_taken():
    X = np.random.default_rng(1).standard_normal((30, 1))
    assert best_noise(Kernel("polynomial", 2).gram(X, X), X**2).noise < 1e3 * LOWEST


def test_singular_matrices():
    Y = np.ones((4, 1))
    assert condition(-np.eye(4), Y, 0.5) is None
    with pytest.raises(InputError, match="the kernel's matrix is singular"):
        best_noise(-1e9 * np.eye(4), Y)
    assert math.isfinite(best_noise(np.ones((4, 4)), Y).value)  # repeated rows


def test_row_groups_left_out_are_predicted_from_the_others():
    rng = np.random.default_rng(5)
    n, b = 9, 2
    A = rng.standard_normal((n * b, n * b))
    K, Y, row_groups = (
        A @ A.T / (n * b),
        rng.standard_normal((n * b, 3)),
        np.array([0, 1, 2, 0, 1, 2, 0, 4, 4]),
    )
    errors = condition(K, Y, 0.3).leave_out_errors(b, row_groups)
    out = np.tile(row_groups == 0, b)
    rest = condition(K[np.ix_(~out, ~out)], Y[~out], 0.3)
    assert np.allclose(errors[out], Y[out] - K[np.ix_(out, ~out)] @ rest.alpha)
    each = condition(K, Y, 0.3).leave_out_errors(b, np.arange(n))
    assert np.allclose(each, condition(K, Y, 0.3).leave_out_errors(b))


def test_rows_that_count_have_less_noise(case):
    """Against the density written out: noise of a row has the variance of all divided by its weight."""
    gram, Y = case
    weights = np.random.default_rng(1).uniform(0.1, 3.0, 40)
    roots = roots_of(weights)
    one = condition(scale_by_weights(gram, roots), Y * roots, 0.02)
    covariance = one.scale * (gram + np.diag(0.02 / weights))
    density = sum(multivariate_normal(cov=covariance).logpdf(y) for y in Y.T)
    assert one.value == pytest.approx(density - 3 * np.log(roots).sum())
    kept = np.arange(40) != 7
    inside = gram[np.ix_(kept, kept)] + np.diag(0.02 / weights[kept])
    without = gram[7, kept] @ np.linalg.solve(inside, Y[kept])
    assert np.allclose(one.leave_out_errors()[7], roots[7] * (Y[7] - without))
    assert scale_by_weights(gram, roots_of(None)) is gram
    assert roots_of(np.array([1.0, 4.0]), 2).tolist() == [[1.0], [2.0], [1.0], [2.0]]
