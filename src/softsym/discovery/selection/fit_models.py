"""Fits all models of a plan: closed-form models and baselines, and networks where they can improve on them."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from softsym.discovery.fit.fitted import FittedEnsemble, Target
from softsym.discovery.fit.train import FitPlan, Prepared, Session, fit_without_networks, train_ensemble
from softsym.discovery.models.closed_form import ClosedFormModels, fit_closed_form_models
from softsym.discovery.selection.fit_baselines import fit_baselines, train_unconstrained_networks
from softsym.discovery.selection.network_decision import should_train_network
from softsym.discovery.selection.supported_groups import drop_low_overlap, select_supported
from softsym.errors import InputError
from softsym.inference import EvidenceTable


def fit_models(
    plan: FitPlan, prepared: Prepared, session: Session, evidence: EvidenceTable | None = None
) -> FittedEnsemble:
    """Fits the models that the plan asks for, none of them with exact constraints.

    Args:
        plan: The plan.
        prepared: Its standardised rows.
        session: Folder, processes and progress.
        evidence: The evidence, which decides on the candidates of each model.
    """
    began = time.perf_counter()
    fit = fit_without_networks(plan, prepared)
    with ThreadPoolExecutor(1 if session.n_jobs == 1 else 2) as pool:
        closed_form, baseline_models = (
            pool.submit(_fit_closed_form, plan, evidence),
            pool.submit(fit_baselines, plan, fit),
        )
        fit = replace(baseline_models.result(), closed_form=closed_form.result())
    wanted = should_train_network(plan, fit)
    spent = time.perf_counter() - began
    sentence = f"{'A' if wanted.network else 'No'} network was trained: {wanted.why}."
    if not wanted.network:
        return replace(fit, seconds=spent, why=(sentence,))
    if plan.budget is not None:
        plan = replace(plan, budget=max(plan.budget - spent, 0.1 * plan.budget))
    trained = train_ensemble(plan, prepared, session)
    trained = replace(
        trained,
        closed_form=fit.closed_form,
        baseline_models=fit.baseline_models,
        why=(sentence,),
        seconds=trained.seconds + spent,
    )
    return train_unconstrained_networks(plan, prepared, trained, session)


def _fit_closed_form(plan: FitPlan, evidence: EvidenceTable | None) -> ClosedFormModels:
    if plan.target is Target.CLASSES or plan.model == "network":
        return ClosedFormModels()
    X, Y = plan.rows(plan.parts.train)
    row_groups = None if plan.row_groups is None else plan.row_groups[plan.parts.train]
    shape = plan.shape
    groups = drop_low_overlap(shape.groups, evidence) if plan.model == "auto" else shape.groups
    closed_form = fit_closed_form_models(
        X, Y, shape.rep_in, shape.rep_out, groups,
        model=plan.model, supported=select_supported(groups, evidence), row_groups=row_groups, seed=plan.seed,
        weights=plan.weights_of(plan.parts.train),
    )  # fmt: skip
    if not closed_form.models:
        raise InputError(next(iter(closed_form.refused.values())))
    return closed_form
