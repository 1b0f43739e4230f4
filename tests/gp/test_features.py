"""Features: every function they span is equivariant at Haar elements, and they learn what has the symmetry."""

import numpy as np
import pytest

import softsym as ss
from softsym.gp.features import InducingPoints, equivariant_features, scale_copies, squared_exponential
from softsym.gp.regression import RIDGES, Statistics, fit
from softsym.metrics import act

CASES = [
    ("SO(3)", "2V", "V"),
    ("O(3)", "S + 2V", "T(2)"),
    ("SO(2)", "V", "S"),
    ("C(4)", "V", "V"),
    ("D(6)", "2V", "S"),
    ("O(2)@z", "2V", "V"),
    ("Lorentz()", "2V", "S"),
    ("Scaling(3)", "V", "V"),
    ("SO(3) | Scaling(3)", "2V", "V"),
    ("S(5)", "V", "V"),
]


@pytest.mark.parametrize(("group", "rep_in", "rep_out"), CASES)
def test_functions_are_equivariant_at_haar_elements(group, rep_in, rep_out):
    group, rep, output = ss.group(group), ss.rep(rep_in), ss.rep(rep_out)
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, rep.size(group)))
    shift, scale = scale_copies(X, rep, group)
    elements = group.sample_parts(2, seed=3)
    moved = act(rep, group, elements, X)
    names = []
    for name, features in equivariant_features(rep, output.terms[0][1], group, (X - shift) / scale, 200):
        values = features((X - shift) / scale)
        values = values @ rng.standard_normal((values.shape[2], 1))
        expected = act(output, group, elements, values[:, :, 0])
        found = np.stack([(features((images - shift) / scale)) for images in moved])
        rng_weights = np.linalg.lstsq(
            features((X - shift) / scale).reshape(-1, found.shape[3]), values.reshape(-1), rcond=None
        )[0]
        np.testing.assert_allclose(found @ rng_weights, expected, atol=1e-6 * np.abs(expected).max())
        names.append(name)
    assert len(names) > 2


def test_all_rows_inducing_is_the_kernel_itself():
    U = np.random.default_rng(0).standard_normal((30, 2))
    phi = InducingPoints.select(U, 0.3, 30, tolerance=0.0)(U)
    np.testing.assert_allclose(phi @ phi.T, squared_exponential(U, U, 0.3), atol=1e-7)


def test_the_ridge_of_highest_likelihood_against_the_dense_formula():
    rng = np.random.default_rng(0)
    F, y = rng.standard_normal((40, 1, 6)), rng.standard_normal((40, 1, 1))
    found = fit(Statistics.from_rows(F, y))

    def dense(ridge):
        covariance = F[:, 0] @ F[:, 0].T / ridge + np.eye(40)
        noise = float(y[:, 0, 0] @ np.linalg.solve(covariance, y[:, 0, 0])) / 40
        return -0.5 * (40 * np.log(noise) + np.linalg.slogdet(covariance)[1] + 40)

    assert found.log_likelihood == pytest.approx(max(map(dense, RIDGES)), abs=1e-6)
    assert dense(found.ridge) == pytest.approx(found.log_likelihood, abs=1e-6)


def test_statistics_add_over_rows():
    rng = np.random.default_rng(0)
    F, y = rng.standard_normal((10, 3, 4)), rng.standard_normal((10, 3, 2))
    parts = Statistics.from_rows(F[:6], y[:6]) + Statistics.from_rows(F[6:], y[6:])
    whole = Statistics.from_rows(F, y)
    np.testing.assert_allclose(parts.A, whole.A)
    np.testing.assert_allclose(parts.b, whole.b)
    assert parts.count == whole.count


def test_a_saturating_force_with_a_cross_product_is_learned():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 6))
    cross, inner = np.cross(X[:, :3], X[:, 3:]), (X[:, :3] * X[:, 3:]).sum(1, keepdims=True)
    t = cross / np.sqrt(1 + (cross**2).sum(1, keepdims=True)) + X[:, :3] * np.tanh(inner)
    Y = (t + 0.05 * t.std() * rng.standard_normal(t.shape))[:, :, None]
    best, height = None, -np.inf
    for _, features in equivariant_features(ss.rep("2V"), ss.Vector.terms[0][1], ss.SO(3), X[:300]):
        statistics = Statistics.from_rows(features(X[:300]), Y[:300])
        found = fit(statistics)
        if found.log_likelihood > height:
            weights = np.linalg.solve(statistics.A + found.ridge * np.eye(len(statistics.A)), statistics.b)
            best, height = features(X[300:]) @ weights, found.log_likelihood
    assert np.mean((best[:, :, 0] - t[300:]) ** 2) < 0.03 * t.var()
