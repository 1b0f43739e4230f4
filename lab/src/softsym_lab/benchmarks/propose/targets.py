"""Target functions whose Lie algebras are known.

The method was developed on these, and on those of :mod:`softsym_lab.benchmarks.propose.earlier`. Target functions that were written down
before the method was last changed and run once after it are in :mod:`softsym_lab.benchmarks.propose.fresh`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from softsym.typing import Array

TargetFunction = Callable[[Array], Array]
ETA = np.diag([1.0, -1.0, -1.0, -1.0])
ETA21 = np.diag([1.0, 1.0, -1.0])
J: Array = np.asarray(np.kron([[0.0, 1.0], [-1.0, 0.0]], np.eye(2)), dtype=np.float64)
WIND = np.array([0.0, 0.0, 0.5])


@dataclass(frozen=True)
class Setting:
    """A target function and its Lie algebra.

    Args:
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        dim: Dimension of the space.
        function: The target function.
        dimension: Of its algebra.
        name: Of its algebra.
    """

    rep_in: str
    rep_out: str
    dim: int
    function: TargetFunction
    dimension: int
    name: str


def dot(a: Array, b: Array, form: Array | None = None) -> Array:
    """Products of rows (n, d), by a form (d, d), shape (n, 1)."""
    return np.asarray(np.sum((a if form is None else a @ form) * b, axis=1, keepdims=True))


def _area(X: Array) -> Array:
    return X[:, :1] * X[:, 3:4] - X[:, 1:2] * X[:, 2:3]


def _spinor(X: Array) -> Array:
    """An invariant of SU(2) on two complex pairs, x + iy as (x, y), that no larger algebra leaves alone."""
    a, b = X[:, :2] + 1j * X[:, 2:4], X[:, 4:6] + 1j * X[:, 6:8]
    hermitian = np.sum(a.conj() * b, axis=1, keepdims=True)
    volume = a[:, :1] * b[:, 1:] - a[:, 1:] * b[:, :1]
    return np.asarray(hermitian.real + 0.5 * hermitian.imag**2 + 0.3 * hermitian.imag * volume.real)


def _lopsided(X: Array) -> Array:
    return X[:, :1] * X[:, 4:5] + np.sin(X[:, 1:2]) + X[:, 2:3] ** 2 * X[:, 5:] + 0.5 * X[:, 3:4]


def _drag(X: Array) -> Array:
    return np.asarray(-(X - WIND) * np.sqrt(dot(X - WIND, X - WIND)))


def _boosted(X: Array) -> Array:
    """Of two events (t, x), in a moving frame."""
    return np.asarray(X[:, :1] * X[:, 2:3] + 0.5 * _area(X) ** 2 + X[:, :1] ** 3)


def _squeezed(X: Array) -> Array:
    return np.asarray(X[:, :1] * X[:, 1:2] ** 2 + 0.5 * X[:, 2:] ** 2 + X[:, 2:])


def _plane(X: Array) -> Array:
    return np.asarray(X[:, :1] * X[:, 1:2] + 0.1 * X[:, :1] ** 2 * X[:, 1:2] ** 2)


def _two_rotations(X: Array) -> Array:
    """Of two planes, the second rotated by twice the angle of the first."""
    a, b = X[:, :1] + 1j * X[:, 1:2], X[:, 2:3] + 1j * X[:, 3:]
    mixed = a**2 * b.conj()
    return np.asarray(mixed.real + 0.3 * mixed.imag * np.abs(a) ** 2 + np.abs(b) ** 2)


TARGETS = {
    "cross product": Setting("2V", "V", 3, lambda X: np.cross(X[:, :3], X[:, 3:]), 3, "so(3)"),
    "charge in fields": Setting("3V", "V", 3, lambda X: X[:, :3] + np.cross(X[:, 3:6], X[:, 6:]), 3, "so(3)"),
    "drag in a wind": Setting("V", "V", 3, _drag, 1, "so(2)"),
    "so(4) invariant": Setting(
        "2V", "S", 4, lambda X: dot(X[:, :4], X[:, 4:]) + 0.1 * dot(X[:, :4], X[:, :4]) ** 2, 6, "so(4)"
    ),
    "four-vectors": Setting(
        "2V", "S", 4, lambda X: dot(X[:, :4], X[:, 4:], ETA) + 0.1 * dot(X[:, :4], X[:, :4], ETA) ** 2, 6, "so(1,3)"
    ),
    "so(2,1) invariant": Setting("2V", "S", 3, lambda X: np.tanh(dot(X[:, :3], X[:, 3:], ETA21)), 3, "so(2,1)"),
    "signed area": Setting("2V", "S", 2, lambda X: np.sin(_area(X)), 3, "sl(2)"),
    "phase space": Setting(
        "2V", "S", 4, lambda X: dot(X[:, :4], X[:, 4:], J) + 0.1 * dot(X[:, :4], X[:, 4:], J) ** 2, 10, "sp(4,R)"
    ),
    "spinors": Setting("2V", "S", 4, _spinor, 3, "su(2)"),
    "scaling": Setting("V", "V", 3, lambda X: X * [1.0, 2.0, 3.0] + np.sqrt(dot(X, X)) * [0.3, 0.0, 0.6], 1, "scaling"),
    "none": Setting("2V", "S", 3, _lopsided, 0, "none"),
    "pure noise": Setting("2V", "V", 3, lambda X: 0.0 * X[:, :3], 0, "none"),
}
APART = {
    "softened gravity": Setting("V", "V", 3, lambda X: X / (1.0 + dot(X, X)) ** 1.5, 3, "so(3)"),
    "spring along an axis": Setting("2V", "S", 3, lambda X: dot(X[:, :3], X[:, 3:]) + X[:, 2:3], 1, "so(2)"),
    "interval": Setting(
        "2V", "S", 4, lambda X: np.cos(0.5 * dot(X[:, :4] - X[:, 4:], X[:, :4] - X[:, 4:], ETA)), 6, "so(1,3)"
    ),
    "triple product": Setting("3V", "S", 3, lambda X: np.linalg.det(X.reshape(-1, 3, 3))[:, None], 8, "sl(3)"),
}
BROKEN = {
    "stretched cross": Setting(
        "2V", "V", 3, lambda X: np.cross(X[:, :3], X[:, 3:]) + 0.15 * X[:, :1] * [1.0, 0, 0], 1, "so(2)"
    ),
    "softened gravity and a push": Setting(
        "V", "V", 3, lambda X: X / (1.0 + dot(X, X)) ** 1.5 + [0.0, 0.0, 0.04], 1, "so(2)"
    ),
    "saturation and a ripple": Setting(
        "2V", "S", 3, lambda X: np.tanh(dot(X[:, :3], X[:, 3:])) + 0.1 * np.sin(2 * X[:, :1]), 1, "so(2)"
    ),
}
"""Target functions with a larger symmetry that a small term breaks: it must not be claimed."""
UNNAMED = {
    "events under boosts": Setting("2V", "S", 2, _boosted, 1, "unnamed, dimension 1"),
    "two rotations at once": Setting("V", "S", 4, _two_rotations, 1, "unnamed, dimension 1"),
    "pressure and area": Setting("V", "S", 3, _squeezed, 1, "unnamed, dimension 1"),
    "plane in space": Setting("V", "S", 3, _plane, 4, "unnamed, dimension 4"),
}
"""Target functions whose algebras have no name in the catalogue: none must be given."""
TASKS = {
    "golfball:wind=none": 1,
    "golfball:wind=y,gravity=0.0": 1,
    "golfball:wind=none,gravity=0.0": 3,
    "golfball:wind=x": 0,
    "golfball:wind=z": 1,
    "cossim:SO(3)+S(3)": 4,
    "cossim:SO(3)": 3,
    "cossim:S(3)": 1,
    "cossim:soft": 0,
    "inertia:O(3)": 4,
    "inertia:Oz(2)": 2,
}
"""Built-in tasks and the dimensions of their algebras; of golf balls, those of rotations."""
