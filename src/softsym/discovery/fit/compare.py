"""Whether one model predicts rows better than another: by paired differences, and how sure that is."""

from __future__ import annotations

import numpy as np

from softsym.discovery.fit.fitted import HeldOut, Predictor
from softsym.typing import Array, Index


def squared_errors(predictor: Predictor, rows: HeldOut) -> Array:
    """Squared errors of the mean over members, averaged over outputs, for each row (n,)."""
    return rows.errors(predictor(rows.X).mean(0))


def standard_errors(new: Array, old: Array, row_groups: Index | None = None) -> float:
    """By how many standard errors of their mean difference errors of rows (n,) are larger than others of the same rows.

    Args:
        new: Errors (n,).
        old: Errors (n,) to compare them with.
        row_groups: Row groups (n,); differences are averaged within each, since errors there are correlated.

    Example:
        >>> standard_errors(np.array([2.0, 4.0]), np.array([1.0, 1.0]))
        2.0
        >>> standard_errors(np.array([np.inf, np.inf]), np.array([1.0, 1.0]))  # a model that diverged
        inf
    """
    mean = float(new.mean()) - float(old.mean())
    if not np.isfinite(mean):
        return 0.0 if np.isnan(mean) else mean  # if both are infinite, neither is worse
    differences = new - old
    if row_groups is not None:
        labels = np.unique(row_groups, return_inverse=True)[1]
        differences = np.bincount(labels, differences) * ((labels.max() + 1) / len(labels))
    standard_error = float(differences.std(ddof=1)) / len(differences) ** 0.5 if len(differences) > 1 else 0.0
    if standard_error == 0.0:
        return float(np.sign(mean)) * float("inf") if mean else 0.0
    return float(differences.mean()) / standard_error
