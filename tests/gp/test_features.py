"""Features: every function they span is equivariant at Haar elements, and sums over rows are those of the features written out."""

import numpy as np
import pytest

import softsym as ss
from softsym.gp.arrays import from_state, replace_arrays, to_state
from softsym.gp.features import (
    InducingPoints,
    combine,
    correlate,
    count_features,
    equivariant_features,
    gram,
    scale_copies,
    squared_exponential,
    unconstrained_features,
    write_out,
)
from softsym.gp.mixture import optimise
from softsym.gp.regression import RemainderSums, Statistics, fit
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
    ("O(5)", "2V", "V"),
    ("SL(2)", "2V", "S"),
    ("U(2)", "2V", "V"),
]


@pytest.mark.parametrize(("group", "rep_in", "rep_out"), CASES)
def test_functions_are_equivariant_at_haar_elements(group, rep_in, rep_out):
    group, rep, output = ss.group(group), ss.rep(rep_in), ss.rep(rep_out)
    rng, q = (np.random.default_rng(0), ss.rep(rep_out).size(ss.group(group) if isinstance(group, str) else group))
    X = rng.standard_normal((40, rep.size(group)))
    shift, scale = scale_copies(X, rep, group)
    elements = group.sample_parts(2, seed=3)
    transformed, names = act(rep, group, elements, X), []
    for features in equivariant_features(rep, output.terms[0][1], group, (X - shift) / scale, 200):
        parts = features((X - shift) / scale)
        weights = rng.standard_normal((count_features(parts, q), 1))
        expected = act(output, group, elements, combine(parts, weights, q)[:, :, 0])
        found = np.stack([combine(features((rows - shift) / scale), weights, q)[:, :, 0] for rows in transformed])
        np.testing.assert_allclose(found, expected, atol=1e-7 * np.abs(expected).max())
        names.append(features.name)
    assert len(names) > 2


@pytest.mark.parametrize(("group", "rep_in", "rep_out"), CASES[:4])
def test_sums_are_those_of_features_written_out(group, rep_in, rep_out):
    group, rep, output = ss.group(group), ss.rep(rep_in), ss.rep(rep_out)
    rng, q = np.random.default_rng(0), output.size(group)
    X, Y = rng.standard_normal((30, rep.size(group))), rng.standard_normal((30, q, 2))
    for features in equivariant_features(rep, output.terms[0][1], group, X, 60):
        parts = [*features(X), (None, rng.standard_normal((30, 3)))]
        F = write_out(parts, q).reshape(30 * q, -1)
        np.testing.assert_allclose(gram(parts, parts, q), F.T @ F, atol=1e-9 * np.abs(F.T @ F).max())
        np.testing.assert_allclose(correlate(parts, Y), F.T @ Y.reshape(30 * q, 2), atol=1e-8)
        weights = rng.standard_normal((F.shape[1], 2))
        np.testing.assert_allclose(combine(parts, weights, q).reshape(30 * q, 2), F @ weights, atol=1e-8)


def test_maps_come_back_from_their_state_and_run_on_tensors():
    import torch

    rng = np.random.default_rng(0)
    X = rng.standard_normal((20, 6))
    maps = [*equivariant_features(ss.rep("2V"), ss.Vector.terms[0][1], ss.SO(3), X, 60), *unconstrained_features(X, 30)]
    for features in (*maps, *equivariant_features(ss.rep("3V"), ss.Vector.terms[0][1], ss.C(4), X, 60)):
        q = 2 if features(X)[0][0] is not None and features(X)[0][0].shape[1] == 2 else 3
        parts = features(X)
        weights = rng.standard_normal((count_features(parts, q), 1))
        about, arrays = to_state(features)
        np.testing.assert_allclose(combine(from_state(about, arrays)(X), weights, q), combine(parts, weights, q))
        tensors = replace_arrays(features, lambda a: torch.from_numpy(a) if a.dtype.kind == "f" else a)
        found = combine(tensors(torch.from_numpy(X)), torch.from_numpy(weights), q)
        np.testing.assert_allclose(found.numpy(), combine(parts, weights, q), atol=1e-10)


