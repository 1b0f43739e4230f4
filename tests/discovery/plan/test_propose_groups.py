"""Candidates that the data propose, in estimators."""

import numpy as np
import pytest

import softsym as ss
from softsym.data.split import split_rows
from softsym.discovery.plan.propose_groups import MAX_CANDIDATES, propose_candidates
from softsym.errors import InputError


def _rows(n=200):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    Y = X * [1.0, 1.0, 2.0] + np.sum(X**2, axis=1, keepdims=True) * [0.0, 0.0, 0.3]
    return X, Y + 0.01 * rng.standard_normal(Y.shape)


def test_at_most_a_handful_exact_ones_first():
    found = propose_candidates(*_rows(), "V", "V")
    assert found.groups[0] == ss.O(2).about("z")
    assert len(found.groups) <= MAX_CANDIDATES
    assert found.describe().startswith("the data propose O(2)@z")


def test_rows_kept_for_the_test_are_not_looked_at():
    X, Y = _rows()
    test = split_rows(X, 0.15, 0).test
    Y[test] = 1e3
    assert propose_candidates(X, Y, "V", "V").groups[0] == ss.O(2).about("z")
    assert not propose_candidates(X, Y, "V", "V", seed=1).proposal.groups


def test_noise_proposes_nothing_and_says_so():
    rng = np.random.default_rng(0)
    found = propose_candidates(rng.standard_normal((100, 3)), rng.standard_normal((100, 3)), "V", "V")
    assert found.groups == found.usual
    assert "the data propose no group (the fit explains only" in found.describe()


def test_estimators_take_auto():
    X, Y = _rows()
    est = ss.SoftEquivariantRegressor(
        "V",
        "V",
        "auto",
        model="gp",
        network=ss.discovery.NetworkConfig(seeds=1, epochs=2, width=16, strength=1.0),
    ).fit(X, Y)
    assert est.symmetries_["O(2)@z"].verdict == "exact"
    assert est.proposal_.algebra == "so(2)"
    assert est.get_params()["groups"] == "auto"


def test_auto_needs_representations_and_a_regression():
    X, Y = _rows(60)
    with pytest.raises(InputError, match="groups='auto' needs how columns transform"):
        ss.SoftEquivariantRegressor(groups="auto").fit(X, Y)
    with pytest.raises(InputError, match="groups='auto' is for regression"):
        ss.SoftEquivariantClassifier("V", groups="auto").fit(X, Y[:, 0] > 0)
