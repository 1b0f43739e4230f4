"""The stage after the verdicts: exact groups become constraints, absent ones are dropped (strength 0), soft ones keep their strengths.

Members are trained for another third of their epochs and then projected onto the weights that are equivariant to every exact group, to
rounding. They replace the soft members unless their validation error is larger by more than one standard error; then the soft members
are projected without further training, under the same condition.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import replace

import torch

from softsym.discovery.fit.compare import squared_errors, standard_errors
from softsym.discovery.fit.fitted import FittedEnsemble
from softsym.discovery.fit.member import Member, Shape, Start, make_regularizer
from softsym.discovery.fit.parallel import TrainJob
from softsym.discovery.fit.train import FitPlan, Prepared, Session

EXACT_STRENGTH = 1e6
"""Strength of a group that holds: after a proximal step nothing is left outside its space in single precision."""


def fine_tune_exact(
    plan: FitPlan,
    prepared: Prepared,
    soft: FittedEnsemble,
    verdicts: Mapping[str, str],
    session: Session,
) -> FittedEnsemble:
    """Trains the last stage of a fit and projects its members onto the exact groups.

    Args:
        plan: The fit.
        prepared: Its rows.
        soft: The fit with trained members.
        verdicts: Certain verdicts by group; other groups keep their strengths.
        session: Folder, processes and progress.
    """
    exact = tuple(name for name, verdict in verdicts.items() if verdict == "exact")
    fixed_strengths = {
        name: EXACT_STRENGTH if name in exact else 0.0
        for name, verdict in verdicts.items()
        if verdict != "soft"
    }
    if not soft.shape.groups or not soft.members or not soft.is_finished:
        return soft
    jobs = [
        TrainJob(
            soft.recipe.last_stage(),
            member.seed,
            session.subfolder(f"seed-{member.seed}-last"),
            Start(
                member.model.state_dict(),
                {name: fixed_strengths.get(name, old) for name, old in member.strengths.items()},
            ),
        )
        for member in soft.members
    ]
    trained = session.train(prepared.training_data, jobs, "last stage: ")
    if not session.is_done(jobs, trained):
        return soft.mark_interrupted()
    soft = replace(soft, seconds=soft.seconds + session.spent(trained))
    best, errors = soft, squared_errors(soft.predictor, soft.judged)
    # Projected members replace the soft ones if they are no worse, and those of the last stage replace them if these are no worse.
    for members in (copy.deepcopy(soft.members), trained):
        predictor = prepared.predictor(
            plan.target, [project_member(member, soft.shape, exact) for member in members]
        )
        now = squared_errors(predictor, soft.judged)
        if standard_errors(now, errors) <= 1:
            best, errors = replace(soft, predictor=predictor, exact_groups=exact), now
    return best


@torch.no_grad()
def project_member(member: Member, shape: Shape, exact: tuple[str, ...]) -> Member:
    """Projects a member onto the weights that are equivariant to all exact groups, to rounding in double precision."""
    per = make_regularizer(member.model, shape.restrict_to(member.strengths))
    if per is None or not exact:
        return member
    per.strengths = {name: float(name in exact) for name in per.strengths}
    for _ in range(2):  # what a step of this length leaves outside, a second one leaves of that
        per.prox_(1e9)
    return member
