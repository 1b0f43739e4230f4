"""Whether a network can improve on the closed-form models, and why.

It can where there is no kernel; and, if closed-form models leave enough variance unexplained, where they use only some of the rows, where
there are many rows (a kernel takes for noise what it cannot express), where the unexplained variance is well above their estimate of the
noise, or where a small perceptron on the same rows predicts better. No network is trained where too few rows could be held out.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softsym.discovery.fit.compare import standard_errors
from softsym.discovery.fit.fitted import FittedEnsemble, Target
from softsym.discovery.fit.train import FitPlan
from softsym.discovery.models.ensemble import fit_ensemble
from softsym.discovery.models.gp_model import GaussianProcess
from softsym.discovery.models.protocol import PERCEPTRON
from softsym.typing import Array

MIN_GAIN = 0.005
"""Share of the outputs' variance that must be left to gain: less does not justify training a network."""
BEYOND_NOISE = 2.0
"""Factor by which the unexplained variance of closed-form models must exceed their estimate of the noise."""
MANY_ROWS = 1_000
"""Training rows from which a network may learn what no kernel expresses; in benchmarks it did not with fewer."""
SIGNIFICANT = 2.0
"""Standard errors by which one model predicts validation rows better than another."""


@dataclass(frozen=True)
class NetworkDecision:
    """Whether to train a network.

    Args:
        network: Whether.
        why: The reason, a clause.
    """

    network: bool
    why: str


def should_train_network(plan: FitPlan, fit: FittedEnsemble) -> NetworkDecision:
    """Decides whether a network is trained.

    Args:
        plan: The plan, whose ``model`` may decide it.
        fit: The fit with closed-form models and baselines.
    """
    if plan.target is Target.CLASSES:
        return NetworkDecision(True, "classes are learned by networks")
    if plan.model != "auto":
        return NetworkDecision(plan.model == "network", f"the parameter model is {plan.model!r}")
    gp_model = fit.closed_form.gp_model
    if gp_model is None:
        reason = next(iter(fit.closed_form.refused.values()), "")
        return NetworkDecision(True, f"there is no Gaussian process for these groups ({reason})")
    if not fit.judged.is_separate:
        return NetworkDecision(False, "too few rows to compare models")
    if plan.budget is not None and fit.closed_form.seconds >= plan.budget:
        return NetworkDecision(False, f"the budget of {plan.budget:g} s is used up")
    rows = fit.judged
    errors = rows.errors(
        fit_ensemble(fit.closed_form.models, rows.X, rows.Y, rows.weights).predict_from_train(rows.X)
    )
    left = 1.0 - rows.explained(float(errors.mean()))
    if left <= MIN_GAIN:
        return NetworkDecision(
            False, f"closed forms leave {left:.2g} of the variance unexplained, so there is little to gain"
        )
    if gp_model.rows < len(plan.parts.train):
        return NetworkDecision(
            True, f"the Gaussian process holds {gp_model.rows:,} of {len(plan.parts.train):,} training rows"
        )
    if len(plan.parts.train) >= MANY_ROWS:
        return NetworkDecision(
            True,
            f"closed forms leave {left:.1%} of the variance unexplained, and rows are many enough to learn more",
        )
    # A process takes for noise what it cannot express, so the least estimate of all is the best.
    least = min(
        float(np.mean(model.noise)) for model in fit.closed_form.models if isinstance(model, GaussianProcess)
    )
    noise = left * least / max(float(errors.mean()), 1e-300)
    if left > BEYOND_NOISE * noise:
        return NetworkDecision(
            True, f"closed forms leave {left:.1%} of the variance unexplained, of which {noise:.1%} is noise"
        )
    if standard_errors(errors, _perceptron_errors(fit), rows.row_groups) > SIGNIFICANT:
        return NetworkDecision(True, "a small perceptron predicts better than closed forms")
    return NetworkDecision(
        False, f"of the {left:.1%} of the variance that closed forms leave unexplained, {noise:.1%} is noise"
    )


def _perceptron_errors(fit: FittedEnsemble) -> Array:
    models = () if fit.baseline_models is None else fit.baseline_models.models
    mlp = next((model for model in models if model.name == PERCEPTRON), None)
    return np.full(len(fit.judged.X), np.inf) if mlp is None else fit.judged.errors(mlp(fit.judged.X))
