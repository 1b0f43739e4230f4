"""Model selection: stacking on validation rows, exact symmetries where they cost nothing, baselines where they are clearly better."""

import functools
from dataclasses import dataclass, replace

import numpy as np
import pytest
from softsym.discovery.fit.baselines import Baselines
from softsym.discovery.fit.fitted import HeldOut
from softsym.discovery.fit.train import Session, fit_without_networks, prepare, train_ensemble
from softsym.discovery.models.closed_form import ClosedFormModels, fit_closed_form_models
from softsym.discovery.models.ensemble import single_model_ensemble
from softsym.discovery.models.protocol import GP, KERNEL, LINEAR, MEAN, NETWORK, ORDINARY
from softsym.discovery.models.simple import fit_mean
from softsym.discovery.selection.fit_baselines import fit_baselines, train_unconstrained_networks
from softsym.discovery.selection.select_model import (
    ENSEMBLE,
    list_networks,
    select_ensemble,
    select_model,
    select_own_network,
)

import softsym as ss
from tests.discovery.fit.training_data import plan


@dataclass(frozen=True)
class Given:
    """A model that is a function."""

    name: str
    function: object
    exact_groups: tuple = ()

    def __call__(self, X):
        return self.function(X)

    def std(self, X):
        return np.ones((len(X), 3))

    def refit(self, X, Y, weights=None):
        return self

    def project(self, groups):
        return self if {group.name for group in groups} <= set(self.exact_groups) else None


def truth(X):
    return X[:, :3] + np.array([0.0, 0.0, 1.0])


@functools.cache
def fitted():
    asked = plan(rows=300, model="auto", seeds=1)
    shape, (X, Y) = asked.shape, asked.rows(asked.parts.train)
    closed_form = fit_closed_form_models(X, Y, shape.rep_in, shape.rep_out, shape.groups)
    return asked, fit_baselines(
        asked, replace(fit_without_networks(asked, prepare(asked)), closed_form=closed_form)
    )


def with_models(*models):
    asked, fit = fitted()
    return asked, replace(fit, closed_form=ClosedFormModels(models))


def test_the_best_model_is_taken_and_fitted_to_all_rows():
    asked, fit = fitted()
    done = select_model(asked, fit, ["O(2)@z"])
    assert done.model in (LINEAR, GP)
    assert done.explained() > 0.999
    assert done.exact_groups == ("O(2)@z",)
    assert done.baselines[done.model].is_returned
    assert done.why[-1].startswith(f"The model is {done.model}")
    rows = single_model_ensemble(fit.closed_form.get(LINEAR)).refit(asked.X, asked.Y)
    assert rows.parts[0].full_fit is not rows.parts[0].train_fit
    turned = asked.X @ np.kron(np.eye(2), np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])).T
    transformed = done.predict(asked.X)[0] @ np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]]).T
    assert np.allclose(done.predict(turned)[0], transformed, atol=1e-9)


def test_models_that_err_differently_are_stacked():
    rng = np.random.default_rng(0)
    noise = {seed: rng.standard_normal((300, 3)) for seed in range(2)}
    place = {tuple(x): k for k, x in enumerate(plan(rows=300).X)}

    def noisy(seed):
        return lambda X: truth(X) + noise[seed][[place[tuple(x)] for x in X]]

    asked, fit = with_models(Given("one", noisy(0)), Given("two", noisy(1)))
    fit = replace(fit, baseline_models=replace(fit.baseline_models, models=()))
    done = select_model(asked, fit)
    assert sorted(done.ensemble.weights) == ["one", "two"]
    assert sum(done.ensemble.weights.values()) == pytest.approx(1)
    assert done.baselines[0].name == ENSEMBLE
    assert done.baselines[0].is_returned
    assert done.baselines[ENSEMBLE].test_error < 0.8 * done.baselines["one"].test_error
    assert done.baselines["one"].verdict.endswith("% of it")
    assert done.why[-1].startswith("The model is a stacked ensemble (")


def test_a_symmetry_that_costs_something_is_not_built_in():
    asked, fit = with_models(
        Given("free", truth), Given("exact", lambda X: truth(X) + 1.0, ("O(2)@x", "O(2)@z"))
    )
    done = select_model(asked, fit, ["O(2)@x"])
    assert done.model == "free"
    assert done.exact_groups == ()
    same = select_model(*with_models(Given("free", truth), Given("exact", truth, ("O(2)@z",))), ["O(2)@z"])
    assert same.model == "exact"
    assert same.exact_groups == ("O(2)@z",)


