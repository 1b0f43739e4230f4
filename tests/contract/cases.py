"""Small seeded data sets with known symmetries, whose verdicts the snapshots hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import softsym as ss

Array = np.ndarray


@dataclass(frozen=True)
class Case:
    """Rows, noise and candidates of one data set."""

    rep_in: str
    rep_out: str
    groups: tuple[str, ...]
    target: Callable[[Array], Array]
    rows: int = 70
    noise: float = 0.05
    inputs: int = 6


def _cross(X: Array) -> Array:
    return np.cross(X[:, :3], X[:, 3:])


def _dot(X: Array) -> Array:
    return (X[:, :3] * X[:, 3:]).sum(axis=1, keepdims=True)


def _gravity(X: Array) -> Array:
    return X[:, :3] * (1 + _dot(X) ** 2) ** 0.5 + np.array([0.0, 0.0, 1.5])


def _weak_wind(X: Array) -> Array:
    return X[:, :3] + 0.3 * X[:, 3:] + np.array([0.0, 0.0, 0.2]) * np.abs(X[:, :1])


def _outer(X: Array) -> Array:
    return np.einsum("ni,nj->nij", X[:, :3], X[:, 3:]).reshape(len(X), 9)


def _scaled(X: Array) -> Array:
    return X[:, :3] * (X[:, 3:] ** 2).sum(axis=1, keepdims=True)


def _swap(X: Array) -> Array:
    return np.tanh(X[:, :1] * X[:, 1:2]) + X.sum(axis=1, keepdims=True)


def _ordered(X: Array) -> Array:
    return X[:, :1] - 2 * X[:, 1:2] + X[:, 2:3] * X[:, 3:4]


def _plane(X: Array) -> Array:
    return np.stack([-X[:, 1], X[:, 0]], axis=1) * np.exp(-(X**2).sum(axis=1, keepdims=True) / 4)


def _square(X: Array) -> Array:
    return X**3


def _noise(X: Array) -> Array:
    return np.zeros((len(X), 3))


SPATIAL = ("SO(3)", "O(3)")
CASES = {
    "cross product": Case("2V", "V", SPATIAL, _cross),
    "cross product, much noise": Case("2V", "V", SPATIAL, _cross, noise=0.8),
    "cross product, few rows": Case("2V", "V", SPATIAL, _cross, rows=25),
    "cross product, axes": Case("2V", "V", ("O(2)@x", "SO(2)@z"), _cross),
    "dot product": Case("2V", "S", SPATIAL, _dot),
    "dot product, without noise": Case("2V", "S", ("O(3)",), _dot, noise=0.0),
    "dot product, few rows": Case("2V", "S", SPATIAL, _dot, rows=20),
    "gravity": Case("2V", "V", ("O(3)", "O(2)@z"), _gravity),
    "gravity, other axis": Case("2V", "V", ("O(2)@x", "SO(2)@z"), _gravity),
    "weak wind": Case("2V", "V", ("O(3)", "O(2)@z"), _weak_wind),
    "weak wind, more rows": Case("2V", "V", ("O(3)",), _weak_wind, rows=140, noise=0.02),
    "outer product": Case("2V", "T(2)", ("O(3)",), _outer, rows=50),
    "scaling": Case("2V", "V", ("Scaling(3)", "O(3)"), _scaled),
    "permutation": Case("V", "S", ("S(5)", "Z(5)"), _swap, inputs=5),
    "no permutation": Case("V", "S", ("S(5)", "Z(5)"), _ordered, inputs=5),
    "plane": Case("V", "V", ("SO(2)", "O(2)"), _plane, inputs=2),
    "plane, quarter rotations": Case("V", "V", ("C(4)", "D(4)", "SO(2)"), _square, inputs=2),
    "plane, few rows": Case("V", "V", ("C(4)", "SO(2)"), _square, inputs=2, rows=22),
    "nothing but noise": Case("2V", "V", ("O(3)",), _noise, noise=1.0),
    "linear": Case("2V", "V", ("O(3)",), lambda X: 2 * X[:, :3] - X[:, 3:]),
}


def observe_case(name: str) -> list[dict[str, Any]]:
    """Verdict and numbers of every candidate of a case."""
    case = CASES[name]
    generator = np.random.default_rng(sorted(CASES).index(name))
    X = generator.standard_normal((case.rows, case.inputs))
    Y = case.target(X)
    Y = Y + case.noise * generator.standard_normal(Y.shape)
    table = ss.evidence(X, Y, case.rep_in, case.rep_out, list(case.groups), n_jobs=1)
    return [
        {
            "name": row.name,
            "verdict": row.verdict,
            "p_value": row.p_value,
            "violation": row.violation if hasattr(row, "violation") else row.asymmetry,
            "interval": list(row.interval) if row.interval is not None else None,
            "log_evidence": row.log_evidence,
        }
        for row in table
    ]
