"""Simpler models on the same rows, so that nobody has to take a network's word for it.

Ridge and kernel ridge regression choose their settings by validation rows, as the network does; ordinary networks of its size are trained
for about a tenth of its time. A network that predicts validation rows worse than the ordinary ones is not returned; they are. What
held-out rows say about each is told, whoever is better.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

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
        recipe = fit.recipe.plain().for_rows(len(lesson.data.train[0]))
        trainings = [Training(recipe, seed, session.inside(f"ordinary-{seed}")) for seed in plan.member_seeds]
        members = session.train(lesson, trainings, "ordinary networks: ")
        if not session.is_done(trainings, members):
            return fit.interrupted()
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
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.linear_model import Ridge

    rows = prepared.parts.train
    x, y = prepared.scale_in.transform(plan.X[rows]), plan.Y[rows]
    few = slice(MOST_ROWS)
    mean = y.mean(0)
    usual = float(np.mean(np.sum((x - x.mean(0)) ** 2, axis=1))) or 1.0
    kernels = [{"kernel": "rbf", "gamma": 0.25 / (width**2 * usual)} for width in WIDTHS]
    kernels.append({"kernel": "poly", "degree": 3, "gamma": 1 / usual})
    kinds = {
        "ridge regression": [Ridge(alpha=penalty * len(x)) for penalty in PENALTIES],
        "kernel ridge regression": [KernelRidge(alpha=a, **kernel) for kernel in kernels for a in PENALTIES],
    }
    parts = [prepared.scale_in.transform(part.X) for part in (fit.judged, fit.held)]
    for name, models in kinds.items():
        candidates = []
        for model in models:
            model.fit(x[few], y[few] - mean)
            predictions = tuple(np.asarray(model.predict(part)) + mean for part in parts)
            candidates.append(_measured(name, fit, predictions))
        yield min(candidates, key=lambda one: one[0].validation_error)
