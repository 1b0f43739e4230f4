r"""Stacked ensemble: a convex combination of models with weights fitted on validation rows.

With errors :math:`e_k` of model k on validation rows, weights :math:`w_k \ge 0, \sum_k w_k = 1` minimise
:math:`\lVert \sum_k w_k e_k \rVert^2`. Where one model is much better than the others it has all the weight; where several are about as
good, their combination has a smaller variance than a selection by few rows.

Reference:
    Stacked regressions (Breiman, 1996), https://doi.org/10.1007/BF00117832
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.optimize import nnls

from softsym.discovery.models.protocol import Model
from softsym.typing import Array

LEAST = 0.05
"""Models with a smaller weight are left out."""


@dataclass(frozen=True, eq=False)
class WeightedModel:
    """One model of a stacked ensemble.

    Args:
        weight: Its weight.
        train_fit: The model fitted to training rows, which other rows can test.
        full_fit: The same refitted to all rows, which predicts.
    """

    weight: float
    train_fit: Model
    full_fit: Model

    @property
    def name(self) -> str:
        """Name of the model."""
        return self.train_fit.name


@dataclass(frozen=True, eq=False)
class StackedEnsemble:
    """A convex combination of models.

    Args:
        parts: Models with weights, the largest first.
    """

    parts: tuple[WeightedModel, ...]

    @property
    def name(self) -> str:
        """Name of the model with the largest weight."""
        return self.parts[0].name

    @property
    def weights(self) -> dict[str, float]:
        """Weights by name, the largest first."""
        return {part.name: part.weight for part in self.parts}

    @property
    def exact_groups(self) -> tuple[str, ...]:
        """Names of the groups to which all models are exactly equivariant."""
        first, *rest = (part.train_fit.exact_groups for part in self.parts)
        return tuple(name for name in first if all(name in other for other in rest))

    def predict_from_train(self, X: Array) -> Array:
        """Predictions (n, outputs) of the models fitted to training rows alone."""
        return np.asarray(sum(part.weight * part.train_fit(X) for part in self.parts))

    def __call__(self, X: Array) -> Array:
        """Predictions (n, outputs) of the models refitted to all rows."""
        return np.asarray(sum(part.weight * part.full_fit(X) for part in self.parts))

    def std(self, X: Array, *, from_train: bool = False) -> Array:
        """Standard deviations (n, outputs) of the mixture: of each model, and between models."""
        models = [part.train_fit if from_train else part.full_fit for part in self.parts]
        if len(models) == 1:
            return models[0].std(X)
        means, weights = (
            np.stack([model(X) for model in models]),
            np.array([part.weight for part in self.parts]),
        )
        stds = np.stack([model.std(X) for model in models])
        variance = np.tensordot(weights, stds**2 + (means - np.tensordot(weights, means, 1)) ** 2, 1)
        return np.asarray(np.sqrt(variance))

    def refit(self, X: Array, Y: Array, weights: Array | None = None) -> StackedEnsemble:
        """The ensemble with every model refitted to these rows, with sample weights."""
        return StackedEnsemble(
            tuple(
                WeightedModel(part.weight, part.train_fit, part.train_fit.refit(X, Y, weights))
                for part in self.parts
            )
        )


def convex_weights(errors: Sequence[Array]) -> Array:
    """Weights (k,) of k models from their errors on the same rows, each (n, outputs).

    Example:
        >>> rng = np.random.default_rng(0)
        >>> first, second = rng.standard_normal((2, 500, 1))
        >>> convex_weights([first, second, 10 * first]).round(1)
        array([0.5, 0.5, 0. ])
        >>> convex_weights([1e-9 * first, second])
        array([1., 0.])
    """
    flat = np.stack([error.ravel() for error in errors], axis=1)
    flat = np.where(np.isfinite(flat), flat, 1e150)  # a model that diverged gets no weight
    best = int(np.argmin(np.sum(np.square(flat / (np.abs(flat).max() or 1.0)), axis=0)))
    steps = np.delete(flat, best, axis=1) - flat[:, [best]]
    sizes = np.linalg.norm(steps / (np.abs(steps).max(initial=0.0) or 1.0), axis=0) * (
        np.abs(steps).max(initial=0.0) or 1.0
    )
    useful = sizes > 0
    others = np.zeros(steps.shape[1])
    if useful.any():
        others[useful] = nnls(steps[:, useful] / sizes[useful], -flat[:, best])[0] / sizes[useful]
    weights = np.insert(others, best, max(0.0, 1.0 - float(others.sum())))
    weights /= weights.sum()
    weights[weights < LEAST] = 0.0
    return np.asarray(weights / weights.sum())


def fit_ensemble(
    models: Sequence[Model], X: Array, Y: Array, weights: Array | None = None
) -> StackedEnsemble:
    """Fits the weights of a stacked ensemble on validation rows; models are not refitted.

    Args:
        models: Models fitted to training rows.
        X: Validation inputs (n, inputs).
        Y: Validation outputs (n, outputs).
        weights: Sample weights (n,).
    """
    roots = 1.0 if weights is None else np.sqrt(weights)[:, None]
    shares = convex_weights([roots * (model(X) - Y) for model in models])
    order = np.argsort(-shares, kind="stable")
    return StackedEnsemble(
        tuple(WeightedModel(float(shares[k]), models[k], models[k]) for k in order if shares[k] > 0)
    )


def single_model_ensemble(model: Model) -> StackedEnsemble:
    """An ensemble of one model."""
    return StackedEnsemble((WeightedModel(1.0, model, model),))