def test_a_baseline_that_is_clearly_better_takes_part():
    asked, fit = fitted()
    models = (
        Given("bad", lambda X: np.zeros((len(X), 3))),
        fit_mean(asked.X, asked.Y, asked.shape.rep_in, asked.shape.rep_out),
    )
    done = select_model(asked, replace(fit, closed_form=ClosedFormModels(models)))
    assert done.model == KERNEL
    assert done.explained() > 0.95


def test_a_broken_model_costs_nothing():
    asked, fit = fitted()
    best = select_model(asked, fit)
    for function in (lambda X: np.full((len(X), 3), np.nan), lambda X: 1e9 * X[:, :3]):
        more = replace(
            fit, closed_form=ClosedFormModels((*fit.closed_form.models, Given("broken", function)))
        )
        assert select_model(asked, more).test_error() == pytest.approx(best.test_error(), rel=1e-3, abs=1e-15)


def test_nothing_held_out_leaves_it_to_the_likelihood():
    asked, fit = fitted()
    few = replace(fit, checked=HeldOut(asked.X, asked.Y, is_separate=False))
    done = select_model(asked, few)
    assert done.model == GP
    assert "too few rows to compare" in done.why[-1]


@functools.cache
def networks():
    asked = plan(seeds=1)
    prepared = prepare(asked)
    fit = fit_baselines(asked, train_ensemble(asked, prepared, Session()))
    return asked, train_unconstrained_networks(asked, prepared, fit, Session())


def test_networks_alone():
    asked, fit = networks()
    worse = select_model(asked, replace(fit, predictor=_of(fit, lambda X: np.full((len(X), 3), 100.0))))
    assert worse.ordinary is not None
    assert worse.baselines[ORDINARY].is_returned
    assert np.array_equal(worse.outputs(asked.X), worse.ordinary(asked.X))
    assert worse.baselines[ORDINARY].test_error == pytest.approx(worse.test_error())
    again = select_own_network(replace(worse, predictor=_of(fit, truth)))
    assert again.ordinary is None
    assert again.baselines[NETWORK].is_returned
    assert again.baselines[NETWORK].test_error < 1e-25
    better = select_model(asked, replace(fit, predictor=_of(fit, truth)))
    assert better.ordinary is None
    assert better.baselines[NETWORK].is_returned
    assert len(select_own_network(replace(fit, baselines=Baselines())).baselines) == 0  # nobody has looked


def _of(fit, function):
    """The fit's predictor with another answer."""

    class Told(type(fit.predictor)):
        def __call__(self, X):
            return function(np.asarray(X))[None]

    return Told(
        *(getattr(fit.predictor, name) for name in ("target", "members", "scale_in", "scale_out", "frame"))
    )


def test_networks_are_models_too():
    asked, fit = networks()
    assert [model.name for model in list_networks(fit)] == [NETWORK, ORDINARY]
    done = select_model(
        asked,
        replace(
            fit,
            closed_form=ClosedFormModels(
                (fit_mean(asked.X, asked.Y, asked.shape.rep_in, asked.shape.rep_out),)
            ),
        ),
    )
    assert set(done.ensemble.weights) <= {MEAN, NETWORK, ORDINARY}


def test_another_ensemble_can_be_the_only_one():
    asked, fit = fitted()
    done = select_ensemble(select_model(asked, fit), single_model_ensemble(fit.closed_form.get(MEAN)))
    assert done.model == MEAN
    assert done.baselines[MEAN].is_returned
    assert sum(row.is_returned for row in done.baselines) == 1


def test_the_model_of_a_person_without_symmetry_knowledge():
    X = np.random.default_rng(0).standard_normal((200, 3))
    est = ss.SoftEquivariantRegressor("V", "S", ["O(3)"], model="gp").fit(X, X[:, 0] + 2 * X[:, 1])
    assert est.symmetries_["O(3)"].verdict == "absent"
    assert est.score(X, X[:, 0] + 2 * X[:, 1]) > 0.99
