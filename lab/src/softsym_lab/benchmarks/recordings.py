"""Is the returned model never worse than what a person would take: recordings kept apart, tuned baselines on the same rows.

Every data set (:mod:`softsym_lab.benchmarks.recordings_data`) is split by recording several times. Baselines are constant or linear
extrapolation, ridge regression, kernel ridge, gradient boosting, an MLP and scikit-learn's Gaussian process; the one that cross-validation
over recordings picks is what the estimator is compared with. It gets the right candidates, all of them, and one broken candidate more.
``python -m softsym_lab.benchmarks.recordings --data FOLDER`` runs what is not in the folder of records yet, and prints a summary.
"""

from __future__ import annotations

import argparse
import json
import math
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.compose import TransformedTargetRegressor
from sklearn.ensemble import HistGradientBoostingRegressor
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF, ConstantKernel, WhiteKernel
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.multioutput import MultiOutputRegressor
from sklearn.neural_network import MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import softsym as ss
from softsym.io import put_text
from softsym.typing import Array, Index
from softsym_lab.benchmarks.recordings_data import TASKS, Recordings, names, read_recordings

FOLDER = Path("runs/recordings")
"""Where records are kept: a run that was stopped goes on where it was."""
SPLITS, FOLDS, HELD_OUT = 2, 4, 1 / 3
MOST_ROWS, MOST_TEST = 600, 1_500
VARIANTS = ("right", "all", "broken")
RESAMPLES = 2_000
WORST, MEAN, COST = 1.1, 0.95, 0.02
"""What must hold: the worst split unless the bootstrap cannot tell, the geometric mean, and the cost of a broken candidate."""

Predict = Callable[[Array], Array]


def run(
    folder: Path = FOLDER,
    data: Path | None = None,
    sets: Sequence[str] = (),
    splits: int = SPLITS,
    variants: Sequence[str] = VARIANTS,
) -> dict[str, Any]:
    """All data sets and splits; what the folder of records holds is read.

    Args:
        folder: Where records are kept.
        data: Folder of recorded data; simulated and built-in ones alone if None.
        sets: Names of data sets; all if empty.
        splits: Splits of each.
        variants: Which candidates.
    """
    folder.mkdir(parents=True, exist_ok=True)
    records = []
    for name in sets or names(data):
        recordings = None
        for split in range(splits):
            for part in ("baselines", *variants):
                plain = "".join(letter if letter.isalnum() else "_" for letter in name)
                file = folder / f"{plain}-{split}-{part}.json"
                if not file.exists():
                    recordings = recordings or read_recordings(name, data)
                    put_text(file, json.dumps(_measure(recordings, split, part), allow_nan=False, default=float))
                records.append(json.loads(file.read_text()))
    return {"records": records, **score(records)}


def _measure(recordings: Recordings, split: int, part: str) -> dict[str, Any]:
    """A record; of a part that fails its error."""
    record: dict[str, Any] = {"set": recordings.name, "split": split, "part": part}
    try:
        work = split_rows(recordings, split)
        done = (
            measure_baselines(recordings, work)
            if part == "baselines"
            else measure_estimator(recordings, work, part, split)
        )
        return record | done
    except Exception as error:  # a part that fails is a result, too
        return record | {"error": f"{type(error).__name__}: {error}"[:500]}


def split_rows(recordings: Recordings, split: int) -> tuple[Index, Index]:
    """Rows to learn from and rows of other recordings to test on."""
    rng = np.random.default_rng([split, *recordings.name.encode()])
    order = rng.permutation(np.unique(recordings.labels))
    held = np.isin(recordings.labels, order[: max(2, round(len(order) * HELD_OUT))])
    train, test = (
        rng.permutation(np.flatnonzero(~held))[:MOST_ROWS],
        rng.permutation(np.flatnonzero(held))[:MOST_TEST],
    )
    return np.sort(train), np.sort(test)


def measure_baselines(recordings: Recordings, rows: tuple[Index, Index]) -> dict[str, Any]:
    """Errors of all baselines: by cross-validation over recordings, and on the test rows by recording."""
    train, test = rows
    X, Y, labels = recordings.X[train], recordings.Y[train], recordings.labels[train]
    folds = list(GroupKFold(min(FOLDS, len(np.unique(labels)))).split(X, Y, labels))
    found: dict[str, Any] = {}
    for name, fit in baselines(recordings).items():
        start = time.perf_counter()
        squares = np.zeros(len(X))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for one, other in folds:
                squares[other] = _squares(fit(X[one], Y[one], labels[one]), X[other], Y[other])
            predict = fit(X, Y, labels)
        found[name] = {
            "cross_validation": float(squares.mean()),
            **_test(predict, recordings, test),
            "seconds": round(time.perf_counter() - start, 1),
        }
    return {"models": found, "variance": float(np.mean((recordings.Y[test] - Y.mean(axis=0)) ** 2)), "rows": len(X)}