def test_all_rows_inducing_is_the_kernel_itself():
    U = np.random.default_rng(0).standard_normal((30, 2))
    phi = InducingPoints.select(U, 0.3, 30, tolerance=0.0)(U)
    np.testing.assert_allclose(phi @ phi.T, squared_exponential(U / 0.3, U / 0.3), atol=1e-7)


def dense_likelihood(F, y, ridge):
    covariance = F @ (F / ridge).T + np.eye(len(F))
    noise = float(y @ np.linalg.solve(covariance, y)) / len(y)
    return -0.5 * (len(y) * np.log(noise) + np.linalg.slogdet(covariance)[1] + len(y))


def test_the_ridge_of_highest_likelihood_against_the_dense_formula():
    rng = np.random.default_rng(0)
    F, y, one = rng.standard_normal((40, 1, 6)), rng.standard_normal((40, 1, 1)), np.ones((40, 1))
    found = fit(Statistics.from_parts([(F, one)], y))
    assert dense_likelihood(F[:, 0], y[:, 0, 0], found.ridge) == pytest.approx(found.log_likelihood, abs=1e-6)
    best = max(dense_likelihood(F[:, 0], y[:, 0, 0], 10.0**k) for k in np.arange(-6, 5, 0.25))
    assert found.log_likelihood == pytest.approx(best, abs=1e-3)


def test_the_remainder_against_the_dense_formula():
    rng = np.random.default_rng(0)
    F, K, y, one = (
        rng.standard_normal((50, 1, 4)),
        rng.standard_normal((50, 3)),
        rng.standard_normal((50, 1, 1)),
        np.ones((50, 1)),
    )
    found = RemainderSums.from_parts([(F, one)], [K], y)[0].remainder(Statistics.from_parts([(F, one)], y), 0.5)
    heights, ridges, _ = found.profile(np.array([1e-3, 0.1, 1.0]))
    both = [
        dense_likelihood(np.concatenate([F[:, 0] / np.sqrt(0.5), K / np.sqrt(r)], axis=1), y[:, 0, 0], 1.0)
        for r in ridges[:, 0]
    ]
    differences = np.array(both) - heights[:, 0]
    assert np.ptp(differences) < 0.02  # up to a constant, and the noise that three steps have not found


def test_variances_of_components_against_the_dense_likelihood():
    rng = np.random.default_rng(0)
    F = rng.standard_normal((80, 5))
    y = F[:, :2] @ [1.0, -2.0] + 0.3 * rng.standard_normal(80)
    found = optimise(Statistics.from_parts([(F[:, None], np.ones((80, 1)))], y[:, None, None]), [2, 3])

    def height(ridges):
        return dense_likelihood(F / np.sqrt(np.repeat(ridges, [2, 3])), y, 1.0)

    assert height(found.ridges) == pytest.approx(found.log_likelihood, abs=1e-6)
    for factor in ((2.0, 1.0), (0.5, 1.0), (1.0, 2.0), (1.0, 0.5)):
        assert height(found.ridges * factor) < found.log_likelihood + 0.02


def test_statistics_add_over_rows():
    rng = np.random.default_rng(0)
    F, y, one = rng.standard_normal((10, 3, 4)), rng.standard_normal((10, 3, 2)), np.ones((10, 1))
    whole = Statistics.from_parts([(F, one)], y)
    parts = [Statistics.from_parts([(F[rows], one[rows])], y[rows]) for rows in (slice(6), slice(6, 10))]
    np.testing.assert_allclose((parts[0] + parts[1]).A, whole.A)
    np.testing.assert_allclose((whole - parts[1]).b, parts[0].b)


@pytest.mark.parametrize("near", [1e-8, 1.0, 1e6, 1e19])
def test_the_search_of_a_ridge_does_not_stay_where_nothing_is_explained(near):
    """Between no explanation and the best one the likelihood of a narrow kernel has a valley."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((200, 4))
    y = np.sign(x[:, 0] * x[:, 1]) + 0.3 * rng.standard_normal(200)
    K = np.exp(-((x[:, None] - x[None, :150]) ** 2).sum(axis=2) / 32.0)
    sums = Statistics.from_parts([(K[:, None, :], np.ones((200, 1)))], y[:, None, None])
    assert fit(sums, near).log_likelihood == pytest.approx(fit(sums).log_likelihood, abs=1e-6)
