"""Does the Gaussian process predict as well as what a person would pick instead: every built-in task, the same rows for all.

Its baselines are kernel ridge (smooth and cubic), gradient boosting and a multilayer perceptron, each tuned by cross-validation as a
careful person would; rows of one recording stay together. Errors are shares of the test outputs' variance.
"""

from __future__ import annotations

import json
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.exceptions import ConvergenceWarning, DataConversionWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV, GroupKFold, KFold
from sklearn.multioutput import MultiOutputRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from softsym.datasets import Task
from softsym.datasets import task as read_task
from softsym.gp import SoftEquivariantGP
from softsym.io import put_text
from softsym.typing import Array, Index

TASKS = (
    "inertia:0",
    "inertia:Ox(2)",
    "inertia:Oz(2)",
    "inertia:soft",
    "inertia:0.3*eps1",
    "inertia:0.9*eps2",
    "inertia:0.6*eps3",
    "inertia:0.6*eps4",
    "cossim:SO(3)+S(3)",
    "cossim:SO(3)",
    "cossim:S(3)",
    "cossim:soft",
    "golfball:wind=none",
    "golfball:wind=x",
    "golfball:wind=z,gravity=3.0",
    "golfball:wind=y,gravity=0.0",
    "motion",
)
ROWS, TEST = 600, 1_000
FOLDS = 4
ODD = np.array([[0.36, 0.48, -0.8], [-0.8, 0.6, 0.0], [0.48, 0.64, 0.6]])
"""A frame that no task has: its first group in this frame is a broken candidate, which must cost nothing."""


FOLDER = Path("runs/prediction")
"""Where records are kept: a run that was stopped goes on where it was."""


def run(tasks: Sequence[str] = TASKS, rows: int = ROWS, folder: Path = FOLDER) -> dict[str, Any]:
    """Every task, one after the other; those that the folder holds are read."""
    records = {}
    for name in tasks:
        plain = "".join(letter if letter.isalnum() else "_" for letter in name)
        file = folder / f"{plain}-{rows}.json"
        if not file.exists():
            folder.mkdir(parents=True, exist_ok=True)
            put_text(file, json.dumps(compare(name, rows)))
        records[name] = json.loads(file.read_text())
    return records


def compare(name: str, rows: int = ROWS, seed: int = 0) -> dict[str, Any]:
    """Errors of all models on one task, as shares of the test outputs' variance, and the seconds of the Gaussian process.

    Args:
        name: The task.
        rows: How many rows to learn from.
        seed: Of the data.
    """
    task = read_task(name)
    (X, Y), (X_test, Y_test), sources = draw(task, rows, seed)
    size = float(np.mean((Y_test - Y.mean(axis=0)) ** 2))

    def error(predict: Callable[[Array], Array]) -> float:
        return float(np.mean((predict(X_test).reshape(Y_test.shape) - Y_test) ** 2)) / size

    start = time.process_time()
    process = SoftEquivariantGP(task.rep_in, task.rep_out, list(task.groups)).fit(X, Y, groups=sources)
    record: dict[str, Any] = {"rows": len(X), "gp": error(process.predict), "gp seconds": time.process_time() - start}
    broken = [*task.groups, task.groups[0].conjugated(ODD)]
    more = SoftEquivariantGP(task.rep_in, task.rep_out, broken).fit(X, Y, groups=sources)
    record["gp with a broken candidate"] = error(more.predict)
    with warnings.catch_warnings():
        # A perceptron that has not converged, and one output given as a column, do not matter here.
        warnings.simplefilter("ignore", ConvergenceWarning)
        warnings.simplefilter("ignore", DataConversionWarning)
        record |= {label: error(baseline.fit(X, Y).predict) for label, baseline in baselines(sources).items()}
    record["variance"] = size
    return record


def draw(task: Task, rows: int, seed: int) -> tuple[tuple[Array, Array], tuple[Array, Array], Index | None]:
    """Rows to learn from, rows to test on, of other sources, and the sources of the first; None if each stands by itself."""
    labels = task.row_groups(seed)
    if labels is None:
        splits = task.splits(seed, (rows, 0, TEST))
        train, test = ((X.double().numpy(), Y.double().numpy()) for X, Y in (splits.train, splits.test))
        return train, test, None
    X, Y = (values.double().numpy() for values in task.observations(seed))
    order = np.random.default_rng(seed).permutation(int(labels.max()) + 1)
    held = np.isin(labels, order[: len(order) // 3])
    chosen = np.random.default_rng(seed).permutation(np.flatnonzero(~held))[:rows]
    return (X[chosen], Y[chosen]), (X[held][:TEST], Y[held][:TEST]), labels[chosen]


def baselines(sources: Index | None) -> dict[str, Any]:
    """What a person would pick instead, tuned by cross-validation over whole sources."""
    alphas = [1e-6, 1e-4, 1e-3, 1e-2, 1e-1, 1.0]
    smooth = {"kernelridge__alpha": alphas, "kernelridge__gamma": [0.003, 0.01, 0.03, 0.1, 0.3]}
    cubic = {"kernelridge__alpha": alphas, "kernelridge__gamma": [0.01, 0.03, 0.1]}
    boosted = MultiOutputRegressor(HistGradientBoostingRegressor(random_state=0, max_iter=200, early_stopping=True))
    perceptron = MLPRegressor(hidden_layer_sizes=(200, 200), max_iter=400, random_state=0)
    return {
        "kernel ridge": _tuned(KernelRidge(kernel="rbf"), smooth, sources),
        "cubic": _tuned(KernelRidge(kernel="poly", degree=3, coef0=1.0), cubic, sources),
        "boosting": boosted,
        "perceptron": _tuned(perceptron, {"mlpregressor__alpha": [1e-4, 1e-2, 1.0]}, sources),
    }


def _tuned(model: BaseEstimator, grid: dict[str, list[float]], sources: Index | None) -> Any:
    """A model of standardised inputs and outputs, its numbers chosen by cross-validation."""
    folds = KFold(FOLDS, shuffle=True, random_state=0) if sources is None else GroupKFold(FOLDS)
    whole = TransformedTargetRegressor(make_pipeline(StandardScaler(), model), transformer=StandardScaler())
    search = GridSearchCV(
        whole, {f"regressor__{key}": values for key, values in grid.items()}, cv=folds, scoring="neg_mean_squared_error"
    )
    return _Grouped(search, sources)


class _Grouped:
    """A search that keeps rows of one group together."""

    def __init__(self, search: GridSearchCV, sources: Index | None) -> None:
        self.search, self.sources = search, sources

    def fit(self, X: Array, Y: Array) -> Any:
        """Fits it to rows of these sources."""
        return self.search.fit(X, Y, groups=self.sources)
