"""A second list of target functions for changing the rule of verdicts on: none of the first one.

A rule was judged by them once, when it was frozen; since then its errors on them are known.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from softsym.typing import Array
from softsym_lab.benchmarks.calibration.targets import (
    BROKEN,
    Inputs,
    Target,
    angle,
    arc,
    ball,
    box,
    cubic,
    grid,
    half_space,
    harmonic,
    homogeneous,
    icosahedral,
    inner,
    norm,
    normal_with,
    repeated,
    rotate,
    sq,
    stripes,
)

X3, Y3, Z = np.eye(3)


def _dipole(P: Array) -> Array:
    """Field of a dipole at a place, softened."""
    r, p = P[:, 0], P[:, 1]
    return np.asarray((3 * inner(p, r) * r - p * (0.5 + sq(r))) / (0.5 + sq(r)) ** 2.5)


def _strain(P: Array) -> Array:
    """A traceless product of two vectors, saturated."""
    T = 0.5 * (P[:, 0, :, None] * P[:, 1, None] + P[:, 1, :, None] * P[:, 0, None])
    T = T - np.eye(3) * np.trace(T, axis1=1, axis2=2)[:, None, None] / 3
    return np.asarray(np.tanh(norm(P[:, 0]))[..., None] * T)


def _pendulum_step(P: Array) -> Array:
    """A mass on an elastic string about the origin after a short time."""
    dt, x, v = 0.05, P[:, 0], P[:, 1]
    pull = -4.0 * np.maximum(0.0, norm(x) - 0.7) * x / norm(x)
    return np.stack([x + dt * v, v + dt * pull], axis=1)


def _three_bodies(P: Array) -> Array:
    """Velocities of three bodies that attract each other, a short time later."""
    x, v, dt = P[:, :3], P[:, 3:], 0.1
    gap = x[:, None] - x[:, :, None]
    pull = (gap / (0.4 + sq(gap)) ** 1.5).sum(axis=2)
    return np.asarray(v + dt * pull)


def _quaternionic(P: Array) -> Array:
    """(a + ib)(c + id) of a pair of plane vectors read as complex numbers, conjugated once: an invariant under SO(2)."""
    a, b = P[:, 0, 0] + 1j * P[:, 0, 1], P[:, 1, 0] + 1j * P[:, 1, 1]
    z = a * b.conj()
    return np.stack([np.sin(z.real), z.imag / (1 + np.abs(z))], axis=1)


def rings(radii: tuple[float, ...]) -> Inputs:
    """Points of the plane or space on a few spheres."""

    def draw(rng: np.random.Generator, n: int, size: int) -> Array:
        X = rng.standard_normal((n, size))
        return X / np.linalg.norm(X, axis=1, keepdims=True) * rng.choice(radii, (n, 1))

    return Inputs(draw)


def two_clouds(offset: float = 1.2, scale: float = 0.7) -> Inputs:
    """Two clouds to both sides of the origin, along the first column."""

    def draw(rng: np.random.Generator, n: int, size: int) -> Array:
        X = scale * rng.standard_normal((n, size))
        X[:, 0] += offset * rng.choice((-1.0, 1.0), n)
        return X

    def log_density(X: Array) -> Array:
        rest = np.sum(X[:, 1:] ** 2, axis=1)
        ends = [-0.5 * ((X[:, 0] - side * offset) ** 2 + rest) / scale**2 for side in (-1, 1)]
        return np.asarray(np.logaddexp(*ends))

    return Inputs(draw, log_density)


def _fading(wavelength: float) -> Callable[[Array], Array]:
    """Stripes along y that fade away from the origin."""
    wave = stripes(wavelength, (0.0, 1.0, 0.0))
    return lambda P: wave(P) * np.exp(-0.1 * sq(P[:, 0]))


SMOOTH = (
    Target(
        "field of a dipole",
        "smooth",
        "2V",
        "V",
        ("O(3)", "O(2)@y"),
        _dipole,
        lambda P: P[:, 0, 1:2] * P[:, 1] / (1 + sq(P[:, 0])),
    ),
    Target(
        "Gaussian of a difference",
        "smooth",
        "2V",
        "S",
        ("O(3)", "O(2)@x", "O(2)@y"),
        lambda P: np.exp(-0.3 * sq(P[:, 0] - P[:, 1])),
        lambda P: 0.2 * P[:, 0, :1] * np.tanh(P[:, 1, :1]),
    ),
    Target(
        "helicity",
        "smooth",
        "3V",
        "S",
        ("SO(3)", "SO(2)@y"),
        lambda P: inner(P[:, 0], np.cross(P[:, 1], P[:, 2])),
        lambda P: P[:, 0, 1:2] * inner(P[:, 1], P[:, 2]),
    ),
    Target(
        "traceless strain",
        "smooth",
        "2V",
        "T(2)",
        ("O(3)", "O(2)@y"),
        _strain,
        lambda P: P[:, 0, 1:2, None] * P[:, 1, 1:2, None] * (np.outer(Y3, Y3) - np.eye(3) / 3),
    ),
    Target(
        "limit cycle",
        "smooth",
        "V",
        "V",
        ("SO(2)", "C(3)"),
        lambda P: rotate(P[:, 0]) + P[:, 0] * (1 - 0.4 * sq(P[:, 0])),
        lambda P: P[:, 0, 1:] * [1.0, 0.0],
        dim=2,
    ),
    Target(
        "products of complex numbers",
        "smooth",
        "2V",
        "2S",
        ("SO(2)", "C(6)"),
        _quaternionic,
        lambda P: np.concatenate([P[:, 0, :1] * P[:, 1, 1:], 0.7 * P[:, 0, 1:]], axis=1),
        dim=2,
    ),
    Target(
        "temperature in a trap",
        "smooth",
        "S + 2V",
        "S",
        ("O(3)", "O(2)@x"),
        lambda X: np.sin(X[:, :1]) * inner(X[:, 1:4], X[:, 4:]) + 0.5 * sq(X[:, 1:4]),
        lambda X: X[:, 1:2] * X[:, 4:5] * np.cos(X[:, :1]),
        dim=0,
    ),
    Target(
        "lift and drag",
        "smooth",
        "2V",
        "V",
        ("SO(3)", "SO(2)@x"),
        lambda P: np.cross(P[:, 0], P[:, 1]) - 0.4 * norm(P[:, 0]) * P[:, 0],
        lambda P: np.cross(X3, P[:, 1]) + 0.4 * P[:, 0, :1] * X3,
    ),
    Target(
        "four-dimensional well",
        "smooth",
        "V",
        "V",
        ("O(4)", "S(4)"),
        lambda P: -P[:, 0] * np.exp(-0.15 * sq(P[:, 0])),
        lambda P: -P[:, 0] * np.array([1.0, 0, 0, 0]),
        dim=4,
    ),
)
KINKED = (
    Target(
        "smaller of two distances",
        "kinked",
        "3V",
        "S",
        ("O(3)", "O(2)@y"),
        lambda P: np.minimum(norm(P[:, 0] - P[:, 1]), norm(P[:, 0] - P[:, 2])),
        lambda P: np.maximum(P[:, 0, 1:2], -0.5),
    ),
    Target(
        "clipped force",
        "kinked",
        "V",
        "V",
        ("O(3)", "SO(2)@y"),
        lambda P: P[:, 0] * np.minimum(1.0, 1.2 / norm(P[:, 0])),
        lambda P: np.clip(P[:, 0, 1:2], -0.4, 0.4) * Y3,
    ),
    Target(
        "median of five",
        "kinked",
        "V",
        "S",
        ("S(5)", "A(5)"),
        lambda P: np.median(P[:, 0], axis=-1, keepdims=True) + 0.3 * P[:, 0].max(-1, keepdims=True),
        lambda P: np.maximum(P[:, 0, 1:2], P[:, 0, 3:4]),
        dim=5,
    ),
    Target(
        "triangular wave",
        "kinked",
        "V",
        "S",
        ("O(2)", "SO(2)"),
        lambda P: np.abs(np.mod(norm(P[:, 0]), 2.0) - 1.0),
        lambda P: np.abs(P[:, 0, 1:]) - 0.5 * np.abs(P[:, 0, :1]),
        dim=2,
    ),
    Target(
        "step of the slope",
        "kinked",
        "V",
        "V",
        ("SO(2)", "C(4)"),
        lambda P: P[:, 0] * np.where(norm(P[:, 0]) < 1, 1.0, 0.4) + 0.3 * rotate(P[:, 0]),
        lambda P: np.where(P[:, 0, :1] > 0, 1.0, 0.2) * P[:, 0],
        dim=2,
    ),
    Target(
        "hexagonal roof",
        "kinked",
        "V",
        "S",
        ("D(6)", "C(6)", "O(2)"),
        lambda P: np.abs(P[:, 0] @ np.array([[1.0, 0.5, -0.5], [0.0, 0.75**0.5, 0.75**0.5]])).max(-1, keepdims=True),
        lambda P: np.maximum(0.2, P[:, 0, 1:]),
        dim=2,
    ),
)
ROUGH = tuple(
    Target(
        f"well with stripes of wavelength {w:g}",
        "rough",
        "V",
        "S",
        ("O(2)", "SO(2)"),
        lambda P: np.tanh(sq(P[:, 0]) - 1.0),
        stripes(w, (0.8, 0.6), 0.7),
        dim=2,
        wavelength=w,
        levels=(0.0, 0.1, 0.2, 0.4, 0.7),
    )
    for w in (2.4, 1.2, 0.6, 0.3)
) + tuple(
    Target(
        f"pair with stripes of wavelength {w:g}",
        "rough",
        "V",
        "S",
        ("SO(3)", "O(2)@x"),
        lambda P: np.sqrt(1 + sq(P[:, 0])),
        _fading(w),
        wavelength=w,
        levels=(0.0, 0.1, 0.2, 0.4, 0.7),
    )
    for w in (3.5, 1.8, 0.9)
)
FINITE = (
    Target(
        "pentagonal well",
        "finite",
        "V",
        "S",
        ("SO(2)", "C(5)"),
        lambda P: np.log(0.5 + sq(P[:, 0])),
        lambda P: harmonic(P[:, 0], 5, 0.4),
        dim=2,
        wavelength=1.45,
    ),
    Target(
        "octagonal rings",
        "finite",
        "V",
        "S",
        ("SO(2)", "C(8)", "C(4)"),
        lambda P: np.sin(norm(P[:, 0])),
        lambda P: harmonic(P[:, 0], 8, 1.1) * norm(P[:, 0]),
        dim=2,
        wavelength=0.92,
    ),
    Target(
        "12-gon",
        "finite",
        "V",
        "S",
        ("SO(2)", "C(12)", "C(6)"),
        lambda P: norm(P[:, 0]),
        lambda P: harmonic(P[:, 0], 12, 0.3),
        dim=2,
        wavelength=0.6,
    ),
    Target(
        "24-gon of forces",
        "finite",
        "V",
        "V",
        ("SO(2)", "C(24)"),
        lambda P: P[:, 0] * np.exp(-0.2 * sq(P[:, 0])),
        lambda P: rotate(P[:, 0]) * harmonic(P[:, 0], 24),
        dim=2,
        wavelength=0.31,
    ),
    Target(
        "octagon of a pair",
        "finite",
        "2V",
        "S",
        ("SO(2)", "C(8)"),
        lambda P: inner(P[:, 0], P[:, 1]),
        lambda P: harmonic(P[:, 0], 8) + 0.5 * harmonic(P[:, 1], 8),
        dim=2,
        wavelength=0.92,
    ),
    Target(
        "icosahedral force",
        "finite",
        "V",
        "V",
        ("SO(3)", "Icosahedral()"),
        lambda P: P[:, 0] / np.sqrt(1 + sq(P[:, 0])),
        lambda P: P[:, 0] * icosahedral(P[:, 0]) / (1 + norm(P[:, 0])),
        wavelength=1.6,
    ),
    Target(
        "cubic crystal",
        "finite",
        "V",
        "V",
        ("O(3)", "Octahedral()"),
        lambda P: P[:, 0] * (1 - 0.1 * sq(P[:, 0])),
        lambda P: P[:, 0] ** 3 - 0.6 * sq(P[:, 0]) * P[:, 0],
    ),
    Target(
        "cosines of three",
        "finite",
        "V",
        "S",
        ("SO(3)", "S(3)"),
        lambda P: np.cos(norm(P[:, 0])),
        lambda P: cubic(P[:, 0]) * np.exp(-0.1 * sq(P[:, 0])),
        wavelength=2.4,
    ),
    Target(
        "sixth powers of four",
        "finite",
        "V",
        "S",
        ("SO(4)", "S(4)"),
        lambda P: norm(P[:, 0]),
        lambda P: np.sum(P[:, 0] ** 6, axis=-1, keepdims=True) / (1 + sq(P[:, 0]) ** 2),
        dim=4,
        levels=(0.0, 0.1, 0.2, 0.4, 0.7),
    ),
    Target(
        "cogs about an axis",
        "finite",
        "V",
        "V",
        ("SO(2)@x", "C(6)@x"),
        lambda P: P[:, 0] * [0.5, 1.0, 1.0] + np.cross(X3, P[:, 0]),
        lambda P: X3 * np.sign(np.cos(6 * angle(P[:, 0, 1:]))),
        wavelength=1.2,
    ),
)
CHAIN = np.array([[1.0, 0.3, 0.0, 0.8], [0.3, 1.0, 0.0, 0.0], [0.9, 0.0, 0.4, 0.0], [0.0, 0.8, 0.0, 0.5]])
UNEVEN = (
    Target(
        "length on an ellipse",
        "uneven",
        "V",
        "S",
        ("O(2)", "C(2)"),
        lambda P: np.sin(norm(P[:, 0])),
        lambda P: P[:, 0, :1] * P[:, 0, 1:],
        dim=2,
        inputs=normal_with((1.6, 0.5)),
    ),
    Target(
        "two clouds",
        "uneven",
        "V",
        "S",
        ("SO(2)", "C(2)"),
        lambda P: sq(P[:, 0]) / (1 + sq(P[:, 0])),
        lambda P: P[:, 0, 1:] ** 2,
        dim=2,
        inputs=two_clouds(),
    ),
    Target(
        "force on a disc",
        "uneven",
        "V",
        "V",
        ("O(3)", "O(2)@x"),
        lambda P: -P[:, 0] * np.exp(-0.2 * sq(P[:, 0])),
        lambda P: P[:, 0, :1] * X3,
        inputs=normal_with((0.5, 1.3, 1.3)),
    ),
    Target(
        "torque in a half space",
        "uneven",
        "2V",
        "V",
        ("SO(3)", "SO(2)@y"),
        lambda P: np.cross(P[:, 0], P[:, 1]),
        lambda P: np.cross(Y3, P[:, 0]),
        inputs=half_space(1),
    ),
    Target(
        "wind from one side",
        "uneven",
        "V",
        "V",
        ("SO(2)", "C(2)"),
        lambda P: P[:, 0] * norm(P[:, 0]),
        lambda P: np.array([1.0, 0.4]) * norm(P[:, 0]),
        dim=2,
        inputs=normal_with((0.8, 0.8), (1.2, 0.3)),
    ),
    Target(
        "chained columns",
        "uneven",
        "2V",
        "V",
        ("O(2)", "SO(2)"),
        lambda P: P[:, 0] * inner(P[:, 0], P[:, 1]) / (1 + sq(P[:, 1])),
        lambda P: P[:, 1, :1] * [1.0, 0.0],
        dim=2,
        inputs=normal_with((1.0,), mixing=CHAIN),
    ),
    Target(
        "short arc",
        "uneven",
        "V",
        "V",
        ("SO(2)", "C(4)"),
        lambda P: P[:, 0] + 0.5 * rotate(P[:, 0]),
        lambda P: P[:, 0, 1:] * [1.0, 0.0],
        dim=2,
        inputs=arc(0.6, 1.0),
        levels=(0.0, 0.4, 0.7),
    ),
    Target(
        "pairs in a box",
        "uneven",
        "2V",
        "S",
        ("O(3)", "O(2)@y"),
        lambda P: np.tanh(inner(P[:, 0], P[:, 1])),
        lambda P: P[:, 0, 1:2] * P[:, 1, 1:2],
        inputs=box(1.4),
    ),
)
STEP = (0.0, 0.05, 0.1, 0.2, 0.4, 0.7)
NEAR_IDENTITY = (
    Target(
        "elastic pendulum",
        "near-identity",
        "2V",
        "2V",
        ("O(3)", "O(2)@z", "GL(3)"),
        _pendulum_step,
        lambda P: np.stack([0 * P[:, 0], -0.05 * (1 + 0.3 * P[:, 0, 2:] ** 2) * Z], axis=1),
        levels=STEP,
        residual=True,
    ),
    Target(
        "three bodies",
        "near-identity",
        "6V",
        "3V",
        ("O(2)", "SO(2)"),
        _three_bodies,
        lambda P: 0.1 * np.tanh(P[:, :3, :1]) * [1.0, 0.0],
        dim=2,
        levels=STEP,
        residual=True,
    ),
    Target(
        "charge in a magnetic field",
        "near-identity",
        "2V",
        "2V",
        ("SO(2)@z", "O(3)", "SO(3)"),
        lambda P: np.stack(
            [
                P[:, 0] + 0.1 * P[:, 1],
                P[:, 1] + 0.1 * np.cross(P[:, 1], Z) * (1 + 0.3 * (P[:, 0, :2] ** 2).sum(-1, keepdims=True)),
            ],
            axis=1,
        ),
        lambda P: np.stack([0 * P[:, 0], 0.1 * P[:, 0, :1] * X3], axis=1),
        levels=STEP,
        residual=True,
    ),
    Target(
        "vortex step",
        "near-identity",
        "V",
        "V",
        ("SO(2)", "O(2)"),
        lambda P: P[:, 0] + 0.1 * rotate(P[:, 0]) / (0.3 + sq(P[:, 0])),
        lambda P: 0.1 * P[:, 0, :1] ** 2 * [0.0, 1.0],
        dim=2,
        levels=STEP,
        residual=True,
    ),
    Target(
        "dry friction step",
        "near-identity",
        "V",
        "V",
        ("O(3)", "O(2)@y"),
        lambda P: P[:, 0] * np.maximum(0.0, 1 - 0.1 / norm(P[:, 0])),
        lambda P: -0.1 * np.sign(P[:, 0, 1:2]) * Y3,
        levels=STEP,
        residual=True,
    ),
    Target(
        "glider",
        "near-identity",
        "2V",
        "V",
        ("O(2)@z", "SO(2)@z", "O(3)"),
        lambda P: P[:, 1] - 0.08 * norm(P[:, 1]) * P[:, 1] - 0.2 * Z,
        lambda P: 0.1 * norm(P[:, 1]) * Y3,
        levels=STEP,
        residual=True,
    ),
)
FEW = (0.0, 0.1, 0.2, 0.4, 0.7)
OUTLIERS = tuple(
    target.again("outliers", noise="t2", levels=FEW)
    for target in (SMOOTH[0], SMOOTH[4], SMOOTH[7], KINKED[3], FINITE[0])
)
HETEROSCEDASTIC = (
    SMOOTH[1].again("heteroscedastic", noise="inputs", levels=FEW),
    SMOOTH[4].again("heteroscedastic", noise="first column", levels=FEW),
    SMOOTH[7].again("heteroscedastic", noise="outputs", levels=FEW),
    KINKED[1].again("heteroscedastic", noise="first column", levels=FEW),
    FINITE[1].again("heteroscedastic", noise="outputs", levels=FEW),
)
DISCRETE = (
    SMOOTH[4].again("discrete", "limit cycle on a grid", inputs=grid(0.4), levels=FEW),
    SMOOTH[1].again("discrete", "difference, repeated inputs", inputs=repeated(3), levels=FEW),
    Target(
        "rings",
        "discrete",
        "V",
        "S",
        ("SO(2)", "C(4)"),
        lambda P: np.cos(2 * norm(P[:, 0])),
        lambda P: P[:, 0, :1] * P[:, 0, 1:],
        dim=2,
        inputs=rings((0.5, 1.0, 1.5)),
        levels=FEW,
    ),
    Target(
        "votes",
        "discrete",
        "V",
        "S",
        ("S(5)", "A(5)"),
        lambda P: np.tanh(P[:, 0]).sum(-1, keepdims=True) ** 2,
        lambda P: P[:, 0, 2:3],
        dim=5,
        inputs=grid(1.0),
        levels=FEW,
    ),
    Target(
        "repeated force",
        "discrete",
        "V",
        "V",
        ("D(4)", "C(4)", "O(2)"),
        lambda P: P[:, 0] ** 3,
        lambda P: P[:, 0, 1:] * [1.0, 0.0],
        dim=2,
        inputs=repeated(6, grid(0.25)),
        levels=FEW,
    ),
)
SMALL_BLOCK = (
    Target(
        "small second scalar",
        "small-block",
        "2V",
        "2S",
        ("O(3)", "O(2)@x"),
        lambda P: np.concatenate([50 * inner(P[:, 0], P[:, 1]), np.tanh(sq(P[:, 0]) - 2)], axis=1),
        lambda P: np.concatenate([0 * P[:, 0, :1], P[:, 0, :1] * P[:, 1, :1]], axis=1),
        levels=FEW,
    ),
    Target(
        "small force",
        "small-block",
        "V",
        "2V",
        ("SO(2)", "C(4)"),
        lambda P: np.stack([P[:, 0] * sq(P[:, 0]), 0.003 * rotate(P[:, 0])], axis=1),
        lambda P: np.stack([0 * P[:, 0], 0.003 * P[:, 0, :1] * [1.0, 1.0]], axis=1),
        dim=2,
        levels=FEW,
    ),
    Target(
        "stress and a small vector",
        "small-block",
        "V",
        "V + T(2)",
        ("O(3)", "O(2)@y"),
        lambda P: np.concatenate([0.05 * P[:, 0], (P[:, 0, :, None] * P[:, 0, None]).reshape(len(P), 9)], axis=1),
        lambda P: np.concatenate([0.05 * P[:, 0, 1:2] * Y3, np.zeros((len(P), 9))], axis=1),
        levels=FEW,
    ),
    Target(
        "one of four scalars",
        "small-block",
        "V",
        "4S",
        ("O(3)", "O(2)@z"),
        lambda P: np.concatenate(
            [sq(P[:, 0]), norm(P[:, 0]), np.cos(norm(P[:, 0])), 0.01 * np.exp(-sq(P[:, 0]))], axis=1
        ),
        lambda P: np.concatenate([np.zeros((len(P), 3)), 0.01 * P[:, 0, 2:] ** 2], axis=1),
        levels=FEW,
    ),
)
SMALL_N = tuple(
    target.again("small-n", rows=(12, 20, 30), levels=(0.0, 0.1, 0.4, 0.7))
    for target in (SMOOTH[1], SMOOTH[4], KINKED[1], KINKED[3], FINITE[0])
)


def _symplectic(P: Array) -> Array:
    return np.asarray(P[:, 0, :1] * P[:, 1, 1:] - P[:, 0, 1:] * P[:, 1, :1])


MINKOWSKI = np.array([-1.0, 1.0, 1.0, 1.0])
GROUPS = (
    Target(
        "heptagon",
        "groups",
        "V",
        "S",
        ("C(7)", "C(14)", "SO(2)"),
        lambda P: norm(P[:, 0]) + 0.6 * harmonic(P[:, 0], 7),
        lambda P: P[:, 0, 1:],
        dim=2,
    ),
    Target(
        "C(4) that is no C(6)",
        "groups",
        "V",
        "S",
        ("C(4)", "C(6)", "C(2)"),
        lambda P: np.cos(1.5 * P[:, 0]).sum(-1, keepdims=True),
        lambda P: P[:, 0, :1] + 0.5 * P[:, 0, :1] * P[:, 0, 1:],
        dim=2,
    ),
    Target(
        "octahedral, not icosahedral",
        "groups",
        "V",
        "S",
        ("Octahedral()", "Icosahedral()", "SO(3)"),
        lambda P: norm(P[:, 0]) + cubic(P[:, 0]),
        lambda P: P[:, 0, :1],
    ),
    Target(
        "variance of six",
        "groups",
        "V",
        "S",
        ("S(6)", "A(6)"),
        lambda P: P[:, 0].std(-1, keepdims=True),
        lambda P: np.tanh(P[:, 0, 4:5]),
        dim=6,
    ),
    Target(
        "square with reflections",
        "groups",
        "V",
        "V",
        ("D(4)", "C(4)"),
        lambda P: np.tanh(P[:, 0]),
        lambda P: 0.5 * rotate(P[:, 0]),
        dim=2,
    ),
    Target(
        "directions in five dimensions",
        "groups",
        "V",
        "V",
        ("SO(5)", "S(5)"),
        lambda P: P[:, 0] / (1 + norm(P[:, 0])),
        lambda P: P[:, 0] * np.array([0.0, 0, 0, 0, 1.0]),
        dim=5,
    ),
    Target(
        "power of an area",
        "groups",
        "2V",
        "S",
        ("SL(2)", "SO(2)"),
        lambda P: np.tanh(_symplectic(P)),
        lambda P: norm(P[:, 0]),
        dim=2,
        levels=BROKEN,
    ),
    Target(
        "saturated interval",
        "groups",
        "2V",
        "S",
        ("Lorentz()", "SO(3)@4[1,2,3]"),
        lambda P: np.tanh(0.3 * inner(P[:, 0] * MINKOWSKI, P[:, 0])) + 0.3 * inner(P[:, 0] * MINKOWSKI, P[:, 1]),
        lambda P: P[:, 0, :1] * P[:, 1, :1],
        dim=4,
        levels=BROKEN,
    ),
    Target(
        "cosine of an angle",
        "groups",
        "2V",
        "S",
        ("Scaling(3)", "SO(3)"),
        lambda P: inner(P[:, 0], P[:, 1]) / (norm(P[:, 0]) * norm(P[:, 1])),
        lambda P: sq(P[:, 0]) - 3,
        levels=BROKEN,
    ),
    Target(
        "force between points",
        "groups",
        "2V",
        "V",
        ("SE(2)", "Translation(2)"),
        lambda P: (P[:, 1] - P[:, 0]) * np.exp(-0.2 * sq(P[:, 1] - P[:, 0])),
        lambda P: np.tanh(P[:, 0]) * [1.0, 1.0, 0.0],
        inputs=homogeneous((True, True), scale=1.3),
        levels=BROKEN,
    ),
    Target(
        "shear between points",
        "groups",
        "2V",
        "V",
        ("Translation(2)", "SE(2)"),
        lambda P: np.stack([np.sin(P[:, 1, 1] - P[:, 0, 1]), 0 * P[:, 0, 0], 0 * P[:, 0, 0]], axis=1),
        lambda P: P[:, 0, :1] * [0.0, 1.0, 0.0],
        inputs=homogeneous((True, True)),
        levels=BROKEN,
    ),
    Target(
        "in a shell",
        "groups",
        "V",
        "V",
        ("SO(3)", "O(3)"),
        lambda P: P[:, 0] * np.sin(2 * norm(P[:, 0])),
        lambda P: np.cross(Z, P[:, 0]) * P[:, 0, 2:],
        inputs=ball(2.5),
    ),
)
TARGETS = (
    *SMOOTH,
    *KINKED,
    *ROUGH,
    *FINITE,
    *UNEVEN,
    *NEAR_IDENTITY,
    *OUTLIERS,
    *HETEROSCEDASTIC,
    *DISCRETE,
    *SMALL_BLOCK,
    *SMALL_N,
    *GROUPS,
)
