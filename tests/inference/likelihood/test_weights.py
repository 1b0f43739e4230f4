import numpy as np
import pytest

from softsym.inference.kernels import Kernel
from softsym.inference.likelihood.marginal import condition
from softsym.inference.likelihood.weights import _slopes, best_weights

SMOOTH = Kernel("rbf", 1.4)


def test_slopes_against_differences():
    rng = np.random.default_rng(2)
    kernels = [(lambda A: A @ A.T / 12)(rng.standard_normal((12, 12))) for _ in range(3)]
    Y, weights, noise, h = rng.standard_normal((12, 2)), np.array([0.5, 0.3, 0.2]), 0.1, 1e-6

    def value(weights, noise):
        return condition(sum(w * K for w, K in zip(weights, kernels, strict=True)), Y, noise).value

    _, by_weight, by_noise = _slopes(kernels, Y, weights, noise)
    for k in range(3):
        step = h * np.eye(3)[k]
        assert by_weight[k] == pytest.approx(
            (value(weights + step, noise) - value(weights - step, noise)) / (2 * h), rel=1e-4
        )
    assert by_noise == pytest.approx(
        (value(weights, noise + h) - value(weights, noise - h)) / (2 * h), rel=1e-4
    )


def test_weights_of_a_useless_kernel_vanish():
    rng = np.random.default_rng(3)
    X = rng.standard_normal((60, 2))
    right, wrong = SMOOTH.gram(X, X), SMOOTH.gram(*[rng.standard_normal((60, 2))] * 2)
    Y = np.linalg.cholesky(right + 1e-8 * np.eye(60)) @ rng.standard_normal(
        (60, 2)
    ) + 0.05 * rng.standard_normal((60, 2))
    weights, (noise,) = best_weights([[right, wrong]], [Y], np.ones(2), 1e-2)
    assert weights[1] < 0.01
    assert 1e-4 < noise < 1e-2
