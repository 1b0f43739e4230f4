"""The first look: what the data say about the candidates in closed form, from training and validation rows."""

from __future__ import annotations

from softsym.discovery.evidence_on_split import look_at
from softsym.discovery.fit.fitted import Target
from softsym.discovery.fit.train import FitPlan
from softsym.inference.evidence_table import EvidenceTable


def first_look(plan: FitPlan, n_jobs: int = 1) -> EvidenceTable:
    """The evidence about every candidate; an empty table where there is nothing to look at. Test rows decide nothing.

    Args:
        plan: The fit.
        n_jobs: How many groups are looked at at once.
    """
    shape = plan.shape
    if plan.target is Target.CLASSES or not shape.groups:
        return EvidenceTable()
    return look_at(
        plan.X,
        plan.Y,
        shape.rep_in,
        shape.rep_out,
        shape.groups,
        plan.parts,
        plan.together,
        plan.seed,
        n_jobs,
        plan.weights,
    )
