"""Exact groups: enforced where that does not make a model worse, named where it is so at every element."""

import functools
from dataclasses import replace

import numpy as np
import pytest

import softsym as ss
from softsym.discovery import exact
from softsym.discovery.exact import Projected, is_as_good, project_fit, select, verify, violation_at_elements
from softsym.discovery.fit_data import Rows
from softsym.discovery.models import base
from softsym.discovery.models.linear import fit_linear
from softsym.discovery.select import Candidate, fit_models
from softsym.errors import InputError
from tests.discovery.small import estimator, fitted, rows
from tests.discovery.training_data import SHAPE, fit_data

X_GROUP, Z_GROUP = SHAPE.groups


@functools.cache
def models():
    data = fit_data(200)
    return data, fit_models(data, [Z_GROUP], list(SHAPE.groups))


def test_a_group_that_holds_is_enforced():
    data, fitted_models = models()
    chosen = select(data, fitted_models.selectable, [Z_GROUP])
    assert chosen.groups == (Z_GROUP,)
    assert chosen.better_without == ()
    assert verify(chosen.model, data.shape, chosen.groups, data.development) == ("O(2)@z",)
    assert verify(chosen.model, data.shape, SHAPE.groups, data.development) == ("O(2)@z",)


def test_a_broken_group_is_not_enforced_whatever_the_evidence_says():
    data, fitted_models = models()
    free = select(data, fitted_models.selectable, [])
    for asked in ([X_GROUP], [X_GROUP, Z_GROUP]):
        chosen = select(data, fitted_models.selectable, asked)
        assert X_GROUP not in chosen.groups
        assert "O(2)@x" in chosen.better_without
        assert chosen.loss <= 1.1 * free.loss + 1e-12
    assert select(data, fitted_models.selectable, [X_GROUP, Z_GROUP]).groups == (Z_GROUP,)


def test_without_rows_to_compare_by_the_process_is_taken():
    data = fit_data(12)
    candidates = fit_models(data, [Z_GROUP], list(SHAPE.groups)).selectable
    chosen = select(data, candidates, [Z_GROUP])
    assert chosen.model.name == base.GP
    assert chosen.groups == (Z_GROUP,)
    assert np.isnan(chosen.loss)


def test_nothing_to_select_from_is_refused():
    data = fit_data(100)
    nothing = np.full(data.development.Y.shape, np.nan)
    with pytest.raises(InputError, match="no model could be fitted"):
        select(data, [Candidate(fit_linear(data.development, SHAPE), nothing)], [])


def test_no_row_group_may_become_worse():
    rng = np.random.default_rng(0)
    groups = np.arange(200) // 20
    some = Rows(np.zeros((200, 1)), rng.standard_normal((200, 1)), row_groups=groups)
    old = rng.uniform(0.5, 1.5, 200)
    assert is_as_good(old * rng.uniform(0.9, 1.1, 200), old, some)
    worse_in_one = np.where(groups == 3, 1.5 * old, 0.9 * old)
    assert not is_as_good(worse_in_one + (groups != 3) * 0.03, old, some)
    assert not is_as_good(1.1 * old, old, some)
    assert not is_as_good(np.full(200, np.nan), old, some)


def test_the_largest_errors_may_not_grow():
    rng = np.random.default_rng(0)
    some = Rows(np.zeros((1000, 1)), rng.standard_normal((1000, 1)))
    old = rng.uniform(size=1000)
    new = np.where(np.arange(1000) % 40 == 0, 1.6, 0.97 * old)
    assert abs(new.mean() - old.mean()) < 0.02
    assert not is_as_good(new, old, some)


def test_violations_are_measured_at_elements_of_the_group():
    data, fitted_models = models()
    linear = fitted_models.find(base.LINEAR).model
    rows_of = data.development
    assert violation_at_elements(linear, SHAPE, X_GROUP, rows_of) > 0.1
    assert violation_at_elements(linear.project([X_GROUP]), SHAPE, X_GROUP, rows_of) < 1e-12


def test_a_group_is_not_named_unless_it_holds(monkeypatch):
    monkeypatch.setattr(exact, "EQUIVARIANT", 0.0)
    data, fitted_models = models()
    chosen = select(data, fitted_models.selectable, [Z_GROUP])
    assert chosen.groups == (Z_GROUP,)
    assert verify(chosen.model, data.shape, chosen.groups, data.development) == ()


def test_projection_makes_a_network_exact_and_says_what_it_costs():
    est = fitted()
    result = est.project("O(2)@x")
    assert isinstance(result, Projected)
    assert result.cost == result.test_error - result.test_error_before > 0
    assert 0 < result.distance < 1
    assert "weights changed by" in str(result)
    assert result.model.fit_.exact_groups == ("O(2)@x",)
    assert result.model.symmetries_["O(2)@x"].error < 1e-9
    assert result.model.baselines_[0].is_returned
    assert result.model.baselines_[0].test_error == result.test_error
    assert est.fit_.exact_groups == ("O(2)@z",)  # the estimator stays as it is


def test_only_candidates_can_be_projected_onto():
    with pytest.raises(InputError, match=r"O\(3\) is not among the candidate groups \(O\(2\)@x, O\(2\)@z\)"):
        fitted().project("O(3)")


def test_what_has_no_equivariant_form_says_so():
    X = np.random.default_rng(0).standard_normal((120, 6))
    steps = np.sign(X[:, :3]) * np.sign(X[:, 3:])
    est = ss.SoftEquivariantRegressor("2V", "V", ["O(3)"], random_state=1).fit(X, steps)
    boosted = [k for k, model in enumerate(est.fit_.full_model.models) if model.name == base.BOOSTING]
    assert boosted  # steps are for trees
    only = base.Stack((est.fit_.full_model.models[boosted[0]],), (1.0,))
    alone = replace(est.fit_, train_model=only, full_model=only, networks=None, gp=None)
    with pytest.raises(InputError, match=r"no part of the model can have O\(3\) exactly"):
        project_fit(alone, "O(3)")


def test_an_unprojectable_selection_falls_back_to_the_networks():
    X, Y = rows(120)
    est = estimator(epochs=3, seeds=1, lr=1e-9).fit(X, Y)  # it has learned nothing
    assert est.fit_.model == base.ORDINARY
    assert est.project("O(2)@z").model.fit_.exact_groups == ("O(2)@z",)
