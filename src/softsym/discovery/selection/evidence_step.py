"""The first step of a fit: evidence about the candidates in closed form, from training and validation rows."""

from __future__ import annotations

from softsym.discovery.evidence_on_split import evidence_on_parts
from softsym.discovery.fit.fitted import Target
from softsym.discovery.fit.train import FitPlan
from softsym.inference.evidence_table import EvidenceTable


def compute_evidence(plan: FitPlan, n_jobs: int = 1) -> EvidenceTable:
    """The evidence about every candidate; an empty table without candidates or for classes. Test rows decide nothing.

    Args:
        plan: The fit.
        n_jobs: Number of groups that are tested in parallel.
    """
    shape = plan.shape
    if plan.target is Target.CLASSES or not shape.groups:
        return EvidenceTable()
    return evidence_on_parts(
        plan.X,
        plan.Y,
        shape.rep_in,
        shape.rep_out,
        shape.groups,
        plan.parts,
        plan.row_groups,
        plan.seed,
        n_jobs,
        plan.weights,
    )
