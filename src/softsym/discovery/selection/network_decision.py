"""Whether a network can add something to the closed-form rungs, and why.

It can where there is no kernel; and, if closed forms leave something to gain, where they do not see all rows, where there are many rows (a
kernel takes for noise what it cannot express, so its word is not enough then), where what they leave is well above their own estimate of
the noise, or where a small perceptron on the same rows predicts better. It is not asked where too few rows could be held out to tell.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from softsym.discovery.fit.compare import standard_errors
from softsym.discovery.fit.fitted import FittedEnsemble, Target
from softsym.discovery.fit.train import FitPlan
from softsym.discovery.models.ensemble import blended
from softsym.discovery.models.gp_model import GaussianProcess
from softsym.discovery.models.protocol import PERCEPTRON
from softsym.typing import Array

WORTH_IT = 0.005
"""Share of the outputs' variance that must be left to gain: less is not worth the minute that a network takes."""
BEYOND_NOISE = 2.0
"""How many times its own estimate of the noise the best closed form must leave unexplained."""
MANY = 1_000
"""Training rows from which a network may learn what no kernel of ours expresses: with fewer, ours did not overtake them."""
CLEARLY = 2.0
"""Standard errors by which one model predicts validation rows better than another."""


@dataclass(frozen=True)
class Need:
    """Whether to train.

    Args:
        network: The answer.
        why: The reason, a clause.
    """

    network: bool
    why: str


def need(plan: FitPlan, fit: FittedEnsemble) -> Need:
    """Whether a network is trained.

    Args:
        plan: The fit, which may have been told.
        fit: What was fitted so far: ladder and rivals.
    """
    if plan.target is Target.CLASSES:
        return Need(True, "classes are learned by networks")
    if plan.model != "auto":
        return Need(plan.model == "network", f"it was asked for: model {plan.model!r}")
    process = fit.ladder.process
    if process is None:
        reason = next(iter(fit.ladder.refused.values()), "")
        return Need(True, f"there is no Gaussian process for these groups ({reason})")
    if not fit.judged.is_separate:
        return Need(False, "too few rows to tell whether a network is better")
    if plan.budget is not None and fit.ladder.seconds >= plan.budget:
        return Need(False, f"the budget of {plan.budget:g} s is used up")
    rows = fit.judged
    errors = rows.errors(blended(fit.ladder.rungs, rows.X, rows.Y, rows.weights).early(rows.X))
    left = 1.0 - rows.explained(float(errors.mean()))
    if left <= WORTH_IT:
        return Need(
            False, f"closed forms leave {left:.2g} of the variance unexplained, so there is little to gain"
        )
    if process.rows < len(plan.parts.train):
        return Need(
            True, f"the Gaussian process holds {process.rows:,} of {len(plan.parts.train):,} training rows"
        )
    if len(plan.parts.train) >= MANY:
        return Need(
            True,
            f"closed forms leave {left:.1%} of the variance unexplained, and rows are many enough to learn more",
        )
    # What one process cannot express it takes for noise: the least that any of them claims is nearer to it.
    least = min(float(np.mean(rung.noise)) for rung in fit.ladder.rungs if isinstance(rung, GaussianProcess))
    noise = left * least / max(float(errors.mean()), 1e-300)
    if left > BEYOND_NOISE * noise:
        return Need(
            True, f"closed forms leave {left:.1%} of the variance unexplained, of which {noise:.1%} is noise"
        )
    if standard_errors(errors, _perceptron_errors(fit), rows.together) > CLEARLY:
        return Need(True, "a small perceptron predicts better than closed forms")
    return Need(
        False, f"of the {left:.1%} of the variance that closed forms leave unexplained, {noise:.1%} is noise"
    )


def _perceptron_errors(fit: FittedEnsemble) -> Array:
    rungs = () if fit.rivals is None else fit.rivals.rungs
    mlp = next((rung for rung in rungs if rung.name == PERCEPTRON), None)
    return np.full(len(fit.judged.X), np.inf) if mlp is None else fit.judged.errors(mlp(fit.judged.X))
