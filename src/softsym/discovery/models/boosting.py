"""Gradient boosting by scikit-learn with default settings, for any number of outputs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from threadpoolctl import threadpool_limits

from softsym.typing import Array

MOST_ROWS, MOST_DIRECTIONS, TREES = 2_000, 6, 100
"""Largest number of rows it is fitted to, and of principal directions of the outputs that it predicts."""


def boosted(X: Array, Y: Array, seed: int = 0, weights: Array | None = None) -> Callable[[Array], Array]:
    """Boosted trees from inputs (n, inputs) to outputs (n, outputs), one model for each principal direction of the outputs.

    Args:
        X: Inputs.
        Y: Outputs.
        seed: Random seed.
        weights: Sample weights (n,).

    Example:
        >>> X = np.random.default_rng(0).standard_normal((60, 2))
        >>> boosted(X, np.sign(X))(X[:4]).shape
        (4, 2)
    """
    from sklearn.ensemble import HistGradientBoostingRegressor

    X, Y, weights = X[:MOST_ROWS], Y[:MOST_ROWS], None if weights is None else weights[:MOST_ROWS]
    center = Y.mean(0)
    directions = np.linalg.svd(Y - center, full_matrices=False)[2][:MOST_DIRECTIONS]
    with threadpool_limits(limits=1):  # threads do not pay off for so few rows
        models = [
            HistGradientBoostingRegressor(max_iter=TREES, early_stopping=False, random_state=seed).fit(
                X, (Y - center) @ direction, sample_weight=weights
            )
            for direction in directions
        ]

    def predict(new: Array) -> Array:
        with threadpool_limits(limits=1):
            along = np.stack([model.predict(new) for model in models], axis=1)
        return np.asarray(center + along @ directions)

    return predict
