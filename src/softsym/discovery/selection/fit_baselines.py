"""What a person would take instead, on the same rows, so that nobody has to take a model's word for it.

Ridge and kernel ridge regression choose their settings by validation rows, as the ladder does; a multilayer perceptron and gradient
boosting have usual ones, and are left out where no rows could be held out. Where a network was trained, ordinary networks of its size
are trained for about a tenth of its time. What held-out rows say about each is told, whoever is better.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from softsym.discovery.fit.baselines import Baseline
from softsym.discovery.fit.fitted import FittedEnsemble, Predictor, Rivals
from softsym.discovery.fit.parallel import Training
from softsym.discovery.fit.train import FitPlan, Prepared, Session
from softsym.discovery.models.kernel_ridge import kernel_ridge
from softsym.discovery.models.perceptron import perceptron
from softsym.discovery.models.protocol import ORDINARY, Rung
from softsym.discovery.models.scikit_baselines import BOOSTING, RIDGE, boosting, ridge
from softsym.typing import Array


def beside(plan: FitPlan, fit: FittedEnsemble) -> FittedEnsemble:
    """The fit with the simple models that a person would take instead.

    Args:
        plan: The fit.
        fit: What was fitted so far.
    """
    if not fit.is_finished:
        return fit
    X, Y = plan.rows(plan.parts.train)
    checked = fit.judged.X, fit.judged.Y
    weights = plan.weights_of(plan.parts.train)
    rungs: list[Rung] = [kernel_ridge(X, Y, checked, weights, fit.judged.weights)]
    if fit.judged.is_separate:  # on the rows that it was fitted to, a flexible model's error says nothing
        rungs.append(perceptron(X, Y, checked, plan.seed, weights))
    compared = [*classical(plan, fit), *(measured_rung(rung, fit) for rung in rungs)]
    _, errors = min(compared, key=lambda one: one[0].validation_error)
    return replace(fit, rivals=Rivals(tuple(row for row, _ in compared), errors, rungs=tuple(rungs)))


def with_ordinary(plan: FitPlan, prepared: Prepared, fit: FittedEnsemble, session: Session) -> FittedEnsemble:
    """The fit with ordinary networks among its rivals, if its own are no such networks.

    Args:
        plan: The fit.
        prepared: Its rows.
        fit: What was trained.
        session: How it is carried out.
    """
    if not fit.is_finished or not plan.shape.groups or fit.rivals is None:
        return fit
    lesson = replace(prepared.lesson, shape=plan.shape.plain())
    recipe = fit.recipe.plain(len(lesson.data.train[0]))
    trainings = [Training(recipe, seed, session.inside(f"ordinary-{seed}")) for seed in plan.member_seeds]
    members = session.train(lesson, trainings, "ordinary networks: ")
    if not session.is_done(trainings, members):
        return fit.interrupted()
    ordinary = prepared.predictor(plan.target, members)
    row, errors = measured(ORDINARY, fit, means(ordinary, fit))
    least = min(other.validation_error for other in fit.rivals.baselines)
    rivals = replace(
        fit.rivals,
        baselines=(row, *fit.rivals.baselines),
        errors=errors if row.validation_error < least else fit.rivals.errors,
        ordinary=ordinary,
    )
    return replace(fit, rivals=rivals, seconds=fit.seconds + session.spent(members))


def means(predictor: Predictor, fit: FittedEnsemble) -> tuple[Array, Array]:
    """Predictions for validation and for held-out rows."""
    return predictor(fit.judged.X).mean(0), predictor(fit.held.X).mean(0)


def measured(name: str, fit: FittedEnsemble, predictions: tuple[Array, Array]) -> tuple[Baseline, Array]:
    """How well a model predicts, and its squared errors on validation rows."""
    errors, test = (
        rows.errors(predicted) for predicted, rows in zip(predictions, (fit.judged, fit.held), strict=True)
    )
    test_error = float(test.mean())
    return Baseline(name, float(errors.mean()), test_error, fit.held.explained(test_error)), errors


def measured_rung(rung: Rung, fit: FittedEnsemble) -> tuple[Baseline, Array]:
    """The same of a rung as it was fitted to training rows."""
    return measured(rung.name, fit, (rung(fit.judged.X), rung(fit.held.X)))


def classical(plan: FitPlan, fit: FittedEnsemble) -> Iterator[tuple[Baseline, Array]]:
    """Ridge regression with the penalty that suits validation rows best, and gradient boosting where there are such rows."""
    X, Y = plan.rows(plan.parts.train)
    parts, weights = (fit.judged.X, fit.held.X), plan.weights_of(plan.parts.train)
    yield min(
        (measured(RIDGE, fit, (first, second)) for first, second in ridge(X, Y, parts, weights)),
        key=lambda one: one[0].validation_error,
    )
    if fit.judged.is_separate:
        first, second = boosting(X, Y, parts, plan.seed, weights)
        yield measured(BOOSTING, fit, (first, second))
