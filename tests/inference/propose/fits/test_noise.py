"""The most likely noise, against an eigendecomposition."""

import numpy as np
import pytest

from softsym.inference.propose.fits.noise import CACHED, NOISES, best_noise
from softsym.inference.propose.fits.smooth import Gaussian, Polynomial, SmoothKernel


def _by_eigenvalues(gram, Y):
    values, vectors = np.linalg.eigh(gram)
    squares = np.sum((vectors.T @ Y) ** 2, axis=1)
    shrunk = np.maximum(values, 0.0)[:, None] + NOISES * np.trace(gram) / len(gram)
    n, q = Y.shape
    scales = (squares[:, None] / shrunk).sum(axis=0) / (n * q)
    likelihoods = -0.5 * q * (n * np.log(scales) + np.log(shrunk).sum(axis=0))
    best = int(likelihoods.argmax())
    return NOISES[best] * np.trace(gram) / n, scales[best], likelihoods[best]


@pytest.mark.parametrize("n", [12, 150, CACHED + 100])
@pytest.mark.parametrize("noise", [0.0, 0.05, 1.0])
def test_it_is_that_of_an_eigendecomposition(n, noise):
    rng = np.random.default_rng(n)
    Z = rng.standard_normal((n, 3))
    Y = np.stack([Z[:, 0] * Z[:, 1], np.sin(Z[:, 2])], axis=1) + noise * rng.standard_normal((n, 2))
    gram = SmoothKernel(Polynomial(2), Gaussian(1.5)).gram(Z, Z)
    assert best_noise(gram, Y) == pytest.approx(_by_eigenvalues(gram, Y), rel=1e-5)


def test_a_matrix_without_rank_does_not_stop_it():
    Y = np.random.default_rng(0).standard_normal((40, 1))
    noise, scale, likelihood = best_noise(np.ones((40, 40)), Y - Y.mean())
    assert np.isfinite([noise, scale, likelihood]).all()
