"""When a network is trained, and what is said about it."""

from dataclasses import replace

import numpy as np

from softsym.discovery.fit.fitted import Target
from softsym.discovery.fit.train import fit_without_networks, prepare
from softsym.discovery.models.closed_form import ClosedFormModels, fit_closed_form_models
from softsym.discovery.models.gp_model import GaussianProcess
from softsym.discovery.selection.fit_baselines import fit_baselines
from softsym.discovery.selection.network_decision import should_train_network
from tests.discovery.fit.training_data import plan


def asked_and_fit(Y, **changes):
    asked = replace(plan(rows=300, model="auto"), Y=Y, **changes)
    X, outputs = asked.rows(asked.parts.train)
    shape = asked.shape
    closed_form = fit_closed_form_models(X, outputs, shape.rep_in, shape.rep_out, shape.groups)
    return asked, fit_baselines(
        asked, replace(fit_without_networks(asked, prepare(asked)), closed_form=closed_form)
    )


X = plan(rows=300).X
SMOOTH = X[:, :3] * (1 + X[:, 3:4])
NOISE = np.random.default_rng(0).standard_normal((300, 3))


def test_not_where_closed_forms_do():
    answer = should_train_network(*asked_and_fit(SMOOTH))
    assert not answer.network
    assert "little to gain" in answer.why


def test_not_where_only_noise_is_left():
    assert not should_train_network(*asked_and_fit(SMOOTH + NOISE)).network


def test_where_much_is_left_and_rows_are_many(monkeypatch):
    asked, fit = asked_and_fit(SMOOTH + NOISE)
    monkeypatch.setattr("softsym.discovery.selection.network_decision.MANY_ROWS", len(asked.parts.train))
    answer = should_train_network(asked, fit)
    assert answer.network
    assert "rows are many" in answer.why
    assert not should_train_network(*asked_and_fit(SMOOTH)).network


def test_where_it_was_asked_for_and_for_classes():
    asked, fit = asked_and_fit(SMOOTH)
    assert should_train_network(replace(asked, model="network"), fit).network
    assert not should_train_network(replace(asked, model="gp"), fit).network
    assert should_train_network(replace(asked, target=Target.CLASSES), fit).network


def test_where_there_is_no_process_or_it_holds_too_few_rows():
    asked, fit = asked_and_fit(SMOOTH)
    none = should_train_network(
        asked,
        replace(fit, closed_form=ClosedFormModels(fit.closed_form.models[:2], {"gp": "no finite subgroup"})),
    )
    assert (none.network, "no finite subgroup" in none.why) == (True, True)
    few = fit.closed_form.gp_model.refit(*asked.rows(asked.parts.train[:50]))
    assert not should_train_network(
        asked, replace(fit, closed_form=ClosedFormModels((few,)))
    ).network  # it is as good as can be
    answer = should_train_network(asked, replace(fit, closed_form=ClosedFormModels((_Missing(few),))))
    assert answer.network
    assert "holds 50 of" in answer.why


def test_not_where_nothing_could_be_held_out_or_no_time_is_left():
    asked, fit = asked_and_fit(SMOOTH)
    assert (
        "too few rows"
        in should_train_network(asked, replace(fit, checked=replace(fit.checked, is_separate=False))).why
    )
    assert (
        "budget"
        in should_train_network(
            replace(asked, budget=1e-9), replace(fit, closed_form=replace(fit.closed_form, seconds=1.0))
        ).why
    )


def test_where_much_is_left_that_is_not_noise():
    """The models leave unexplained what their own process takes for signal: its noise is small."""
    asked, fit = asked_and_fit(SMOOTH + 0.3 * NOISE)
    models = (fit.closed_form.get("mean"), fit.closed_form.gp_model)
    assert not should_train_network(asked, replace(fit, closed_form=ClosedFormModels(models))).network
    _, quiet = asked_and_fit(SMOOTH)
    answer = should_train_network(
        asked,
        replace(
            fit,
            closed_form=ClosedFormModels((fit.closed_form.get("mean"), _Missing(quiet.closed_form.gp_model))),
        ),
    )
    assert answer.network
    assert "of which 0.0% is noise" in answer.why


class _Missing(GaussianProcess):
    """A process that predicts nothing, but knows that there is no noise."""

    def __init__(self, gp_model):
        super().__init__(gp_model.gp, gp_model.rep_in, gp_model.rep_out)

    def __call__(self, X):
        return np.zeros((len(X), 3))
