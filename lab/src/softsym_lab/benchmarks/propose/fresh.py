"""Target functions that the method was not developed on: written down first, run once after its last change, with seeds of their own."""

from __future__ import annotations

import numpy as np

from softsym.typing import Array
from softsym_lab.benchmarks.propose.targets import ETA, ETA21, J, Setting, dot


def _lift(X: Array) -> Array:
    v, spin = X[:, :3], X[:, 3:]
    return np.asarray(0.5 * np.cross(spin, v) - 0.3 * v * np.sqrt(dot(v, v)) + 0.1 * spin)


def _dipole_field(X: Array) -> Array:
    r, m = X[:, :3], X[:, 3:]
    size = 1.0 + dot(r, r)
    return np.asarray((3.0 * r * dot(r, m) / size - m) / np.sqrt(size))


def _stiff(X: Array) -> Array:
    return np.asarray(-X * [1.0, 1.0, 2.0] * (1.0 + 0.2 * dot(X, X)))


def _sideways(X: Array) -> Array:
    a, b = X[:, :2], X[:, 2:]
    return np.asarray(a / (1.0 + dot(a, a)) + 0.5 * b[:, ::-1] * [-1.0, 1.0])


def _products(X: Array) -> Array:
    a, b, c = X[:, :4], X[:, 4:8], X[:, 8:]
    return np.asarray(dot(a, b, ETA) + 0.3 * dot(b, c, ETA) * dot(a, c, ETA))


def _light_cone(X: Array) -> Array:
    a, b = X[:, :3], X[:, 3:]
    return np.asarray(np.exp(-(dot(a, b, ETA21) ** 2) / 8.0) + 0.3 * dot(a, a, ETA21))


def _four_areas(X: Array) -> Array:
    a, b, c = X[:, :2], X[:, 2:4], X[:, 4:]
    signs = [-1.0, 1.0]
    first, second = dot(a, b[:, ::-1] * signs), dot(b, c[:, ::-1] * signs)
    return np.asarray(np.sin(first) + 0.4 * first * second)


def _phase_flow(X: Array) -> Array:
    w = dot(X[:, :4], X[:, 4:], J)
    return np.asarray(w + 0.2 * w**3)


def _spin_pair(X: Array) -> Array:
    """An invariant of SU(2) alone, on two complex pairs, x + iy as (x, y)."""
    a, b = X[:, :2] + 1j * X[:, 2:4], X[:, 4:6] + 1j * X[:, 6:8]
    hermitian = np.sum(a.conj() * b, axis=1, keepdims=True)
    volume = a[:, :1] * b[:, 1:] - a[:, 1:] * b[:, :1]
    return np.asarray(hermitian.real * volume.real + 0.5 * hermitian.imag**2 + 0.6 * volume.imag)


def _self_similar(X: Array) -> Array:
    size = np.sqrt(dot(X, X))
    mixed = X[:, :1] * X[:, 1:2] / size
    return np.asarray(X[:, [2, 0, 1]] + size * [0.1, 0.5, -0.2] + mixed * [1.0, 0.0, 0.3])


def _torus(X: Array) -> Array:
    first, second = dot(X[:, :2], X[:, :2]), dot(X[:, 2:], X[:, 2:])
    return np.asarray(np.sin(0.5 * first) + 0.3 * second + 0.2 * np.cos(0.5 * second))


def _crossed(X: Array) -> Array:
    return np.asarray(np.sin(X[:, :1]) * X[:, 3:] + X[:, 1:2] ** 2 + 0.5 * X[:, 2:3] ** 3 / 3 + 0.3 * X[:, 2:3])


def _gains(X: Array) -> Array:
    return np.asarray(np.tanh(X * [0.5, 1.0, 1.5]) + 0.3 * X[:, [1, 2, 0]] ** 2 + [0.2, 0.0, 0.1])


FRESH = {
    "lift and drag": Setting("2V", "V", 3, _lift, 3, "so(3)"),
    "field of a dipole": Setting("2V", "V", 3, _dipole_field, 3, "so(3)"),
    "stiff along an axis": Setting("V", "V", 3, _stiff, 1, "so(2)"),
    "sideways": Setting("2V", "V", 2, _sideways, 1, "so(2)"),
    "well in four dimensions": Setting("V", "S", 4, lambda X: np.tanh(0.25 * dot(X, X)) + 0.1 * dot(X, X), 6, "so(4)"),
    "products of events": Setting("3V", "S", 4, _products, 6, "so(1,3)"),
    "light cone": Setting("2V", "S", 3, _light_cone, 3, "so(2,1)"),
    "areas in a row": Setting("3V", "S", 2, _four_areas, 3, "sl(2)"),
    "flow of phase space": Setting("2V", "S", 4, _phase_flow, 10, "sp(4,R)"),
    "pair of spins": Setting("2V", "S", 4, _spin_pair, 3, "su(2)"),
    "self-similar": Setting("V", "V", 3, _self_similar, 1, "scaling"),
    "torus": Setting("V", "S", 4, _torus, 2, "unnamed, dimension 2"),
    "crossed": Setting("2V", "S", 2, _crossed, 0, "none"),
    "gains": Setting("V", "V", 3, _gains, 0, "none"),
}
