import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.inference.least_squares import equivariant_lstsq

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 7))
MAP = ss.equivariant_maps("2V + S", "V", "O(2)@z").project(RNG.standard_normal((3, 7)))
Y = X @ MAP.T + [0.0, 0.0, 0.7] + 0.1 * RNG.standard_normal((60, 3))


def test_without_groups_it_is_ridge_regression():
    fit = equivariant_lstsq(X, Y, "2V + S", "V", ridge=1e-10)
    expected = np.linalg.lstsq(np.concatenate([X, np.ones((60, 1))], axis=1), Y, rcond=None)[0]
    assert np.allclose(fit.weight, expected[:7].T, atol=1e-5)
    assert np.allclose(fit.bias, expected[7], atol=1e-5)


def test_an_exact_group_gives_the_best_equivariant_map():
    fit = equivariant_lstsq(X, Y, "2V + S", "V", ["O(2)@z"], ridge=0.0, strengths={"O(2)@z": 1e9})
    basis = ss.equivariant_maps("2V + S", "V", "O(2)@z").basis().reshape(3, 7, -1)
    features = np.einsum("oik,ni->nok", basis, X)
    columns = np.concatenate([features.reshape(180, -1), np.tile([[0.0], [0.0], [1.0]], (60, 1))], axis=1)
    solution = np.linalg.lstsq(columns, Y.ravel(), rcond=None)[0]
    assert np.allclose(fit.weight, basis @ solution[:-1], atol=1e-4)
    assert np.allclose(fit.bias, [0, 0, solution[-1]], atol=1e-4)


def test_true_groups_are_used_and_false_ones_are_not():
    fit = equivariant_lstsq(X, Y, "2V + S", "V", ["O(2)@z", "O(2)@x"])
    assert fit.strengths["O(2)@z"] >= 1.0
    assert fit.strengths["O(2)@x"] <= 1e-2
    fresh = RNG.standard_normal((500, 7))
    truth = fresh @ MAP.T + [0.0, 0.0, 0.7]
    plain = equivariant_lstsq(X, Y, "2V + S", "V")
    assert np.mean((fit.predict(fresh) - truth) ** 2) < 0.8 * np.mean((plain.predict(fresh) - truth) ** 2)


def test_refusals():
    with pytest.raises(InputError, match="got \\(60, 7\\) and \\(60,\\)"):
        equivariant_lstsq(X, Y[:, 0], "7S", "S")
    with pytest.raises(InputError, match="`rep_in` is None; with candidate groups pass"):
        equivariant_lstsq(X, Y, None, "V", ["O(3)"])
    with pytest.raises(InputError, match="names O\\(3\\), which is no candidate group"):
        equivariant_lstsq(X, Y, "2V + S", "V", ["SO(3)"], strengths={"O(3)": 1.0})
    with pytest.raises(InputError, match="at most 2000 are solved for"):
        equivariant_lstsq(np.ones((5, 300)), np.ones((5, 30)), "300S", "30S")


def test_columns_that_depend_on_each_other():
    rng = np.random.default_rng(0)
    half = rng.standard_normal((80, 3))
    fit = ss.inference.equivariant_lstsq(np.concatenate([half, -half], axis=1), 2 * half, "2V", "V", ["SO(3)"])
    assert fit.error < 1e-6
