"""What a person would take instead: what it is, how its settings are chosen, and that held-out rows decide nothing."""

import functools
from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import Ridge

import softsym as ss
from softsym.data.scaler import SymmetricScaler
from softsym.discovery.fit.fitted import HeldOut, Target, explained
from softsym.discovery.fit.train import Session, fit_without_networks, prepare, train_ensemble
from softsym.discovery.models.protocol import KERNEL, ORDINARY, PERCEPTRON
from softsym.discovery.models.scikit_baselines import BOOSTING, PENALTIES, RIDGE
from softsym.discovery.models.simple import fit_mean
from softsym.discovery.selection.fit_baselines import (
    fit_baselines,
    fit_classical,
    measure_model,
    train_unconstrained_networks,
)
from tests.discovery.fit.training_data import plan

NAMES = [RIDGE, BOOSTING, KERNEL, PERCEPTRON]


@functools.cache
def curved():
    """Something that a plane does not fit, on inputs far from zero."""
    asked = plan(rows=200, seeds=1)
    asked = replace(asked, X=asked.X + 3.0, Y=np.sin(asked.X[:, :3]) + asked.X[:, 3:] ** 2)
    return asked, fit_without_networks(asked, prepare(asked))


def test_four_simple_models():
    asked, fit = curved()
    baseline_models = fit_baselines(asked, fit).baseline_models
    assert [row.name for row in baseline_models.baselines] == NAMES
    assert [model.name for model in baseline_models.models] == [KERNEL, PERCEPTRON]
    assert baseline_models.errors.shape == (len(fit.checked.X),)
    assert baseline_models.errors.mean() == pytest.approx(
        min(row.validation_error for row in baseline_models.baselines)
    )
    by_name = {row.name: row for row in baseline_models.baselines}
    assert by_name[KERNEL].explained > by_name[RIDGE].explained + 0.2


def test_errors_are_those_of_validation_and_of_held_out_rows():
    asked, fit = curved()
    model = fit_mean(asked.X, asked.Y, asked.shape.rep_in, asked.shape.rep_out)
    row, errors = measure_model(model, fit)
    for rows, error in ((fit.checked, row.validation_error), (fit.held, row.test_error)):
        assert error == pytest.approx(np.mean((model(rows.X) - rows.Y) ** 2))
    assert errors.mean() == pytest.approx(row.validation_error)
    assert row.explained == pytest.approx(explained(fit.held.Y, row.test_error))


def test_ridge_is_that_of_scikit_learn():
    asked, fit = curved()
    X, Y = asked.rows(asked.parts.train)
    scale = SymmetricScaler.fit(X, None, ())
    found = []
    for penalty in PENALTIES:
        model = Ridge(alpha=penalty * len(X)).fit(scale.transform(X), Y)
        found.append([
            np.mean((model.predict(scale.transform(held.X)) - held.Y) ** 2) for held in (fit.checked, fit.held)
        ])  # fmt: skip
    row, _ = next(iter(fit_classical(asked, fit)))
    assert (row.name, [row.validation_error, row.test_error]) == (RIDGE, pytest.approx(min(found), rel=1e-6))


def test_held_out_rows_decide_nothing():
    asked, fit = curved()
    other = HeldOut(fit.held.X, np.random.default_rng(0).permuted(fit.held.Y, axis=0))
    pairs = zip(
        fit_baselines(asked, fit).baseline_models.baselines,
        fit_baselines(asked, replace(fit, held=other)).baseline_models.baselines,
        strict=True,
    )
    for one, changed in pairs:
        assert (one.name, one.validation_error) == (changed.name, changed.validation_error)
        assert one.test_error != changed.test_error


@pytest.mark.parametrize("X", [plan().X + 1e5, np.ones((120, 6)), np.repeat(plan().X[:8], 15, axis=0)])
def test_inputs_that_make_matrices_singular_are_survived(X):
    asked = replace(plan(seeds=1), X=X, Y=plan().Y)
    baseline_models = fit_baselines(asked, fit_without_networks(asked, prepare(asked))).baseline_models
    assert all(np.isfinite(row.test_error) for row in baseline_models.baselines)


def test_ordinary_networks_join_where_networks_were_trained():
    asked = plan(seeds=1)
    prepared = prepare(asked)
    fit = fit_baselines(asked, train_ensemble(asked, prepared, Session()))
    both = train_unconstrained_networks(asked, prepared, fit, Session())
    assert [row.name for row in both.baseline_models.baselines] == [ORDINARY, *NAMES]
    assert [type(member.model).__name__ for member in both.baseline_models.ordinary.members] == ["MLP"]
    stopped = train_unconstrained_networks(asked, prepared, fit, Session(stop=lambda: True))
    assert not stopped.is_finished
    cut = fit.mark_interrupted()
    assert fit_baselines(asked, cut) is cut
    assert train_unconstrained_networks(asked, prepared, cut, Session()) is cut


def test_an_ordinary_network_needs_no_other_beside_it():
    asked = plan(seeds=1, shape=plan().shape.without_groups())
    prepared = prepare(asked)
    fit = fit_baselines(asked, train_ensemble(asked, prepared, Session()))
    assert train_unconstrained_networks(asked, prepared, fit, Session()) is fit


def test_classes_have_simpler_models_too():
    labels = np.eye(2)[(plan().X[:, 0] > 0).astype(int)]
    asked = plan(seeds=1, target=Target.CLASSES, shape=replace(plan().shape, rep_out=ss.rep("2S")), Y=labels)
    baseline_models = fit_baselines(asked, fit_without_networks(asked, prepare(asked))).baseline_models
    assert {row.name: row.explained for row in baseline_models.baselines}[RIDGE] > 0.3
