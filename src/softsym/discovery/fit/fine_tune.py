"""The stage after the verdicts: what holds is built in, what does not is let go, and the rest stays as strong as it ended.

Members go on from where they were for a third of their epochs, and are then moved to the nearest weights that have every exact group to
rounding. They take the place of the softer ones unless validation rows are predicted worse by more than one standard error; then the
softer ones are moved there as they are, by the same condition.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace

import torch

from softsym.discovery.fit.compare import squared_errors, standard_errors
from softsym.discovery.fit.fitted import FittedEnsemble
from softsym.discovery.fit.member import Member, Shape, Start, make_regularizer
from softsym.discovery.fit.parallel import Training
from softsym.discovery.fit.train import FitPlan, Prepared, Session

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
    if not soft.shape.groups or not soft.members or not soft.is_finished:
        return soft
    trainings = [
        Training(
            soft.recipe.last_stage(),
            member.seed,
            session.inside(f"seed-{member.seed}-last"),
            Start(
                member.model.state_dict(),
                {name: told.get(name, old) for name, old in member.strengths.items()},
            ),
        )
        for member in soft.members
    ]
    trained = session.train(prepared.lesson, trainings, "last stage: ")
    if not session.is_done(trainings, trained):
        return soft.interrupted()
    soft = replace(soft, seconds=soft.seconds + session.spent(trained))
    best, errors = soft, squared_errors(soft.predictor, soft.judged)
    # Moved as they are they are taken if no worse than before, and after the last stage if that is no worse than without it.
    for members in (copy.deepcopy(soft.members), trained):
        predictor = prepared.predictor(
            plan.target, [moved_into(member, soft.shape, exact) for member in members]
        )
        now = squared_errors(predictor, soft.judged)
        if standard_errors(now, errors) <= 1:
            best, errors = replace(soft, predictor=predictor, built_in=exact), now
    return best


@torch.no_grad()
def moved_into(member: Member, shape: Shape, exact: tuple[str, ...]) -> Member:
    """The member with the nearest weights that have all exact groups at once, to rounding in double precision."""
    per = make_regularizer(member.model, shape.only(member.strengths))
    if per is None or not exact:
        return member
    per.strengths = {name: float(name in exact) for name in per.strengths}
    for _ in range(2):  # what a step of this length leaves outside, a second one leaves of that
        per.prox_(1e9)
    return member
