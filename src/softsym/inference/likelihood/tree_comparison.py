"""What a fit misses and decision trees do not: a violation of any symmetry may hide in it.

The likelihood takes what its kernels cannot follow for noise, and calls symmetries exact that this noise breaks. Trees do not care for
units and jumps, which kernels stumble over, so they are asked where a fit leaves enough for a violation that matters.
"""

from __future__ import annotations

import math

import numpy as np

from softsym.inference.randomization import halves
from softsym.typing import Array, Index

TREES = 50
CERTAIN = 3.0
"""Standard errors of the trees' error that have to lie between it and the fit's."""


def missed(X: Array, Y: Array, unexplained: float, sources: Index | None = None, seed: int = 0) -> float:
    """Relative size of what a fit leaves unexplained and trees, fitted to half of the same rows, do not; zero if that is not certain.

    Args:
        X: Inputs (n, D).
        Y: Outputs (n, q).
        unexplained: Share of their variance that the fit leaves.
        sources: Labels of the rows (n,), if rows belong together.
        seed: Of halves and trees.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> X = rng.standard_normal((200, 3))
        >>> Y = np.sign(X[:, :1])
        >>> missed(X, Y, unexplained=0.3) > 0.4, missed(X, Y, unexplained=0.01)
        (True, 0.0)
    """
    from sklearn.ensemble import ExtraTreesRegressor  # half a second to import

    first, second = halves(len(X), sources, seed)
    if not len(first) or not len(second):
        return 0.0
    errors = np.zeros(len(X))
    for fitted, held in ((first, second), (second, first)):
        outputs = Y[fitted, 0] if Y.shape[1] == 1 else Y[fitted]
        trees = ExtraTreesRegressor(TREES, random_state=seed).fit(X[fitted], outputs)
        errors[held] = np.sum((trees.predict(X[held]).reshape(len(held), -1) - Y[held]) ** 2, axis=1)
    total = float(np.mean(np.sum((Y - Y.mean(axis=0)) ** 2, axis=1)))
    spread = _standard_error(errors, sources)
    left = (float(errors.mean()) + CERTAIN * spread) / total
    return math.sqrt(max(0.0, unexplained - left))


def _standard_error(errors: Array, sources: Index | None) -> float:
    """Of the mean of errors (n,), those of one source counted as one."""
    if sources is not None:
        labels = np.unique(sources, return_inverse=True)[1]
        errors = np.bincount(labels, errors) * (labels.max() + 1) / len(errors)
    return float(errors.std()) / math.sqrt(len(errors))
