"""The stage after the verdicts: what holds is built in, what does not is let go, and the rest stays as strong as it ended.

Members go on from where they were for a third of their epochs, and are then moved to the nearest weights that have every exact group to
rounding. They take the place of the softer ones unless validation rows are predicted worse by more than one standard error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from softsym.discovery.fit.fitted import FittedEnsemble, HeldOut, Predictor
from softsym.discovery.fit.member import Member, Shape, Start, make_regularizer
from softsym.discovery.fit.parallel import Training
from softsym.discovery.fit.train import FitPlan, Prepared, Session

Array = NDArray[np.float64]
BUILT_IN = 1e6
"""Strength of a group that holds: a proximal step leaves nothing outside its space that float32 could tell."""


def finish(
    plan: FitPlan,
    prepared: Prepared,
    soft: FittedEnsemble,
    verdicts: Mapping[str, str],
    session: Session,
) -> FittedEnsemble:
    """The last stage of a fit.

    Args:
        plan: The fit.
        prepared: Its rows.
        soft: What was trained.
        verdicts: What is certain, by group; others stay as strong as they are.
        session: How it is carried out.
    """
    exact = tuple(name for name, verdict in verdicts.items() if verdict == "exact")
    told = {
        name: BUILT_IN if name in exact else 0.0 for name, verdict in verdicts.items() if verdict != "soft"
    }
    if not soft.shape.groups:
        return soft
    trainings = [
        Training(
            soft.recipe.last_stage(),
            member.seed,
            session.inside(f"seed-{member.seed}-last"),
            Start(member.model.state_dict(), member.strengths | told),
        )
        for member in soft.members
    ]
    trained = session.train(prepared.lesson, trainings, "last stage: ")
    if not session.is_done(trainings, trained):
        return soft.interrupted()
    members = tuple(
        replace(moved_into(member, soft.shape, exact), strengths=member.strengths) for member in trained
    )
    predictor = prepared.predictor(plan.target, members)
    if is_worse(predictor, soft.predictor, soft.judged):
        return soft
    return replace(soft, predictor=predictor, built_in=exact)


@torch.no_grad()
def moved_into(member: Member, shape: Shape, exact: tuple[str, ...]) -> Member:
    """The member with the nearest weights that have all exact groups at once, to rounding in double precision."""
    per = make_regularizer(member.model, shape)
    if per is None or not exact:
        return member
    per.strengths = {name: float(name in exact) for name in per.strengths}
    for _ in range(2):  # what a step of this length leaves outside, a second one leaves of that
        per.prox_(1e9)
    return member


def squared_errors(predictor: Predictor, rows: HeldOut) -> Array:
    """Of the mean over members, summed over outputs, for each row."""
    return np.asarray(np.sum((predictor(rows.X).mean(0) - rows.Y) ** 2, axis=1))


def is_worse(new: Predictor, old: Predictor, rows: HeldOut) -> bool:
    """Whether rows are predicted worse, by more than one standard error of the paired difference."""
    differences = squared_errors(new, rows) - squared_errors(old, rows)
    if len(differences) < 2:
        return bool(differences.sum() > 0)
    return bool(differences.mean() > differences.std(ddof=1) / len(differences) ** 0.5)
