"""The soft-equivariant Gaussian process and kernel ridge regression: contract, symmetries, all rows, states."""

import copy

import numpy as np
import pytest
import torch
from sklearn.utils.estimator_checks import parametrize_with_checks

import softsym as ss
from softsym.errors import InputError
from softsym.gp import SoftEquivariantGP, fit_kernel_ridge
from softsym.gp.arrays import from_state, to_state
from softsym.metrics.transform import act

NOT_HELD = {
    "check_sample_weight_equivalence_on_dense_data": "rows on which features are chosen are drawn from all rows"
}


@parametrize_with_checks([SoftEquivariantGP()], expected_failed_checks=lambda estimator: NOT_HELD)
def test_scikit_learns_contract(estimator, check):
    check(estimator)


def draw(n, seed=0, wind=0.0, noise=0.05):
    """Drag in a wind along z: O(2)@z always, O(3) without wind."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 3))
    relative = X - [0.0, 0.0, wind]
    Y = -relative * np.linalg.norm(relative, axis=1, keepdims=True)
    return X, Y + noise * rng.standard_normal(Y.shape)


COMPACT = [
    ("O(3)", "2V", "V"),
    ("SO(3)", "S + 2V", "T(2)"),
    ("O(2)@z", "2V", "V"),
    ("SO(2)", "V", "V"),
    ("D(4)", "V", "S"),
    ("S(4)", "2V", "V"),
    ("SO(4)", "V", "S"),
    ("Icosahedral()", "V", "V"),
    ("U(2)", "V", "S"),
    ("C(5)", "V", "V"),
]
PSEUDO = [
    ("O(3)", "2V", "pV"),
    ("O(3)", "V + pV", "V + pV"),
    ("O(3)", "3V", "pS"),
    ("SO(3)", "V + pV", "pV"),
    ("O(2)", "V + pS", "V"),
    ("O(2)@z", "V + pV", "V"),
    ("S(4)", "V + pV", "pV"),
    ("O(3)", "Sym(2) + V", "Sym(2)"),
    ("O(3)", "1o + 2e", "1e + 2e"),
]


@pytest.mark.parametrize(("group", "rep_in", "rep_out"), COMPACT)
def test_what_is_enforced_holds_at_haar_elements(group, rep_in, rep_out):
    G, rng = ss.group(group), np.random.default_rng(0)
    X = rng.standard_normal((60, ss.rep(rep_in).size(G)))
    Y = rng.standard_normal((60, ss.rep(rep_out).size(G)))
    gp = SoftEquivariantGP(rep_in, rep_out, [group], exact_groups=[group]).fit(X, Y).project([group])
    assert gp.exact_groups_ == (G.name,)
    elements = G.sample_parts(6, seed=1)
    found = np.stack([gp.predict(rows) for rows in act(rep_in, G, elements, X[:10])])
    assert np.abs(found - act(rep_out, G, elements, gp.predict(X[:10]))).max() < 1e-6 * Y.std()


@pytest.mark.parametrize(("group", "rep_in", "rep_out"), PSEUDO)
def test_pseudo_quantities_are_exact_at_haar_elements(group, rep_in, rep_out):
    G, rng = ss.group(group), np.random.default_rng(0)
    X = rng.standard_normal((60, ss.rep(rep_in).size(G)))
    Y = rng.standard_normal((60, ss.rep(rep_out).size(G)))
    gp = SoftEquivariantGP(rep_in, rep_out, [group], exact_groups=[group]).fit(X, Y).project([group])
    elements = G.sample_parts(6, seed=1)
    found = np.stack([gp.predict(rows) for rows in act(rep_in, G, elements, X[:10])])
    assert np.abs(found - act(rep_out, G, elements, gp.predict(X[:10]))).max() < 1e-10


def test_cross_products_are_learned_with_reflections():
    v, w = np.random.default_rng(0).standard_normal((2, 80, 3))
    gp = SoftEquivariantGP("V + pV", "V", ["O(3)"], exact_groups=["O(3)"]).fit(np.hstack([v, w]), v + np.cross(v, w))
    v, w = np.random.default_rng(1).standard_normal((2, 80, 3))
    assert np.abs(gp.predict(np.hstack([v, w])) - v - np.cross(v, w)).max() < 1e-3


def test_what_is_broken_costs_little():
    X, Y = draw(120, wind=1.0)
    fresh, truth = draw(400, seed=1, wind=1.0, noise=0.0)

    def error(groups):
        return np.mean((SoftEquivariantGP("V", "V", groups).fit(X, Y).predict(fresh) - truth) ** 2)

    unconstrained, right, both = error([]), error(["O(2)@z"]), error(["O(2)@z", "O(2)@x"])
    assert right < unconstrained
    assert both < 2.0 * right


def test_candidates_that_hold_are_joined():
    X, Y = draw(80)
    gp = SoftEquivariantGP("V", "V", ["O(2)@x", "O(2)@z"]).fit(X, Y)
    assert gp.weights_ == pytest.approx({"O(2)@x": 1.0, "O(2)@z": 1.0})
    assert gp.exact_groups_ == ("O(2)@x", "O(2)@z")
    assert [row.verdict for row in gp.symmetries_] == ["exact", "exact"]


def test_standard_deviations_cover():
    X, Y = draw(80, noise=0.3)
    fresh, measured = draw(600, seed=2, noise=0.3)
    mean, std = SoftEquivariantGP("V", "V", ["O(3)"]).fit(X, Y).predict(fresh, return_std=True)
    assert 0.9 < np.mean(np.abs(measured - mean) < 1.96 * std) < 0.99


def test_all_rows_count():
    fresh, truth = draw(1000, seed=1, wind=0.7, noise=0.0)
    errors = []
    for n in (300, 6_000):
        X, Y = draw(n, wind=0.7, noise=0.1)
        errors.append(np.mean((SoftEquivariantGP("V", "V", ["O(2)@z"]).fit(X, Y).predict(fresh) - truth) ** 2))
    assert errors[1] < 0.25 * errors[0]


def test_states_modules_and_folds():
    X, Y = draw(80, wind=0.5)
    gp = SoftEquivariantGP("V", "V", ["O(3)", "O(2)@z"]).fit(X, Y)
    again = SoftEquivariantGP.from_state(*gp.to_state())
    np.testing.assert_allclose(again.predict(X, return_std=True)[1], gp.predict(X, return_std=True)[1])
    assert (again.exact_groups_, again.weights_) == (gp.exact_groups_, pytest.approx(gp.weights_))
    found = gp.module()(torch.from_numpy(X)).numpy()
    np.testing.assert_allclose(found, gp.predict(X), atol=1e-10)
    folds = np.arange(80) % 4
    held = folds == 1
    other = gp.condition(X[~held], Y[~held])
    np.testing.assert_allclose(gp.cross_val_predict(folds)[held], other.predict(X[held]), atol=1e-6)
    with pytest.raises(InputError, match="only a Gaussian process as it was fitted can be projected"):
        other.project(["O(3)"])
    assert gp.noise_.shape == (3,)


def test_row_groups_decide_by_groups_left_out():
    rng = np.random.default_rng(0)
    labels = np.repeat(np.arange(12), 8)
    X = rng.standard_normal((12, 3))[labels] + 0.05 * rng.standard_normal((96, 3))
    Y = X * np.sum(X**2, axis=1, keepdims=True) + 0.3 * rng.standard_normal((12, 3))[labels]
    gp = SoftEquivariantGP("V", "V", ["O(3)"]).fit(X, Y, groups=labels)
    assert np.isfinite(gp.predict(X)).all()
    with pytest.raises(InputError, match="`groups` has 3 labels for 96 rows"):
        gp.fit(X, Y, groups=[1, 2, 3])


def test_weights_of_rows():
    X, Y = draw(100)
    doubted = np.arange(100) % 3 == 0
    Y[doubted] += 5.0
    truth = draw(100, noise=0.0)[1]
    errors = [
        np.mean((SoftEquivariantGP("V", "V", ["O(3)"]).fit(X, Y, weight).predict(X) - truth) ** 2)
        for weight in (None, np.where(doubted, 1e-6, 1.0))
    ]
    assert errors[1] < 0.1 * errors[0]


def test_constant_outputs_and_repeated_rows():
    X = np.random.default_rng(0).standard_normal((20, 3))
    gp = SoftEquivariantGP("V", "S", ["O(3)"]).fit(X, np.full(20, 2.5))
    assert gp.predict(X) == pytest.approx(np.full(20, 2.5))
    twice = np.repeat(X[:3], 10, axis=0)
    assert np.isfinite(SoftEquivariantGP("V", "V", ["O(3)"]).fit(twice, twice).predict(X)).all()


def test_refusals():
    X = np.ones((4, 3))
    with pytest.raises(InputError, match="`rep_in` is None; with candidate groups pass how the data transform"):
        SoftEquivariantGP(groups=["O(3)"]).fit(X, X)
    with pytest.raises(InputError, match="2V under O\\(3\\) has size 6, X has 3 columns; pass another `rep_in`"):
        SoftEquivariantGP("2V", "V", ["O(3)"]).fit(X, X)


def test_kernel_ridge_regression_is_chosen_by_folds():
    X, Y = draw(150, wind=0.5)
    fresh, truth = draw(300, seed=1, wind=0.5, noise=0.0)
    free = fit_kernel_ridge(X, Y)
    equivariant = fit_kernel_ridge(X, Y, ss.rep("V"), ss.rep("V"), [ss.group("O(2)@z")])
    errors = [np.mean((model.predict(fresh) - truth) ** 2) for model in (free, equivariant)]
    assert max(errors) < 0.1 * truth.var()
    again = from_state(*to_state(free))
    np.testing.assert_allclose(again.predict(fresh), free.predict(fresh))
    np.testing.assert_allclose(free.condition(X, Y).predict(fresh), free.predict(fresh), atol=1e-6)


@pytest.mark.parametrize("groups", [(), ("O(2)@z",), ("O(2)@z", "O(3)")])
def test_rows_in_chunks_are_all_rows(groups):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((900, 3))
    wind = X - np.array([0.0, 0.0, 0.7])
    Y = -np.linalg.norm(wind, axis=1, keepdims=True) * wind + 0.05 * rng.standard_normal((900, 3))
    first = ss.SoftEquivariantGP("V", "V", groups).fit(X[:300], Y[:300])
    before = first.predict(X[:20])
    whole = first.condition(X, Y)
    chunked = copy.copy(first).partial_fit(X[300:500], Y[300:500]).partial_fit(X[500:], Y[500:])
    assert chunked.n_rows_ == 900
    scale = Y.std()
    assert np.abs(chunked.predict(X) - whole.predict(X)).max() < 0.05 * scale  # variances are chosen anew
    summed = copy.copy(first).add_sums(*(first.sum_rows(X[at], Y[at]) for at in (slice(300, 500), slice(500, 900))))
    assert np.allclose(summed.predict(X), chunked.predict(X), atol=1e-3 * scale)
    assert np.array_equal(first.predict(X[:20]), before)
    loaded = ss.SoftEquivariantGP.from_state(*first.to_state()).partial_fit(X[300:], Y[300:])
    assert np.allclose(loaded.predict(X), chunked.predict(X), atol=1e-3 * scale)
    with pytest.raises(ValueError, match="expecting 3 features"):
        chunked.partial_fit(X[:, :2], Y)
    with pytest.raises(InputError, match="has 3 outputs, got 2"):
        chunked.partial_fit(X, Y[:, :2])
    with pytest.raises(ValueError, match="NaN"):
        chunked.partial_fit(X * np.nan, Y)


def test_partial_fit_without_rows_before_is_a_fit():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((80, 3))
    Y = X * (X**2).sum(axis=1, keepdims=True)
    one, other = (ss.SoftEquivariantGP("V", "V", ["O(3)"]) for _ in range(2))
    assert np.array_equal(one.partial_fit(X, Y).predict(X), other.fit(X, Y).predict(X))
