"""How errors fall and times grow with rows: the Gaussian process of softsym and others on the same rows.

The target function is drag in a wind, :math:`y = -|v - w| (v - w)`, and the same with gravity and a mass, with 5 % noise. Errors are
shares of the variance that predictions leave of the noiseless function on new rows. Every measurement is a process of its own, so that
its peak of memory is its own; what the folder holds is read. ``python -m softsym_lab.benchmarks.many_rows --rows 1000,20000`` prints
the table.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from softsym.io import put_text
from softsym.typing import Array

FOLDER = Path("runs/many-rows")
ROWS = (1_000, 20_000, 100_000, 1_000_000)
NOISE, TEST = 0.05, 5_000
LIMIT = 1_800
"""Seconds after which a measurement is given up."""
MOST = {"network": 20_000, "SVGP": 1_000_000, "regressor": 100_000}
"""Rows from which a model is not measured any more."""
INDUCING, STEPS = 200, 1_000
"""Inducing points and steps of GPyTorch's process."""

Predict = Callable[[Array], Array]


def draw(target: str, n: int, seed: int) -> tuple[Array, Array]:
    """Inputs and noiseless outputs of a target function.

    Example:
        >>> [part.shape for part in draw("wind", 5, 0)]
        [(5, 3), (5, 3)]
    """
    rng = np.random.default_rng([seed, n])
    v = rng.standard_normal((n, 3))
    air = v - np.array([0.7, 0.0, 0.0])
    push = -np.linalg.norm(air, axis=1, keepdims=True) * air
    if target == "wind":
        return v, push
    mass = rng.uniform(0.5, 2.0, (n, 1))
    return np.concatenate([mass, v], axis=1), push / mass - np.array([1.0, 0.0, 0.0])


TARGETS = {"wind": ("V", "V", ("O(2)@x",)), "wind and weight": ("S + V", "V", ("O(2)@x",))}


def fit_process(target: str, X: Array, Y: Array) -> Predict:
    """Softsym's Gaussian process."""
    import softsym as ss

    rep_in, rep_out, groups = TARGETS[target]
    return ss.SoftEquivariantGP(rep_in, rep_out, list(groups)).fit(X, Y).predict


def fit_regressor(target: str, X: Array, Y: Array) -> Predict:
    """Softsym's whole estimator."""
    import softsym as ss

    rep_in, rep_out, groups = TARGETS[target]
    return ss.SoftEquivariantRegressor(rep_in, rep_out, list(groups)).fit(X, Y).predict


