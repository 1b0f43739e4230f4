"""Target functions that were fresh once, in two lists: each was written down and run before the method was changed on what it showed."""

from __future__ import annotations

import numpy as np

from softsym.typing import Array
from softsym_lab.benchmarks.propose.targets import ETA, ETA21, J, Setting, dot

DOWN = np.array([0.0, 0.0, -0.8])
Q = np.diag([1.0, 0.4, 2.0])
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


def _falling(X: Array) -> Array:
    return np.asarray(DOWN - 0.4 * X * np.sqrt(dot(X, X)))


def _pair_force(X: Array) -> Array:
    apart = X[:, :3] - X[:, 3:]
    return np.asarray(apart * np.exp(-0.25 * dot(apart, apart)) + 0.2 * X[:, :3])


def _inertia(X: Array) -> Array:
    a, b = X[:, :3], X[:, 3:]
    inertia = dot(a, a)[:, :, None] * np.eye(3) - a[:, :, None] * a[:, None] + 0.3 * b[:, :, None] * b[:, None]
    return (inertia + 0.5 * np.eye(3)).reshape(-1, 9)


def _alignment(X: Array) -> Array:
    a, b = X[:, :4], X[:, 4:]
    return np.asarray(dot(a, b) / np.sqrt(1.0 + dot(a, a)) + 0.2 * dot(b, b))


def _resonance(X: Array) -> Array:
    total = X[:, :4] + X[:, 4:]
    return np.asarray(1.0 / (1.0 + dot(total, total, ETA) ** 2 / 36.0) + 0.1 * dot(X[:, :4], X[:, 4:], ETA))


def _hyperboloid(X: Array) -> Array:
    q = dot(X, X, ETA21)
    return np.asarray(np.exp(-(q**2) / 8.0) + 0.2 * q)


def _areas(X: Array) -> Array:
    first = X[:, :1] * X[:, 3:4] - X[:, 1:2] * X[:, 2:3]
    second = X[:, 2:3] * X[:, 5:] - X[:, 3:4] * X[:, 4:5]
    return np.asarray(np.tanh(first) + 0.5 * second)


def _quaternions(X: Array) -> Array:
    """An invariant of SU(2) alone, on two complex pairs, x + iy as (x, y)."""
    a, b = X[:, :2] + 1j * X[:, 2:4], X[:, 4:6] + 1j * X[:, 6:8]
    hermitian = np.sum(a.conj() * b, axis=1, keepdims=True)
    volume = a[:, :1] * b[:, 1:] - a[:, 1:] * b[:, :1]
    return np.asarray(hermitian.real + 0.5 * volume.real + np.tanh(hermitian.imag) * volume.real)


def _homogeneous(X: Array) -> Array:
    size = np.sqrt(dot(X, X, Q))
    return np.asarray(size * [0.5, -0.2, 1.0] + X[:, [1, 2, 0]] ** 2 / size)


def _vortices(X: Array) -> Array:
    a, b = X[:, :2], X[:, 2:]
    rotation = a[:, :1] * b[:, 1:] - a[:, 1:] * b[:, :1]
    return np.asarray(rotation * np.exp(-0.25 * dot(a - b, a - b)) + 0.3 * dot(a, a))


def _two_planes(X: Array) -> Array:
    circle, saddle = dot(X[:, :2], X[:, :2]), X[:, 2:3] * X[:, 3:]
    return np.asarray(np.sin(0.5 * circle) + 0.4 * saddle + 0.2 * circle * saddle)


def _bent(X: Array) -> Array:
    return np.asarray(X[:, :1] ** 3 / 3 + X[:, 1:2] * X[:, 2:] ** 2 + np.sin(X[:, 1:2]) + 0.5 * X[:, :1] * X[:, 2:])


def _wrench(X: Array) -> Array:
    a, b = X[:, :2], X[:, 2:]
    return np.stack([a[:, 0] * b[:, 1] ** 2 + b[:, 0], np.tanh(a[:, 1]) - b[:, 0] * b[:, 1]], axis=1)


FIRST = {
    "magnetic force and drag": Setting("2V", "V", 3, _magnetic, 3, "so(3)"),
    "two dipoles": Setting("3V", "S", 3, _dipoles, 3, "so(3)"),
    "invariant mass": Setting("2V", "S", 4, _invariant_mass, 6, "so(1,3)"),
    "soft trap": Setting("V", "V", 4, lambda X: -X / np.sqrt(1.0 + dot(X, X)), 6, "so(4)"),
    "area of a pair": Setting("2V", "S", 2, _area, 3, "sl(2)"),
    "swirl about a tilted axis": Setting("V", "V", 3, lambda X: np.cross(AXIS, X) + 0.4 * dot(X, X) * AXIS, 1, "so(2)"),
    "orbit": Setting("2V", "S", 3, _orbit, 3, "so(3)"),
    "friction": Setting("V", "V", 3, lambda X: np.sqrt(X**2 + 0.5 * dot(X, X)), 1, "scaling"),
    "product of three": Setting(
        "V", "S", 3, lambda X: np.tanh(X[:, :1] * X[:, 1:2] * X[:, 2:]), 2, "unnamed, dimension 2"
    ),
    "saddle": Setting("V", "S", 3, lambda X: np.cos(X[:, :1] * X[:, 1:2]) + X[:, 2:] ** 3 / 3, 1, "so(1,1)"),
    "four corners": Setting("V", "S", 2, lambda X: X[:, :1] ** 4 + X[:, 1:] ** 4, 0, "none"),
    "mixed pair": Setting("2V", "V", 2, _mixed, 0, "none"),
}
SECOND = {
    "falling with drag": Setting("V", "V", 3, _falling, 1, "so(2)"),
    "two vortices": Setting("2V", "S", 2, _vortices, 1, "so(2)"),
    "force of a pair": Setting("2V", "V", 3, _pair_force, 3, "so(3)"),
    "inertia of a pair": Setting("2V", "T(2)", 3, _inertia, 3, "so(3)"),
    "alignment": Setting("2V", "S", 4, _alignment, 6, "so(4)"),
    "resonance": Setting("2V", "S", 4, _resonance, 6, "so(1,3)"),
    "hyperboloid": Setting("V", "S", 3, _hyperboloid, 3, "so(2,1)"),
    "two areas": Setting("3V", "S", 2, _areas, 3, "sl(2)"),
    "symplectic wave": Setting("2V", "S", 4, lambda X: np.sin(0.5 * dot(X[:, :4], X[:, 4:], J)), 10, "sp(4,R)"),
    "quaternions": Setting("2V", "S", 4, _quaternions, 3, "su(2)"),
    "homogeneous field": Setting("V", "V", 3, _homogeneous, 1, "scaling"),
    "a circle and a saddle": Setting("V", "S", 4, _two_planes, 2, "unnamed, dimension 2"),
    "bent": Setting("V", "S", 3, _bent, 0, "none"),
    "wrench": Setting("2V", "V", 2, _wrench, 0, "none"),
}
EARLIER = {**FIRST, **SECOND}
