"""The kernel fit: derivatives, and how far to trust them."""

import numpy as np
import pytest

from softsym.inference.propose.fits.fit import Fit, best_kernel


def _rows(n=200, noise=0.05, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.standard_normal((n, 2))
    truth = np.sin(Z[:, :1]) * Z[:, 1:]
    return Z, truth, truth + noise * rng.standard_normal(truth.shape)


def test_jacobian_is_the_derivative_of_the_prediction():
    Z, _, Y = _rows()
    fit = Fit.of(Z, Y)
    numeric = [(fit.predict(Z + 1e-5 * e) - fit.predict(Z - 1e-5 * e)) / 2e-5 for e in np.eye(2)]
    assert np.allclose(fit.jacobian(Z), np.stack(numeric, axis=2), atol=1e-5)


def test_errors_are_as_large_as_it_says():
    ratios = []
    for seed in range(6):
        Z, truth, Y = _rows(seed=seed)
        fit = Fit.of(Z, Y)
        known = fit.known(fit.kernel.gram(Z, fit.Z))
        expected = fit.scale * fit.calibration * (np.diag(fit.kernel.gram(Z, Z)) - (known**2).sum(1)).mean()
        ratios.append(float(((fit.predict(Z) - truth) ** 2).mean()) / expected)
    assert 0.4 < np.mean(ratios) < 2.0


def test_it_explains_functions_and_not_noise():
    Z, _, Y = _rows()
    assert Fit.of(Z, Y).r2 > 0.95
    assert Fit.of(Z, np.random.default_rng(1).standard_normal((200, 1))).r2 < 0.1


def test_a_polynomial_gets_a_polynomial_kernel():
    Z = np.random.default_rng(0).standard_normal((100, 3))
    kernel, likelihood = best_kernel(Z, Z[:, :1] * Z[:, 1:2])
    assert kernel.polynomial.degree == 2
    assert likelihood > best_kernel(Z, np.random.default_rng(0).standard_normal((100, 1)))[1]
    assert kernel.radial is None or kernel.share == pytest.approx(0.003)
