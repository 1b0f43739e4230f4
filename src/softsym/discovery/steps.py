"""The steps of a fit: evidence, models, verdicts, projection onto exact groups, model selection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from softsym.discovery.fit.fine_tune import fine_tune_exact
from softsym.discovery.fit.fitted import FittedEnsemble
from softsym.discovery.fit.train import FitPlan, Session, prepare
from softsym.discovery.judge.judge import judge_all
from softsym.discovery.judge.symmetries import Symmetries
from softsym.discovery.selection.evidence_step import compute_evidence
from softsym.discovery.selection.fit_models import fit_models
from softsym.discovery.selection.select_model import select_model
from softsym.discovery.selection.supported_groups import restrict_to_supported
from softsym.inference import EvidenceTable
from softsym.inference.likelihood.blas_threads import one_blas_thread


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a fit.

    Args:
        evidence: The evidence of the data.
        symmetries: The verdicts.
        fit: The models, and which of them is selected.
    """

    evidence: EvidenceTable
    symmetries: Symmetries
    fit: FittedEnsemble


@one_blas_thread()
def run_fit(
    plan: FitPlan,
    session: Session,
    *,
    skip_verdicts: bool = False,
    on_evidence: Callable[[EvidenceTable], None] | None = None,
    evidence: EvidenceTable | None = None,
) -> Outcome:
    """Fits as planned.

    Args:
        plan: The plan.
        session: Folder, processes and progress.
        skip_verdicts: Fit models without evidence and verdicts.
        on_evidence: Called with the evidence as soon as it is computed.
        evidence: The evidence, if it is known already (:func:`softsym.discovery.evidence_on_split.evidence_on_split`).
    """
    if evidence is None:
        evidence = EvidenceTable() if skip_verdicts else compute_evidence(plan, session.n_jobs)
    if on_evidence is not None and len(evidence):
        on_evidence(evidence)
    shape = restrict_to_supported(plan.shape, evidence) if plan.model == "auto" else plan.shape
    plan = replace(plan, shape=replace(plan.shape, largest=shape.largest))
    prepared = prepare(plan, shape)
    fit = fit_models(plan, prepared, session, evidence)
    if skip_verdicts:
        return Outcome(evidence, Symmetries(), fit if fit.members else select_model(plan, fit))
    symmetries = judge_all(fit, evidence)
    verdicts = symmetries.certain()
    fit = fine_tune_exact(plan, prepared, fit, verdicts, session)
    exact = [name for name, verdict in verdicts.items() if verdict == "exact"]
    return Outcome(evidence, symmetries, select_model(plan, fit, exact))
