"""Is the evidence what it claims to be: p-values uniform, intervals that cover, seconds that are seconds.

Laws with exactly known symmetries (two vectors to a vector under SO(3), noise of 0, 5 and 20 %), many small data sets: the randomization
test's p-values against the uniform distribution (Kolmogorov and Smirnov), how often intervals hold zero, how often a verdict is wrong;
and the wall time of one table.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.stats import kstest

from softsym.evidence import evidence

Array = NDArray[np.float64]
NOISES = (0.0, 0.05, 0.2)
SETS, ROWS = 400, 60
GROUPS = ("O(2)@x", "O(2)@z", "SO(3)", "O(3)")


def run(sets: int = SETS) -> dict[str, Any]:
    """The calibration under exact symmetry, and the time of four groups with 1,000 rows."""
    return {"null": null(sets), "time": timing()}


def null(sets: int = SETS, n: int = ROWS) -> dict[str, Any]:
    """Evidence for SO(3) on data sets that have it exactly."""
    rows = [_row(seed, n) for seed in range(sets)]
    p = np.array([row.p_value for row in rows])
    return {
        "sets": sets,
        "kolmogorov_smirnov_p": float(kstest(p, "uniform").pvalue),
        "below_0.05": float(np.mean(p <= 0.05)),
        "intervals_with_zero": float(np.mean([row.interval[0] == 0.0 for row in rows])),
        "verdicts": {
            word: sum(row.verdict == word for row in rows)
            for word in ("exact", "soft", "absent", "undecided")
        },
    }


def timing(n: int = 1_000) -> dict[str, float]:
    """Seconds of four groups, three outputs."""
    X, Y = law(0, n, 0.05)
    start = time.perf_counter()
    table = evidence(X, Y, "2V", "V", GROUPS)
    return {"seconds": time.perf_counter() - start, **{row.name: row.seconds for row in table}}


def law(seed: int, n: int, noise: float) -> tuple[Array, Array]:
    """One of four laws of two vectors, in turn, with noise relative to its size."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 6))
    a, b = X[:, :3], X[:, 3:]
    inner = np.sum(a * b, axis=1, keepdims=True)
    gap = a - b
    truth = [
        np.cross(a, b),
        gap / (0.5 + np.sum(gap**2, axis=1, keepdims=True)),
        a * inner + b,
        np.tanh(inner) * a,
    ][seed % 4]
    return X, truth + noise * np.sqrt(np.mean(truth**2)) * rng.standard_normal(truth.shape)


def _row(seed: int, n: int) -> Any:
    X, Y = law(seed, n, NOISES[seed % 3])
    return evidence(X, Y, "2V", "V", ["SO(3)"], seed=seed)[0]
