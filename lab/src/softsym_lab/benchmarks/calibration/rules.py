r"""Two simpler rules on the same rows, to compare with the product's.

Both fit kernel ridge regression f to half of the rows and look at the other half. The threshold rule calls a group exact if the estimate

.. math:: \hat a = |f - P_G f| / |f|

is at most the tolerance. A certificate in the manner of SymCert (2026) does so if an upper bound is: with an upper confidence limit
of the predictor's own error, :math:`|t - P_G t| \le |f - P_G f| + 2 |t - f|`, and noise counts as error.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import RidgeCV
from sklearn.model_selection import GridSearchCV
from sklearn.preprocessing import StandardScaler

from softsym.groups import Group
from softsym.reps import Rep
from softsym.typing import Array
from softsym_lab.benchmarks.calibration.truth import haar_elements, returned_values

MOST = 600
"""Rows that are used."""
ELEMENTS = 48


def rule_statistics(X: Array, Y: Array, rep_in: Rep, rep_out: Rep, group: Group, seed: int = 0) -> dict[str, float]:
    """The estimate and the certificate of a group.

    Args:
        X: Inputs.
        Y: Outputs.
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        group: The candidate.
        seed: Of the split.
    """
    order = np.random.default_rng(seed).permutation(len(X))[:MOST]
    first, second = np.array_split(order, 2)
    predict = _fit(X[first], Y[first])
    centre = Y[first].mean(axis=0) if group.is_orthogonal and rep_out.size(group) == 1 else np.zeros(Y.shape[1])
    parts = [part[:ELEMENTS] for part in haar_elements(group, ELEMENTS)]

    def maps(rows: Array) -> Array:
        values = predict(rows) - centre
        return np.stack([values, values])

    returned, _ = returned_values(maps, X[second], rep_in, rep_out, group, parts)
    f = predict(X[second]) - centre
    size = np.sqrt(np.mean(np.sum((Y[second] - centre) ** 2, axis=1)))
    gap = np.sqrt(np.mean(np.sum((f - returned[0].mean(axis=0)) ** 2, axis=1)))
    losses = np.sum((Y[second] - predict(X[second])) ** 2, axis=1)
    limit = np.sqrt(losses.mean() + 1.645 * losses.std() / np.sqrt(len(losses)))
    return {"estimate": float(gap / size), "certificate": float((gap + 2 * limit) / size)}


def _fit(X: Array, Y: Array) -> Any:
    """Kernel ridge regression of standardised columns, width and penalty by cross-validation."""
    if len(X) < 10:
        return RidgeCV().fit(X, Y).predict
    inputs, outputs = StandardScaler().fit(X), StandardScaler().fit(Y)
    grid = {"alpha": [1e-3, 1e-2, 1e-1, 1.0], "gamma": [0.5 / X.shape[1], 0.1 / X.shape[1], 2.0 / X.shape[1]]}
    search = GridSearchCV(KernelRidge(kernel="rbf"), grid, cv=3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        search.fit(inputs.transform(X), outputs.transform(Y))
    return lambda rows: outputs.inverse_transform(search.predict(inputs.transform(rows)).reshape(len(rows), -1))
