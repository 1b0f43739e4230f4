"""A small multilayer perceptron, trained by scikit-learn and stored as arrays."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from softsym.data.scaler import SymmetricScaler
from softsym.discovery.models.protocol import PERCEPTRON
from softsym.groups import Group
from softsym.typing import Array

WIDTH, MOST_ROWS, MOST_PASSES, PATIENCE = 100, 10_000, 300, 15
"""Two hidden layers of this width; at most so many rows and passes; passes without progress after which it stops."""


@dataclass(frozen=True, eq=False)
class Perceptron:
    """A fitted perceptron.

    Args:
        weights: Of every layer, shape (before, after).
        biases: Of every layer, shape (after,).
        scale_in: Of the inputs.
        scale_out: Of the outputs.
        noise: Root mean squared error of each output on validation rows.
    """

    weights: tuple[Array, ...]
    biases: tuple[Array, ...]
    scale_in: SymmetricScaler
    scale_out: SymmetricScaler
    noise: Array

    name = PERCEPTRON
    exact_groups: tuple[str, ...] = ()

    def __call__(self, X: Array) -> Array:
        """Outputs (n, outputs) for inputs (n, inputs)."""
        hidden = self.scale_in.transform(X)
        for weight, bias in zip(self.weights[:-1], self.biases[:-1], strict=True):
            hidden = np.maximum(hidden @ weight + bias, 0.0)
        return self.scale_out.inverse(hidden @ self.weights[-1] + self.biases[-1])

    def std(self, X: Array) -> Array:
        """Standard deviations (n, outputs), equal for all rows."""
        return np.tile(self.noise, (len(X), 1))

    def refit(self, X: Array, Y: Array, weights: Array | None = None) -> Perceptron:
        """The same perceptron: it is not trained again, which would take too long."""
        return self

    def project(self, groups: Sequence[Group]) -> Perceptron | None:
        """None: it cannot be equivariant."""
        return None if groups else self


def fit_perceptron(
    X: Array, Y: Array, checked: tuple[Array, Array], seed: int = 0, weights: Array | None = None
) -> Perceptron:
    """Trains a perceptron, with early stopping on rows that it splits off.

    Args:
        X: Inputs (n, inputs).
        Y: Outputs (n, outputs).
        checked: Validation rows, inputs and outputs, for its noise.
        seed: Of weights, batches and rows held out.
        weights: Sample weights (n,), which scikit-learn before 1.7 does not accept.

    Example:
        >>> X = np.random.default_rng(0).standard_normal((60, 2))
        >>> fit_perceptron(X, X[:, :1] - X[:, 1:], (X, X[:, :1] - X[:, 1:]))(X[:3]).shape
        (3, 1)
    """
    from sklearn.exceptions import ConvergenceWarning
    from sklearn.neural_network import MLPRegressor
    from sklearn.utils.validation import has_fit_parameter

    X, Y = X[:MOST_ROWS], Y[:MOST_ROWS]
    scale_in, scale_out = SymmetricScaler.fit(X, None, ()), SymmetricScaler.fit(Y, None, ())
    model = MLPRegressor(
        hidden_layer_sizes=(WIDTH, WIDTH), learning_rate_init=3e-3, max_iter=MOST_PASSES, n_iter_no_change=PATIENCE,
        early_stopping=len(X) >= 20, random_state=seed,
    )  # fmt: skip
    outputs = scale_out.transform(Y)
    knows = weights is not None and has_fit_parameter(model, "sample_weight")
    counted = {"sample_weight": weights[:MOST_ROWS]} if knows and weights is not None else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(scale_in.transform(X), outputs[:, 0] if outputs.shape[1] == 1 else outputs, **counted)
    fit = Perceptron(tuple(model.coefs_), tuple(model.intercepts_), scale_in, scale_out, np.zeros(Y.shape[1]))
    noise = np.sqrt(np.mean((fit(checked[0]) - checked[1]) ** 2, axis=0))
    return Perceptron(fit.weights, fit.biases, scale_in, scale_out, noise)
