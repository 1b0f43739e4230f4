"""One climb up the ladder: closed forms first, simple models beside them, and a network where it can add something."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from softsym.discovery.fit.fitted import FittedEnsemble, Target
from softsym.discovery.fit.train import FitPlan, Prepared, Session, train_ensemble, untrained
from softsym.discovery.models.closed_form import Ladder, climb
from softsym.discovery.selection.fit_baselines import beside, with_ordinary
from softsym.discovery.selection.network_decision import need
from softsym.discovery.selection.supported_groups import covered, holding
from softsym.errors import InputError
from softsym.inference import EvidenceTable


def climbed(
    plan: FitPlan, prepared: Prepared, session: Session, evidence: EvidenceTable | None = None
) -> FittedEnsemble:
    """The fit with everything that its choice of model asks for, free to break every candidate.

    Args:
        plan: The fit.
        prepared: Its rows.
        session: How it is carried out.
        evidence: The first look, which knows of which candidates data can speak.
    """
    began = time.perf_counter()
    fit = untrained(plan, prepared)
    with ThreadPoolExecutor(1 if session.n_jobs == 1 else 2) as pool:
        ladder, rivals = pool.submit(_ladder, plan, evidence), pool.submit(beside, plan, fit)
        fit = replace(rivals.result(), ladder=ladder.result())
    wanted = need(plan, fit)
    spent = time.perf_counter() - began
    sentence = f"{'A' if wanted.network else 'No'} network was trained: {wanted.why}."
    if not wanted.network:
        return replace(fit, seconds=spent, why=(sentence,))
    if plan.budget is not None:
        plan = replace(plan, budget=max(plan.budget - spent, 0.1 * plan.budget))
    trained = train_ensemble(plan, prepared, session)
    trained = replace(
        trained, ladder=fit.ladder, rivals=fit.rivals, why=(sentence,), seconds=trained.seconds + spent
    )
    return with_ordinary(plan, prepared, trained, session)


def _ladder(plan: FitPlan, evidence: EvidenceTable | None) -> Ladder:
    if plan.target is Target.CLASSES or plan.model == "network":
        return Ladder()
    X, Y = plan.rows(plan.parts.train)
    sources = None if plan.together is None else plan.together[plan.parts.train]
    shape = plan.shape
    groups = covered(shape.groups, evidence) if plan.model == "auto" else shape.groups
    ladder = climb(
        X, Y, shape.rep_in, shape.rep_out, groups,
        model=plan.model, narrow=holding(groups, evidence), sources=sources, seed=plan.seed,
        weights=plan.weights_of(plan.parts.train),
    )  # fmt: skip
    if not ladder.rungs:
        raise InputError(next(iter(ladder.refused.values())))
    return ladder
