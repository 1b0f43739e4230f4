"""Is the evidence what it claims to be: p-values uniform, intervals that cover, seconds that are seconds, predictions as good as others'.

Target functions with exactly known symmetries (two vectors to a vector under SO(3), noise of 0, 5 and 20 %), many small data sets: the
randomization test's p-values against the uniform distribution (Kolmogorov and Smirnov), how often intervals hold zero, how often a
verdict is wrong; outputs that are nothing but noise, which have no symmetry to find; the time and memory of one table, how they grow with
rows, and the time of kernel ridge regression with the same kernels.
"""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.stats import kstest
from sklearn.kernel_ridge import KernelRidge
from sklearn.model_selection import GridSearchCV

from softsym.inference import EvidenceRow, evidence
from softsym.typing import Array
from softsym_lab.benchmarks import prediction

NOISES = (0.0, 0.05, 0.2)
SETS, ROWS = 400, 60
NOISE_SETS = 100
GROUPS = ("O(2)@x", "O(2)@z", "SO(3)", "O(3)")
GROWTH = (300, 1_000, 3_000, 10_000, 100_000)
"""Rows of the tables that are timed."""
ALPHAS = (1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0)
"""Ridges of kernel ridge regression."""
WORDS = ("exact", "soft", "absent", "undecided")


def run(sets: int = SETS, noise_sets: int = NOISE_SETS) -> dict[str, Any]:
    """Calibration under exact symmetry and under pure noise, time and memory, and predictions on every built-in task."""
    return {"null": null(sets), "noise": noise(noise_sets), "time": timing(), "prediction": prediction.run()}


def null(sets: int = SETS, n: int = ROWS) -> dict[str, Any]:
    """Evidence for SO(3) on data sets that have it exactly."""
    rows = [_row(seed, n) for seed in range(sets)]
    p = np.array([row.p_value for row in rows])
    by_noise = {
        f"kolmogorov_smirnov_p_at_noise_{level:g}": float(kstest(p[k :: len(NOISES)], "uniform").pvalue)
        for k, level in enumerate(NOISES)
    }
    return {
        "sets": sets,
        "kolmogorov_smirnov_p": float(kstest(p, "uniform").pvalue),
        **by_noise,
        "below_0.05": float(np.mean(p <= 0.05)),
        "intervals_with_zero": float(np.mean([row.interval[0] == 0.0 for row in rows])),
        "verdicts": _count(rows),
    }


def noise(sets: int = NOISE_SETS, n: int = 100) -> dict[str, int]:
    """How often each verdict is given to outputs that are nothing but noise."""
    rows: list[EvidenceRow] = []
    for seed in range(sets):
        rng = np.random.default_rng(seed)
        rows += evidence(
            rng.standard_normal((n, 6)), rng.standard_normal((n, 3)), "2V", "V", ["SO(3)", "O(2)@z"], seed=seed
        )
    return _count(rows)


def timing(n: int = 1_000, growth: tuple[int, ...] = GROWTH) -> dict[str, Any]:
    """Seconds and memory of four groups, three outputs; the same with other numbers of rows; and of kernel ridge regression."""
    X, Y = draw_rows(0, n, 0.05)
    table = evidence(X, Y, "2V", "V", GROUPS)
    seconds, cpu = _time(lambda: evidence(X, Y, "2V", "V", GROUPS))
    ridge, ridge_cpu = _time(lambda: _ridge(X, Y))
    tracemalloc.start()
    evidence(X, Y, "2V", "V", GROUPS)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return {
        "seconds": seconds,
        "cpu_seconds": cpu,
        "kernel_ridge_seconds": ridge,
        "ratio_to_kernel_ridge": cpu / ridge_cpu,
        "peak_megabytes": peak / 1e6,
        "seconds_by_group": {row.name: row.seconds for row in table},
        "cpu_seconds_by_rows": {str(rows): _seconds(rows) for rows in growth},
    }


def _seconds(n: int) -> float:
    X, Y = draw_rows(0, n, 0.05)
    return _time(lambda: evidence(X, Y, "2V", "V", GROUPS))[1]


def _time(call: Callable[[], Any]) -> tuple[float, float]:
    wall, cpu = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - wall, time.process_time() - cpu


def _ridge(X: Array, Y: Array) -> None:
    """Kernel ridge regression, width and ridge by cross-validation."""
    widths = [0.5 / (width**2 * X.shape[1]) for width in (0.35, 0.7, 1.4, 2.8, 5.6)]
    GridSearchCV(KernelRidge(kernel="rbf"), {"alpha": list(ALPHAS), "gamma": widths}, cv=5).fit(X, Y)


def _count(rows: list[EvidenceRow]) -> dict[str, int]:
    return {word: sum(row.verdict == word for row in rows) for word in WORDS}


def draw_rows(seed: int, n: int, noise: float) -> tuple[Array, Array]:
    """Rows of one of four target functions of two vectors, by seed, with noise relative to its size."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 6))
    a, b = X[:, :3], X[:, 3:]
    inner = np.sum(a * b, axis=1, keepdims=True)
    gap = a - b
    truth = [np.cross(a, b), gap / (0.5 + np.sum(gap**2, axis=1, keepdims=True)), a * inner + b, np.tanh(inner) * a][
        seed % 4
    ]
    return X, truth + noise * np.sqrt(np.mean(truth**2)) * rng.standard_normal(truth.shape)


def _row(seed: int, n: int) -> EvidenceRow:
    X, Y = draw_rows(seed, n, NOISES[seed % 3])
    row: EvidenceRow = evidence(X, Y, "2V", "V", ["SO(3)"], seed=seed)[0]
    return row
