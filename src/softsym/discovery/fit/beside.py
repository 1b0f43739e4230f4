"""Simpler models on the same rows, so that nobody has to take a network's word for it.

Ridge and kernel ridge regression choose their settings by validation rows, as the network does; ordinary networks of its size are trained
for about a tenth of its time. A network that predicts validation rows worse than the ordinary ones is not returned; they are. What
held-out rows say about each is told, whoever is better.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from softsym.discovery.fit.baselines import Baseline, Baselines
from softsym.discovery.fit.compare import row_errors
from softsym.discovery.fit.fitted import FittedEnsemble, Predictor, Rivals, explained
from softsym.discovery.fit.parallel import Training
from softsym.discovery.fit.train import FitPlan, Prepared, Session

Array = NDArray[np.float64]
NETWORK, ORDINARY = "network", "ordinary network"
MOST_ROWS = 2_000
"""Kernel ridge is fitted to no more rows: its time grows with their cube."""
PENALTIES = (1e-8, 1e-6, 1e-4, 1e-2, 1.0)
WIDTHS = (0.1, 0.3, 1.0, 3.0)
"""Widths of the Gaussian kernel, in terms of the usual distance of two rows."""


def beside(plan: FitPlan, prepared: Prepared, fit: FittedEnsemble, session: Session) -> FittedEnsemble:
    """The fit with its rivals.

    Args:
        plan: The fit.
        prepared: Its rows.
        fit: What was trained.
        session: How it is carried out.
    """
    if not fit.is_finished:
        return fit
    ordinary, fitted = None, []
    if plan.shape.groups:
        lesson = replace(prepared.lesson, shape=plan.shape.plain())
        recipe = fit.recipe.plain(len(lesson.data.train[0]))
        trainings = [Training(recipe, seed, session.inside(f"ordinary-{seed}")) for seed in plan.member_seeds]
        members = session.train(lesson, trainings, "ordinary networks: ")
        if not session.is_done(trainings, members):
            return fit.interrupted()
        fit = replace(fit, seconds=fit.seconds + session.spent(members))
        ordinary = prepared.predictor(plan.target, members)
        fitted.append(_measured(ORDINARY, fit, _means(ordinary, fit)))
    fitted += classical(plan, prepared, fit)
    _, errors = min(fitted, key=lambda one: one[0].validation_error)
    return replace(fit, rivals=Rivals(tuple(row for row, _ in fitted), errors, ordinary))


def chosen(fit: FittedEnsemble) -> FittedEnsemble:
    """The fit with the table of all models, and the ordinary networks in its place if they predict validation rows better."""
    if fit.rivals is None:
        return fit
    network, _ = _measured(NETWORK, fit, _means(fit.predictor, fit))
    rows = [network, *fit.rivals.baselines]
    best = min(
        rows[:2] if fit.rivals.ordinary is not None else rows[:1], key=lambda row: row.validation_error
    )
    ordinary = fit.rivals.ordinary if best.name == ORDINARY else None
    return replace(fit, baselines=Baselines.of(rows, best.name), ordinary=ordinary)


def without_ordinary(fit: FittedEnsemble) -> FittedEnsemble:
    """The fit with its own members as those that predict, measured again."""
    fit = replace(fit, ordinary=None)
    others = [row for row in fit.baselines if row.name != NETWORK]
    if not others:
        return fit
    network, _ = _measured(NETWORK, fit, _means(fit.predictor, fit))
    return replace(fit, baselines=Baselines.of([network, *others], NETWORK))


def _means(predictor: Predictor, fit: FittedEnsemble) -> tuple[Array, ...]:
    """Predictions for validation and for held-out rows."""
    return tuple(predictor(rows.X).mean(0) for rows in (fit.judged, fit.held))


def _measured(name: str, fit: FittedEnsemble, predictions: tuple[Array, ...]) -> tuple[Baseline, Array]:
    """How well a model predicts, and its squared errors on validation rows."""
    errors, test = (
        row_errors(predicted, rows.Y)
        for predicted, rows in zip(predictions, (fit.judged, fit.held), strict=True)
    )
    test_error = float(test.mean())
    return Baseline(name, float(errors.mean()), test_error, explained(fit.held.Y, test_error)), errors


def classical(plan: FitPlan, prepared: Prepared, fit: FittedEnsemble) -> Iterator[tuple[Baseline, Array]]:
    """Ridge and kernel ridge regression, each with the settings that suit validation rows best."""
    rows = prepared.parts.train
    center, mean = prepared.scale_in.transform(plan.X[rows]).mean(0), plan.Y[rows].mean(0)
    x, *parts = (prepared.scale_in.transform(X) - center for X in (plan.X[rows], fit.judged.X, fit.held.X))
    for name, candidates in (
        ("ridge regression", _ridge(x, plan.Y[rows] - mean, parts)),
        ("kernel ridge regression", _kernel_ridge(x[:MOST_ROWS], (plan.Y[rows] - mean)[:MOST_ROWS], parts)),
    ):
        measured = (
            _measured(name, fit, tuple(part + mean for part in predicted)) for predicted in candidates
        )
        yield min(measured, key=lambda one: one[0].validation_error)


def _ridge(x: Array, y: Array, parts: Sequence[Array]) -> Iterator[list[Array]]:
    """For every penalty, predictions for parts (n, inputs) from centred training rows."""
    from sklearn.linear_model import Ridge

    for penalty in PENALTIES:
        model = Ridge(alpha=penalty * len(x)).fit(x, y)
        yield [np.asarray(model.predict(part)).reshape(len(part), -1) for part in parts]


def _kernel_ridge(x: Array, y: Array, parts: Sequence[Array]) -> Iterator[list[Array]]:
    """The same for every kernel, too."""
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.metrics.pairwise import pairwise_kernels

    usual = float(np.mean(np.sum(x**2, axis=1))) or 1.0
    kernels: list[dict[str, Any]] = [
        {"metric": "rbf", "gamma": 0.25 / (width**2 * usual)} for width in WIDTHS
    ]
    kernels.append({"metric": "poly", "degree": 3, "gamma": 1 / usual})
    for kernel in kernels:
        own, *others = (pairwise_kernels(part, x, **kernel) for part in (x, *parts))
        for penalty in PENALTIES:
            with warnings.catch_warnings():
                warnings.simplefilter(
                    "ignore"
                )  # of matrices that are nearly singular: such a setting does not win
                model = KernelRidge(alpha=penalty, kernel="precomputed").fit(own, y)
            yield [np.asarray(model.predict(other)).reshape(len(other), -1) for other in others]
