"""Baselines without symmetries, fitted to the same rows.

Hyperparameters of ridge and kernel ridge regression are selected on validation rows; a multilayer perceptron and gradient boosting have
default ones, and are left out where no rows could be held out. Where a network was trained, unconstrained networks of its size are
trained for about a tenth of its time. Test errors of all are reported.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from softsym.discovery.fit.baselines import Baseline
from softsym.discovery.fit.fitted import BaselineModels, FittedEnsemble, Predictor
from softsym.discovery.fit.parallel import TrainJob
from softsym.discovery.fit.train import FitPlan, Prepared, Session
from softsym.discovery.models.kernel_ridge import tune_kernel_ridge
from softsym.discovery.models.perceptron import fit_perceptron
from softsym.discovery.models.protocol import ORDINARY, Model
from softsym.discovery.models.scikit_baselines import BOOSTING, RIDGE, predict_boosting, predict_ridge
from softsym.typing import Array


def fit_baselines(plan: FitPlan, fit: FittedEnsemble) -> FittedEnsemble:
    """Fits the baselines without networks.

    Args:
        plan: The plan.
        fit: The fit so far.
    """
    if not fit.is_finished:
        return fit
    X, Y = plan.rows(plan.parts.train)
    checked = fit.judged.X, fit.judged.Y
    weights = plan.weights_of(plan.parts.train)
    models: list[Model] = [tune_kernel_ridge(X, Y, checked, weights, fit.judged.weights)]
    if fit.judged.is_separate:  # the training error of a flexible model says nothing
        models.append(fit_perceptron(X, Y, checked, plan.seed, weights))
    compared = [*fit_classical(plan, fit), *(measure_model(model, fit) for model in models)]
    _, errors = min(compared, key=lambda one: one[0].validation_error)
    return replace(
        fit, baseline_models=BaselineModels(tuple(row for row, _ in compared), errors, models=tuple(models))
    )


def train_unconstrained_networks(
    plan: FitPlan, prepared: Prepared, fit: FittedEnsemble, session: Session
) -> FittedEnsemble:
    """Adds unconstrained networks to the baselines, if the members of the fit are not unconstrained themselves.

    Args:
        plan: The plan.
        prepared: Its standardised rows.
        fit: The fit with trained members.
        session: Folder, processes and progress.
    """
    if not fit.is_finished or not plan.shape.groups or fit.baseline_models is None:
        return fit
    training_data = replace(prepared.training_data, shape=plan.shape.without_groups())
    recipe = fit.recipe.unconstrained(len(training_data.data.train[0]))
    jobs = [TrainJob(recipe, seed, session.subfolder(f"ordinary-{seed}")) for seed in plan.member_seeds]
    members = session.train(training_data, jobs, "ordinary networks: ")
    if not session.is_done(jobs, members):
        return fit.mark_interrupted()
    ordinary = prepared.predictor(plan.target, members)
    row, errors = measure_predictions(ORDINARY, fit, predict_means(ordinary, fit))
    least = min(other.validation_error for other in fit.baseline_models.baselines)
    baseline_models = replace(
        fit.baseline_models,
        baselines=(row, *fit.baseline_models.baselines),
        errors=errors if row.validation_error < least else fit.baseline_models.errors,
        ordinary=ordinary,
    )
    return replace(fit, baseline_models=baseline_models, seconds=fit.seconds + session.spent(members))


def predict_means(predictor: Predictor, fit: FittedEnsemble) -> tuple[Array, Array]:
    """Predictions for validation and for test rows."""
    return predictor(fit.judged.X).mean(0), predictor(fit.held.X).mean(0)


def measure_predictions(
    name: str, fit: FittedEnsemble, predictions: tuple[Array, Array]
) -> tuple[Baseline, Array]:
    """The row of a model in the table of baselines, and its squared errors on validation rows."""
    errors, test = (
        rows.errors(predicted) for predicted, rows in zip(predictions, (fit.judged, fit.held), strict=True)
    )
    test_error = float(test.mean())
    return Baseline(name, float(errors.mean()), test_error, fit.held.explained(test_error)), errors


def measure_model(model: Model, fit: FittedEnsemble) -> tuple[Baseline, Array]:
    """Row and squared errors of a model that was fitted to training rows."""
    return measure_predictions(model.name, fit, (model(fit.judged.X), model(fit.held.X)))


def fit_classical(plan: FitPlan, fit: FittedEnsemble) -> Iterator[tuple[Baseline, Array]]:
    """Ridge regression with the penalty selected on validation rows, and gradient boosting where there are such rows."""
    X, Y = plan.rows(plan.parts.train)
    parts, weights = (fit.judged.X, fit.held.X), plan.weights_of(plan.parts.train)
    yield min(
        (
            measure_predictions(RIDGE, fit, (first, second))
            for first, second in predict_ridge(X, Y, parts, weights)
        ),
        key=lambda one: one[0].validation_error,
    )
    if fit.judged.is_separate:
        first, second = predict_boosting(X, Y, parts, plan.seed, weights)
        yield measure_predictions(BOOSTING, fit, (first, second))
