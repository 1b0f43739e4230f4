"""Kernel ridge regression: standardised columns, kernel and penalty selected on validation rows."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import LinAlgError, LinAlgWarning, solve

from softsym.data.scaler import SymmetricScaler
from softsym.discovery.models.protocol import KERNEL
from softsym.groups import Group
from softsym.inference import Kernel
from softsym.typing import Array

KERNELS = (
    *(Kernel("rbf", width) for width in (0.35, 0.7, 1.4, 2.8, 5.6)),
    *(Kernel("polynomial", degree) for degree in (1, 2, 3)),
    Kernel("matern", 2.5),
)
PENALTIES = (1e-8, 1e-6, 1e-4, 1e-2, 1.0)
"""Relative to the mean of the kernel's diagonal."""
MOST_ROWS = 2_000
"""It is fitted to no more rows: its time grows with their cube."""
COMPARED = 700
"""Rows by which settings are compared first; the best few are then fitted to all."""
FEW = 3


@dataclass(frozen=True, eq=False)
class KernelRidge:
    """A fitted kernel ridge regression.

    Args:
        kernel: The kernel.
        penalty: Its ridge.
        scale: Of the inputs, each column on its own.
        rows: Scaled inputs (n, inputs) that it was fitted to.
        dual: Their weights (n, outputs).
        center: Mean of the outputs.
        noise: Root mean squared error of each output on validation rows.
    """

    kernel: Kernel
    penalty: float
    scale: SymmetricScaler
    rows: Array
    dual: Array
    center: Array
    noise: Array

    name = KERNEL
    exact_groups: tuple[str, ...] = ()

    def __call__(self, X: Array) -> Array:
        """Outputs (n, outputs) for inputs (n, inputs)."""
        return self.kernel.gram(self.scale.transform(X), self.rows) @ self.dual + self.center

    def std(self, X: Array) -> Array:
        """Standard deviations (n, outputs), equal for all rows."""
        return np.tile(self.noise, (len(X), 1))

    def refit(self, X: Array, Y: Array, weights: Array | None = None) -> KernelRidge:
        """The model with the same kernel and penalty fitted to other rows."""
        weights = None if weights is None else weights[:MOST_ROWS]
        again = fit_kernel_ridge(
            self.kernel, self.penalty, X[:MOST_ROWS], Y[:MOST_ROWS], self.scale, self.noise, weights
        )
        return again or self

    def project(self, groups: Sequence[Group]) -> KernelRidge | None:
        """None: it cannot be equivariant."""
        return None if groups else self


def tune_kernel_ridge(
    X: Array,
    Y: Array,
    checked: tuple[Array, Array],
    weights: Array | None = None,
    checked_weights: Array | None = None,
) -> KernelRidge:
    """Selects kernel and penalty on validation rows.

    Args:
        X: Inputs (n, inputs).
        Y: Outputs (n, outputs).
        checked: Validation rows, inputs and outputs.
        weights: Sample weights (n,).
        checked_weights: Sample weights of validation rows.

    Example:
        >>> X = np.random.default_rng(0).standard_normal((80, 2))
        >>> model = tune_kernel_ridge(X[:60], X[:60, :1] * X[:60, 1:], (X[60:], X[60:, :1] * X[60:, 1:]))
        >>> str(model.kernel)
        'polynomial of degree 2'
    """
    X, Y, weights = X[:MOST_ROWS], Y[:MOST_ROWS], None if weights is None else weights[:MOST_ROWS]
    scale = SymmetricScaler.fit(X, None, ())
    first = [
        (error, kernel, penalty)
        for kernel, penalty, error in _errors(
            X[:COMPARED],
            Y[:COMPARED],
            scale,
            checked,
            None if weights is None else weights[:COMPARED],
            checked_weights,
        )
    ]
    best = sorted(first, key=lambda one: one[0])[: FEW if len(X) > COMPARED else 1]
    models = [
        model
        for _, kernel, penalty in best
        if (model := fit_kernel_ridge(kernel, penalty, X, Y, scale, None, weights)) is not None
    ]
    if not models:  # constant inputs: every kernel is singular without a large penalty
        models = [
            KernelRidge(
                KERNELS[0], 1.0, scale, scale.transform(X[:1]), np.zeros((1, Y.shape[1])), Y.mean(0), Y.std(0)
            )
        ]
    chosen = min(models, key=lambda model: _mean((model(checked[0]) - checked[1]) ** 2, checked_weights))
    return replace(chosen, noise=np.sqrt(np.mean((chosen(checked[0]) - checked[1]) ** 2, axis=0)))


def fit_kernel_ridge(
    kernel: Kernel,
    penalty: float,
    X: Array,
    Y: Array,
    scale: SymmetricScaler,
    noise: Array | None = None,
    weights: Array | None = None,
) -> KernelRidge | None:
    """Fits one kernel and penalty; None if the matrix is singular."""
    rows, center = scale.transform(X), np.average(Y, axis=0, weights=weights)
    dual = _dual(kernel.gram(rows, rows), penalty, Y - center, weights)
    if dual is None:
        return None
    return KernelRidge(kernel, penalty, scale, rows, dual, center, Y.std(0) if noise is None else noise)


def _errors(
    X: Array,
    Y: Array,
    scale: SymmetricScaler,
    checked: tuple[Array, Array],
    weights: Array | None,
    checked_weights: Array | None,
) -> Iterator[tuple[Kernel, float, float]]:
    """Every kernel and penalty with its error on validation rows."""
    rows, other, center = (
        scale.transform(X),
        scale.transform(checked[0]),
        np.average(Y, axis=0, weights=weights),
    )
    for kernel in KERNELS:
        own, across = kernel.gram(rows, rows), kernel.gram(other, rows)
        for penalty in PENALTIES:
            dual = _dual(own, penalty, Y - center, weights)
            if dual is not None:
                squares = (across @ dual + center - checked[1]) ** 2
                yield kernel, penalty, _mean(squares, checked_weights)


def _mean(squares: Array, weights: Array | None) -> float:
    return float(np.average(squares, axis=0, weights=weights).mean())


def _dual(gram: Array, penalty: float, Y: Array, weights: Array | None) -> Array | None:
    """Dual coefficients; a row of weight two has half the ridge, as if it occurred twice."""
    each = np.ones(len(gram)) if weights is None else np.mean(weights) / weights
    ridge = penalty * float(np.trace(gram)) / len(gram) * np.diag(each)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinAlgWarning)  # a setting that is nearly singular does not win
        try:
            dual = np.asarray(solve(gram + ridge, Y, assume_a="pos", check_finite=False))
        except LinAlgError:
            return None
    return dual if np.isfinite(dual).all() else None
