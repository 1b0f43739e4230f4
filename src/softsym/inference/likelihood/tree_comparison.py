"""What a Gaussian process leaves unexplained and decision trees explain: a violation of any symmetry may hide in it.

The likelihood takes what its kernels cannot represent for noise, and calls symmetries exact that this part breaks. Trees depend neither on
units nor on smoothness, so a fit that leaves enough variance for a violation that matters is compared with them.
"""

from __future__ import annotations

import math

import numpy as np

from softsym.inference.randomization import split_rows
from softsym.typing import Array, Index

TREES = 50
CERTAIN = 3.0
"""Standard errors of the trees' error that have to lie between it and the fit's."""


def unexplained_by_gp(
    X: Array, Y: Array, unexplained: float, row_groups: Index | None = None, seed: int = 0
) -> float:
    """Relative size of what a fit leaves unexplained and trees, fitted to half of the same rows, do not; zero if that is not certain.

    Args:
        X: Inputs (n, D).
        Y: Outputs (n, q).
        unexplained: Share of their variance that the fit leaves.
        row_groups: Labels of the rows (n,), if rows are dependent.
        seed: Seed of the sample split and the trees.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((200, 3))
        >>> Y = np.sign(X[:, :1])
        >>> unexplained_by_gp(X, Y, unexplained=0.3) > 0.4, unexplained_by_gp(X, Y, unexplained=0.01)
        (True, 0.0)
    """
    from sklearn.ensemble import ExtraTreesRegressor  # half a second to import

    first, second = split_rows(len(X), row_groups, seed)
    if not len(first) or not len(second):
        return 0.0
    errors = np.zeros(len(X))
    for fitted, held in ((first, second), (second, first)):
        outputs = Y[fitted, 0] if Y.shape[1] == 1 else Y[fitted]
        trees = ExtraTreesRegressor(TREES, random_state=seed).fit(X[fitted], outputs)
        errors[held] = np.sum((trees.predict(X[held]).reshape(len(held), -1) - Y[held]) ** 2, axis=1)
    total = float(np.mean(np.sum((Y - Y.mean(axis=0)) ** 2, axis=1)))
    error = _standard_error(errors, row_groups)
    left = (float(errors.mean()) + CERTAIN * error) / total
    return math.sqrt(max(0.0, unexplained - left))


def _standard_error(errors: Array, row_groups: Index | None) -> float:
    """Of the mean of errors (n,), those of one row group taken as one."""
    if row_groups is not None:
        labels = np.unique(row_groups, return_inverse=True)[1]
        errors = np.bincount(labels, errors) * (labels.max() + 1) / len(errors)
    return float(errors.std()) / math.sqrt(len(errors))
