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
from softsym.discovery.fit.fitted import FittedEnsemble, Predictor, explained
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
    """The fit with what simpler models reach, and the ordinary networks in its place if they are better.

    Args:
        plan: The fit.
        prepared: Its rows.
        fit: What was trained.
        session: How it is carried out.
    """
    rows = [_of_predictor(NETWORK, fit.predictor, fit)]
    if plan.shape.groups:
        lesson = replace(prepared.lesson, shape=plan.shape.plain())
        recipe = fit.recipe.plain().for_rows(len(lesson.data.train[0]))
        trainings = [Training(recipe, seed, session.inside(f"ordinary-{seed}")) for seed in plan.member_seeds]
        members = session.train(lesson, trainings, "ordinary networks: ")
        if not session.is_done(trainings, members):
            return fit.interrupted()
        ordinary = prepared.predictor(plan.target, members)
        rows.append(_of_predictor(ORDINARY, ordinary, fit))
        if rows[1].validation_error < rows[0].validation_error:
            fit = replace(fit, ordinary=ordinary)
    rows += classical(plan, prepared, fit)
    return replace(fit, baselines=Baselines.of(rows, NETWORK if fit.ordinary is None else ORDINARY))


def _of_predictor(name: str, predictor: Predictor, fit: FittedEnsemble) -> Baseline:
    return _baseline(name, fit, *(predictor(rows.X).mean(0) for rows in (fit.judged, fit.held)))


def _baseline(name: str, fit: FittedEnsemble, *predictions: Array) -> Baseline:
    """From predictions for validation and for held-out rows."""
    validation, test = (
        float(np.mean((predicted.reshape(rows.Y.shape) - rows.Y) ** 2))
        for predicted, rows in zip(predictions, (fit.judged, fit.held), strict=True)
    )
    return Baseline(name, validation, test, explained(fit.held.Y, test))


def classical(plan: FitPlan, prepared: Prepared, fit: FittedEnsemble) -> Iterator[Baseline]:
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
    for name, models in kinds.items():
        candidates = []
        for model in models:
            model.fit(x[few], y[few] - mean)
            parts = (prepared.scale_in.transform(rows.X) for rows in (fit.judged, fit.held))
            candidates.append(
                _baseline(name, fit, *(np.asarray(model.predict(part)) + mean for part in parts))
            )
        yield min(candidates, key=lambda row: row.validation_error)
