"""Baselines that are compared but never selected: ridge regression and gradient boosting."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from softsym.data.scaler import SymmetricScaler
from softsym.discovery.models.boosting import TREES as TREES
from softsym.discovery.models.boosting import boosted
from softsym.typing import Array

RIDGE, BOOSTING = "ridge regression", "gradient boosting"
PENALTIES = (1e-8, 1e-6, 1e-4, 1e-2, 1.0)


def predict_ridge(
    X: Array, Y: Array, parts: Sequence[Array], weights: Array | None = None
) -> Iterator[list[Array]]:
    """For every penalty, predictions for parts (n, inputs).

    Example:
        >>> X = np.random.default_rng(0).standard_normal((20, 2))
        >>> first, *_ = predict_ridge(X, X[:, :1], [X[:3]])
        >>> np.allclose(first[0], X[:3, :1], atol=1e-5)
        True
    """
    from sklearn.linear_model import Ridge

    scale = SymmetricScaler.fit(X, None, ())
    inputs, others = scale.transform(X), [scale.transform(part) for part in parts]
    for penalty in PENALTIES:
        model = Ridge(alpha=penalty * len(X)).fit(inputs, Y, sample_weight=weights)
        yield [np.asarray(model.predict(part)).reshape(len(part), -1) for part in others]


def predict_boosting(
    X: Array, Y: Array, parts: Sequence[Array], seed: int = 0, weights: Array | None = None
) -> list[Array]:
    """Predictions for parts (n, inputs) by boosted trees, one model for each principal direction of the outputs.

    Example:
        >>> X = np.random.default_rng(0).standard_normal((60, 2))
        >>> predict_boosting(X, np.sign(X), [X[:4]])[0].shape
        (4, 2)
    """
    predict = boosted(X, Y, seed, weights)
    return [predict(part) for part in parts]
