"""What a person would take instead, only to be compared with: ridge regression and gradient boosting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from softsym.data.scaler import SymmetricScaler

Array = NDArray[np.float64]
RIDGE, BOOSTING = "ridge regression", "gradient boosting"
PENALTIES = (1e-8, 1e-6, 1e-4, 1e-2, 1.0)
MOST_ROWS, MOST_DIRECTIONS, TREES = 2_000, 6, 100
"""Boosting sees at most so many rows; it predicts the outputs along at most so many of their principal directions."""


def ridge(X: Array, Y: Array, parts: Sequence[Array]) -> Iterator[list[Array]]:
    """For every penalty, predictions for parts (n, inputs).

    Example:
        >>> X = np.random.default_rng(0).standard_normal((20, 2))
        >>> first, *_ = ridge(X, X[:, :1], [X[:3]])
        >>> np.allclose(first[0], X[:3, :1], atol=1e-5)
        True
    """
    from sklearn.linear_model import Ridge

    scale = SymmetricScaler.fit(X, None, ())
    inputs, others = scale.transform(X), [scale.transform(part) for part in parts]
    for penalty in PENALTIES:
        model = Ridge(alpha=penalty * len(X)).fit(inputs, Y)
        yield [np.asarray(model.predict(part)).reshape(len(part), -1) for part in others]


def boosting(X: Array, Y: Array, parts: Sequence[Array], seed: int = 0) -> list[Array]:
    """Predictions for parts (n, inputs) by boosted trees, one model for each principal direction of the outputs.

    Example:
        >>> X = np.random.default_rng(0).standard_normal((60, 2))
        >>> boosting(X, np.sign(X), [X[:4]])[0].shape
        (4, 2)
    """
    from sklearn.ensemble import HistGradientBoostingRegressor

    X, Y = X[:MOST_ROWS], Y[:MOST_ROWS]
    center = Y.mean(0)
    directions = np.linalg.svd(Y - center, full_matrices=False)[2][:MOST_DIRECTIONS]
    predicted = [np.tile(center, (len(part), 1)) for part in parts]
    with threadpool_limits(limits=1):  # so few rows are not worth threads that wait for each other
        for direction in directions:
            model = HistGradientBoostingRegressor(max_iter=TREES, early_stopping=False, random_state=seed)
            model.fit(X, (Y - center) @ direction)
            for total, part in zip(predicted, parts, strict=True):
                total += model.predict(part)[:, None] * direction
    return predicted
