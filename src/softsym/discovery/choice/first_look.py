"""The first look: what the data say about the candidates in closed form, from training and validation rows."""

from __future__ import annotations

import numpy as np

from softsym.discovery.fit.fitted import Target
from softsym.discovery.fit.train import FitPlan
from softsym.errors import InputError
from softsym.evidence import EvidenceTable, evidence


def first_look(plan: FitPlan, n_jobs: int = 1) -> EvidenceTable:
    """The evidence about every candidate; an empty table where there is nothing to look at. Test rows decide nothing.

    Args:
        plan: The fit.
        n_jobs: How many groups are looked at at once.
    """
    shape = plan.shape
    if plan.target is Target.CLASSES or not shape.groups:
        return EvidenceTable()
    parts = plan.parts
    X, Y = plan.rows(parts.train, parts.val)
    together = None
    if plan.together is not None:
        together = np.concatenate([plan.together[parts.train], plan.together[parts.val]])[: len(X)]
    try:
        return evidence(
            X, Y, shape.rep_in, shape.rep_out, shape.groups, sources=together, n_jobs=n_jobs, seed=plan.seed
        )
    except InputError:  # too few rows, constant outputs: the notes of verdicts say so
        return EvidenceTable()
