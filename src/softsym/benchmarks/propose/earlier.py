"""Laws that were fresh once: written down and run before the method was changed on what they showed."""

from __future__ import annotations

import numpy as np

from softsym.benchmarks.propose.laws import ETA, Array, Setting, dot

AXIS = np.array([1.0, 2.0, 2.0]) / 3.0


def _magnetic(X: Array) -> Array:
    v, B = X[:, :3], X[:, 3:]
    return np.asarray(np.cross(v, B) - 0.3 * v * np.sqrt(dot(v, v)))


def _dipoles(X: Array) -> Array:
    p, q, r = X[:, :3], X[:, 3:6], X[:, 6:]
    size = 1.0 + dot(r, r)
    return np.asarray(dot(p, q) / size - 2.0 * dot(p, r) * dot(q, r) / size**2)


def _invariant_mass(X: Array) -> Array:
    total = X[:, :4] + X[:, 4:]
    return np.asarray(np.tanh(0.3 * dot(total, total, ETA)) + 0.2 * dot(X[:, :4], X[:, :4], ETA))


def _area(X: Array) -> Array:
    area = X[:, :1] * X[:, 3:] - X[:, 1:2] * X[:, 2:3]
    return np.asarray(np.exp(-0.5 * area**2) + 0.3 * area)


def _orbit(X: Array) -> Array:
    return np.asarray(0.5 * dot(X[:, 3:], X[:, 3:]) - 2.0 / np.sqrt(1.0 + dot(X[:, :3], X[:, :3])))


def _mixed(X: Array) -> Array:
    return np.stack([X[:, 0] * X[:, 3] + X[:, 1] ** 2, np.sin(X[:, 2]) + X[:, 0]], axis=1)


EARLIER = {
    "magnetic force and drag": Setting("2V", "V", 3, _magnetic, 3, "so(3)"),
    "two dipoles": Setting("3V", "S", 3, _dipoles, 3, "so(3)"),
    "invariant mass": Setting("2V", "S", 4, _invariant_mass, 6, "so(1,3)"),
    "soft trap": Setting("V", "V", 4, lambda X: -X / np.sqrt(1.0 + dot(X, X)), 6, "so(4)"),
    "area of a pair": Setting("2V", "S", 2, _area, 3, "sl(2)"),
    "swirl about a tilted axis": Setting("V", "V", 3, lambda X: np.cross(AXIS, X) + 0.4 * dot(X, X) * AXIS, 1, "so(2)"),
    "orbit": Setting("2V", "S", 3, _orbit, 3, "so(3)"),
    "friction": Setting("V", "V", 3, lambda X: np.sqrt(X**2 + 0.5 * dot(X, X)), 1, "scaling"),
    "product of three": Setting("V", "S", 3, lambda X: np.tanh(X[:, :1] * X[:, 1:2] * X[:, 2:]), 2, "unnamed, dimension 2"),
    "saddle": Setting("V", "S", 3, lambda X: np.cos(X[:, :1] * X[:, 1:2]) + X[:, 2:] ** 3 / 3, 1, "so(1,1)"),
    "four corners": Setting("V", "S", 2, lambda X: X[:, :1] ** 4 + X[:, 1:] ** 4, 0, "none"),
    "mixed pair": Setting("2V", "V", 2, _mixed, 0, "none"),
}  # fmt: skip