def measure_estimator(recordings: Recordings, rows: tuple[Index, Index], part: str, seed: int) -> dict[str, Any]:
    """Errors of the estimator on the test rows, by recording, and what it found."""
    train, test = rows
    groups = [*recordings.right]
    if part != "right":
        groups += recordings.more
    if part == "broken":
        groups += [recordings.broken]
    start = time.perf_counter()
    est = ss.SoftEquivariantRegressor(recordings.rep_in, recordings.rep_out, groups, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        est.fit(recordings.X[train], recordings.Y[train], groups=recordings.labels[train])
    return {
        "groups": groups,
        **_test(est.predict, recordings, test),
        "seconds": round(time.perf_counter() - start, 1),
        "verdicts": {text: row.verdict for text, row in zip(groups, est.symmetries_, strict=True)},
        "model": str(getattr(getattr(est, "fit_", None), "model", "")),
        "exact_groups": [str(one) for one in getattr(getattr(est, "fit_", None), "exact_groups", ()) or ()],
    }


def baselines(recordings: Recordings) -> dict[str, Callable[[Array, Array, Index], Predict]]:
    """What a person would take instead, each tuned by cross-validation over the recordings it is given."""
    kernel = ConstantKernel(1.0, (1e-3, 1e4)) * RBF(2.0, (1e-1, 1e3)) + WhiteKernel(0.05, (1e-8, 1.0))
    process = GaussianProcessRegressor(kernel, normalize_y=False, random_state=0)
    boosted = MultiOutputRegressor(HistGradientBoostingRegressor(random_state=0, max_iter=120, early_stopping=False))
    alphas = [1e-4, 1e-3, 1e-2, 1e-1, 1.0]
    size = recordings.X.shape[1]
    models: dict[str, tuple[Any, dict[str, list[Any]]]] = {
        "ridge regression": (Ridge(), {"alpha": [1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0]}),
        "kernel ridge": (
            KernelRidge(kernel="rbf"),
            {"alpha": alphas, "gamma": [g / size for g in (0.03, 0.1, 0.3, 1.0)]},
        ),
        "gradient boosting": (boosted, {}),
        "MLP": (MLPRegressor(hidden_layer_sizes=(100, 100), max_iter=300, random_state=0), {"alpha": [1e-3, 1e-1]}),
        "Gaussian process": (process, {}),
    }
    found = {name: _tuned(model, grid) for name, (model, grid) in models.items()}
    found["mean"] = lambda X, Y, labels: lambda rows: np.tile(Y.mean(axis=0), (len(rows), 1))
    if recordings.extrapolate is not None:
        ahead = recordings.extrapolate
        found["extrapolation"] = lambda X, Y, labels: ahead
    return found


def _tuned(model: Any, grid: dict[str, list[Any]]) -> Callable[[Array, Array, Index], Predict]:
    """A fit of standardised columns; numbers by cross-validation over recordings."""

    def fit(X: Array, Y: Array, labels: Index) -> Predict:
        whole: Any = TransformedTargetRegressor(make_pipeline(StandardScaler(), model), transformer=StandardScaler())
        if grid:
            step = type(model).__name__.lower()
            options = {f"regressor__{step}__{key}": values for key, values in grid.items()}
            folds = GroupKFold(min(3, len(np.unique(labels))))
            whole = GridSearchCV(whole, options, cv=folds, scoring="neg_mean_squared_error")
            whole.fit(X, Y, groups=labels)
        else:
            whole.fit(X, Y)
        return lambda rows: np.asarray(whole.predict(rows))

    return fit


def _squares(predict: Predict, X: Array, Y: Array) -> Array:
    """Mean squared error of every row."""
    return np.asarray(np.mean((np.asarray(predict(X)).reshape(Y.shape) - Y) ** 2, axis=1))


def _test(predict: Predict, recordings: Recordings, test: Index) -> dict[str, Any]:
    """Mean squared error on the test rows, and sums and counts by recording for the bootstrap."""
    squares, labels = (_squares(predict, recordings.X[test], recordings.measured_by[test]), recordings.labels[test])
    each = np.unique(labels)
    return {
        "test_mse": float(squares.mean()),
        "sums": [float(squares[labels == one].sum()) for one in each],
        "counts": [int((labels == one).sum()) for one in each],
    }


def score(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Ratios of root mean squared errors to those of the baseline that cross-validation picks, and the cost of a broken candidate."""
    by_split: dict[tuple[str, int], dict[str, Any]] = {}
    for record in records:
        by_split.setdefault((record["set"], record["split"]), {})[record["part"]] = record
    lines = []
    for (name, split), parts in by_split.items():
        if "models" not in parts.get("baselines", {}):
            continue
        models = parts["baselines"]["models"]
        picked = min(models, key=lambda one: models[one]["cross_validation"])
        best = min(models, key=lambda one: models[one]["test_mse"])
        line: dict[str, Any] = {"set": name, "split": split, "picked": picked, "best_in_hindsight": best}
        line["picked_over_best"] = math.sqrt(models[picked]["test_mse"] / models[best]["test_mse"])
        for part in VARIANTS:
            if "test_mse" in parts.get(part, {}):
                line[part] = math.sqrt(parts[part]["test_mse"] / models[picked]["test_mse"])
                line[f"{part}_interval"] = bootstrap(parts[part], models[picked])
        if "all" in line and "broken" in line:
            line["cost_of_broken"] = line["broken"] / line["all"] - 1
        lines.append(line)
    failed = [f"{r['set']} {r['split']} {r['part']}: {r['error']}" for r in records if "error" in r]
    ratios = {part: [line[part] for line in lines if part in line] for part in VARIANTS}
    return {
        "splits": lines,
        "failed": failed,
        "geometric_mean": {part: float(np.exp(np.mean(np.log(some)))) for part, some in ratios.items() if some},
        "geometric_mean_of_recordings": {
            part: float(np.exp(np.mean(np.log(some))))
            for part in VARIANTS
            if (some := [line[part] for line in lines if part in line and line["set"] not in TASKS])
        },
        "worst": {part: max(some) for part, some in ratios.items() if some},
        "surely_worse": [
            f"{line['set']} {line['split']} {part}: {line[part]:.2f}"
            for line in lines
            for part in VARIANTS
            if part in line and line[part] > WORST and line[f"{part}_interval"][0] > 1.0
        ],
        "costly_broken": [
            f"{line['set']} {line['split']}: {line['cost_of_broken']:+.1%}"
            for line in lines
            if line.get("cost_of_broken", 0.0) > COST
        ],
    }


def bootstrap(ours: dict[str, Any], theirs: dict[str, Any], seed: int = 0) -> tuple[float, float]:
    """95 % interval of the ratio of root mean squared errors, recordings drawn with replacement."""
    a, b = np.array(ours["sums"]), np.array(theirs["sums"])
    drawn = np.random.default_rng(seed).integers(len(a), size=(RESAMPLES, len(a)))
    ratios = np.sqrt(a[drawn].sum(axis=1) / np.maximum(b[drawn].sum(axis=1), 1e-300))
    low, high = np.quantile(ratios, [0.025, 0.975])
    return float(low), float(high)


def summary(scores: dict[str, Any]) -> str:
    """One line for each split, then what must hold."""
    lines = []
    for line in scores["splits"]:
        cells = [
            f"{part} {line[part]:.3f} ({line[part + '_interval'][0]:.2f} to {line[part + '_interval'][1]:.2f})"
            for part in VARIANTS
            if part in line
        ]
        cost = f" broken {line['cost_of_broken']:+.1%}" if "cost_of_broken" in line else ""
        lines.append(
            f"{line['set']} {line['split']}: {'; '.join(cells)}{cost} | picked {line['picked']}, "
            f"{line['picked_over_best']:.2f} of the best "
            f"({line['best_in_hindsight']})"
        )
    means = ", ".join(f"{part} {value:.3f}" for part, value in scores["geometric_mean"].items())
    apart = ", ".join(f"{part} {value:.3f}" for part, value in scores["geometric_mean_of_recordings"].items())
    worst = ", ".join(f"{part} {value:.2f}" for part, value in scores["worst"].items())
    return "\n".join(
        [
            *lines,
            f"{len(lines)} splits; geometric mean of ratios (at most {MEAN}): {means}; worst: {worst}",
            f"geometric mean without built-in tasks: {apart}",
            f"surely worse than {WORST}: {'; '.join(scores['surely_worse']) or 'none'}",
            f"broken candidate costs more than {COST:.0%}: {'; '.join(scores['costly_broken']) or 'none'}",
            *(f"failed: {one}" for one in scores["failed"]),
        ]
    )


def main() -> None:
    """Reads options, runs, prints."""
    parser = argparse.ArgumentParser(prog="softsym_lab.benchmarks.recordings")
    parser.add_argument("--data", type=Path, default=None, help="folder of recorded data")
    parser.add_argument(
        "--folder", type=Path, default=FOLDER, help="folder of records: another one for another version"
    )
    parser.add_argument("--sets", default="", help="names of data sets, comma between them; all by default")
    parser.add_argument("--splits", type=int, default=SPLITS)
    parser.add_argument("--variants", default=",".join(VARIANTS))
    options = parser.parse_args()
    sets = [word for word in options.sets.split(";" if ";" in options.sets else ",") if word]
    variants = [word for word in options.variants.split(",") if word]
    print(summary(run(options.folder, options.data, sets, options.splits, variants)))


if __name__ == "__main__":
    main()