def fit_nystroem(target: str, X: Array, Y: Array) -> Predict:
    """Ridge regression of 1,000 Nystroem features; width and penalty by a validation tenth."""
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import Ridge
    from sklearn.pipeline import make_pipeline

    held = len(X) // 10
    best: tuple[float, Any] = (np.inf, None)
    for gamma in (0.03, 0.1, 0.3):
        features = Nystroem(gamma=gamma, n_components=min(1_000, len(X) // 2), random_state=0).fit(X[held:][:20_000])
        F, F_held = features.transform(X[held:][:100_000]), features.transform(X[:held][:10_000])
        for alpha in (1e-6, 1e-4, 1e-2):
            model = Ridge(alpha).fit(F, Y[held:][:100_000])
            error = float(np.mean((model.predict(F_held) - Y[:held][:10_000]) ** 2))
            if error < best[0]:
                best = (error, make_pipeline(features, model))
    return lambda rows: np.asarray(best[1].predict(rows))


def fit_boosting(target: str, X: Array, Y: Array) -> Predict:
    """Gradient boosting, one model for each output."""
    from sklearn.ensemble import HistGradientBoostingRegressor
    from sklearn.multioutput import MultiOutputRegressor

    model = MultiOutputRegressor(HistGradientBoostingRegressor(max_iter=500, early_stopping=True, random_state=0))
    model.fit(X, Y)
    return lambda rows: np.asarray(model.predict(rows))


def fit_perceptron(target: str, X: Array, Y: Array) -> Predict:
    """A perceptron of two layers, with about the same number of steps whatever the rows."""
    from sklearn.neural_network import MLPRegressor

    epochs = int(np.clip(3_000_000 / len(X), 5, 400))
    model = MLPRegressor(
        hidden_layer_sizes=(128, 128), batch_size=min(256, len(X)), max_iter=epochs, early_stopping=True, random_state=0
    )
    model.fit(X, Y)
    return lambda rows: np.asarray(model.predict(rows))


def fit_svgp(target: str, X: Array, Y: Array) -> Predict:
    """GPyTorch's stochastic variational Gaussian process, one for each output."""
    import gpytorch  # type: ignore[import-not-found,unused-ignore]
    import torch

    x, mean, scale = torch.from_numpy(X).double(), Y.mean(axis=0), Y.std(axis=0)
    y = torch.from_numpy((Y - mean) / scale).double()
    outputs = y.shape[1]

    class Process(gpytorch.models.ApproximateGP):  # type: ignore[misc]
        def __init__(self, points: Any) -> None:
            shape = torch.Size([outputs])
            distribution = gpytorch.variational.CholeskyVariationalDistribution(points.shape[0], batch_shape=shape)
            strategy = gpytorch.variational.IndependentMultitaskVariationalStrategy(
                gpytorch.variational.VariationalStrategy(self, points, distribution), num_tasks=outputs
            )
            super().__init__(strategy)
            self.mean_module = gpytorch.means.ConstantMean(batch_shape=shape)
            kernel = gpytorch.kernels.RBFKernel(batch_shape=shape, ard_num_dims=points.shape[1])
            self.covar_module = gpytorch.kernels.ScaleKernel(kernel, batch_shape=shape)

        def forward(self, points: Any) -> Any:
            return gpytorch.distributions.MultivariateNormal(self.mean_module(points), self.covar_module(points))

    torch.manual_seed(0)
    model = Process(x[torch.randperm(len(x))[:INDUCING]].clone()).double()
    likelihood = gpytorch.likelihoods.MultitaskGaussianLikelihood(num_tasks=outputs).double()
    optimiser = torch.optim.Adam([*model.parameters(), *likelihood.parameters()], lr=0.02)
    bound = gpytorch.mlls.VariationalELBO(likelihood, model, num_data=len(x))
    for _ in range(STEPS):
        rows = torch.randint(len(x), (min(512, len(x)),))
        optimiser.zero_grad()
        loss = -bound(model(x[rows]), y[rows])
        loss.backward()
        optimiser.step()
    model.eval()

    def predict(rows: Array) -> Array:
        with torch.no_grad():
            return np.asarray(model(torch.from_numpy(rows).double()).mean.numpy() * scale + mean)

    return predict


MODELS: dict[str, Callable[[str, Array, Array], Predict]] = {
    "softsym GP": fit_process,
    "softsym regressor": fit_regressor,
    "Nystroem": fit_nystroem,
    "boosting": fit_boosting,
    "MLP": fit_perceptron,
    "SVGP": fit_svgp,
}


def measure(model: str, target: str, n: int) -> dict[str, Any]:
    """Error and seconds of one fit, in this process."""
    from softsym_lab.benchmarks.timing import peak_megabytes

    X, clean = draw(target, n, 0)
    scale = float(np.sqrt(np.mean((clean - clean.mean(axis=0)) ** 2)))
    Y = clean + NOISE * scale * np.random.default_rng(1).standard_normal(clean.shape)
    X_test, Y_test = draw(target, TEST, 1)
    start = time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        predict = MODELS[model](target, X, Y)
    seconds = time.perf_counter() - start
    left = float(np.mean((predict(X_test) - Y_test) ** 2)) / scale**2
    return {"unexplained": left, "seconds": round(seconds, 2), "megabytes": round(peak_megabytes())}


def run(
    folder: Path = FOLDER,
    rows: Sequence[int] = ROWS,
    targets: Sequence[str] = tuple(TARGETS),
    models: Sequence[str] = tuple(MODELS),
) -> dict[str, Any]:
    """All models, target functions and numbers of rows; what the folder holds is read."""
    folder.mkdir(parents=True, exist_ok=True)
    records = []
    for target in targets:
        for n in rows:
            for model in models:
                if n > MOST.get(model.split()[-1], 10**9) or (
                    model == "SVGP" and not importlib.util.find_spec("gpytorch")
                ):
                    continue
                plain = f"{model}-{target}-{n}.json".replace(" ", "_")
                if not (folder / plain).exists():
                    put_text(folder / plain, json.dumps(_in_process(model, target, n)))
                records.append(json.loads((folder / plain).read_text()))
    return {"records": records}


def _in_process(model: str, target: str, n: int) -> dict[str, Any]:
    """A measurement in a process of its own; of one that fails its error."""
    about = {"model": model, "target": target, "rows": n}
    command = [sys.executable, "-m", "softsym_lab.benchmarks.many_rows", "--one", json.dumps(about)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=LIMIT)
        return about | dict(json.loads(done.stdout.splitlines()[-1]))
    except subprocess.TimeoutExpired:
        return about | {"error": f"more than {LIMIT} seconds"}
    except subprocess.CalledProcessError as error:
        return about | {"error": error.stderr.strip().splitlines()[-1][:300]}


def summary(result: dict[str, Any]) -> str:
    """One line for each measurement."""
    return "\n".join(
        f"{r['target']}, {r['rows']:,} rows, {r['model']}: "
        + (
            r["error"]
            if "error" in r
            else f"unexplained {r['unexplained']:.2e}, {r['seconds']:.1f} s, {r['megabytes']} MB"
        )
        for r in result["records"]
    )


def main() -> None:
    """Reads options, runs, prints."""
    parser = argparse.ArgumentParser(prog="softsym_lab.benchmarks.many_rows")
    parser.add_argument("--one", help="one measurement, as JSON")
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--rows", default=",".join(map(str, ROWS)))
    parser.add_argument("--targets", default=",".join(TARGETS))
    parser.add_argument("--models", default=",".join(MODELS))
    options = parser.parse_args()
    if options.one:
        about = json.loads(options.one)
        print(json.dumps(measure(about["model"], about["target"], about["rows"])))
        return
    rows = [int(word) for word in options.rows.split(",")]
    print(summary(run(options.folder, rows, options.targets.split(","), options.models.split(","))))


if __name__ == "__main__":
    main()
