"""Target functions for changing the rule of verdicts on; it is judged by those of the frozen list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from softsym.typing import Array
from softsym_lab.benchmarks.calibration.targets import (
    BROKEN,
    Target,
    angle,
    arc,
    axis,
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
    smooth_abs,
    sq,
    stripes,
)

Z, X3 = axis(2), axis(0)


def _spring(P: Array) -> Array:
    """Two masses on a spring after a short time: positions and velocities in, positions and velocities out."""
    dt, gap = 0.1, P[:, 1] - P[:, 0]
    force = 3.0 * (norm(gap) - 1.0) * gap / np.sqrt(0.05 + sq(gap))
    v0, v1 = P[:, 2] + dt * force, P[:, 3] - dt * force
    return np.stack([P[:, 0] + dt * v0, P[:, 1] + dt * v1, v0, v1], axis=1)


def _springs_in_gravity(P: Array) -> Array:
    """The part that gravity along z adds to :func:`_spring`, larger where the masses are high."""
    push = -(1.0 + 0.4 * P[:, :2, 2:].mean(axis=1)) * Z
    return np.stack([0.01 * push, 0.01 * push, 0.1 * push, 0.1 * push], axis=1)


def _drag_step(P: Array) -> Array:
    """Position and velocity after a short time of quadratic drag."""
    v = P[:, 1] - 0.1 * norm(P[:, 1]) * P[:, 1]
    return np.stack([P[:, 0] + 0.1 * v, v], axis=1)


def _wind_step(P: Array) -> Array:
    v = P[:, 1] - X3
    push = -0.1 * (norm(v) * v - norm(P[:, 1]) * P[:, 1])
    return np.stack([0.1 * push, push], axis=1)


def _stress(P: Array) -> Array:
    C = np.einsum("nai,naj->nij", P, P)
    return np.asarray(C / (1 + 0.1 * np.einsum("nii->n", C))[:, None, None])


def _fibre(P: Array) -> Array:
    C = np.einsum("nai,naj->nij", P, P)
    return np.asarray(C[:, 2:3, 2:] * np.outer(Z, Z))


def _stepped(P: Array, m: int) -> Array:
    """A force whose size about z depends on the angle in m steps."""
    return np.asarray(P[:, 0] * np.sign(np.sin(m * angle(P[:, 0]))) * [1.0, 1.0, 0.0])


def _charges(P: Array) -> Array:
    """The force of two charges on a third one, softened."""
    gap = P[:, :1] - P[:, 1:]
    return np.asarray((2 * gap / (1 + sq(gap)) ** 1.5).sum(axis=1))


def _across(wavelength: float) -> Callable[[Array], Array]:
    """A force along x that ripples along z."""
    wave = stripes(wavelength, (0.0, 0.0, 1.0), 0.5 * np.pi)
    return lambda P: wave(P) * X3


SMOOTH = (
    Target(
        "cubic spring",
        "smooth",
        "V",
        "V",
        ("O(3)", "O(2)@z"),
        lambda P: P[:, 0] * (1 + 0.3 * sq(P[:, 0])),
        lambda P: P[:, 0, 2:] * Z,
    ),
    Target(
        "saturated pair",
        "smooth",
        "2V",
        "S",
        ("O(3)", "O(2)@z", "O(2)@x"),
        lambda P: np.tanh(inner(P[:, 0], P[:, 1])) + 0.3 * sq(P[:, 0]),
        lambda P: P[:, 0, 2:] * P[:, 1, 2:],
    ),
    Target(
        "torque",
        "smooth",
        "2V",
        "V",
        ("SO(3)", "SO(2)@z"),
        lambda P: np.cross(P[:, 0], P[:, 1]),
        lambda P: np.cross(P[:, 0], Z) + 0.5 * P[:, 1, 2:] * Z,
    ),
    Target(
        "softened charges",
        "smooth",
        "3V",
        "V",
        ("O(3)", "O(2)@z"),
        _charges,
        lambda P: (P[:, 0, 2:] - P[:, 1, 2:]) * Z / (1 + sq(P[:, 0] - P[:, 1])),
    ),
    Target(
        "plane swirl",
        "smooth",
        "V",
        "V",
        ("SO(2)", "C(4)"),
        lambda P: rotate(P[:, 0]) / (0.5 + sq(P[:, 0])) + 0.3 * P[:, 0],
        lambda P: P[:, 0] * [0.3, -0.3],
        dim=2,
    ),
    Target(
        "plane well",
        "smooth",
        "V",
        "S",
        ("O(2)", "C(2)", "SO(2)"),
        lambda P: np.exp(-0.5 * sq(P[:, 0])),
        lambda P: P[:, 0, :1] * P[:, 0, 1:],
        dim=2,
    ),
    Target("elastic stress", "smooth", "3V", "T(2)", ("O(3)", "O(2)@z"), _stress, _fibre),
    Target(
        "charges and scalars",
        "smooth",
        "2S + V",
        "V",
        ("O(3)", "O(2)@z"),
        lambda X: X[:, 2:] * (X[:, :1] + 0.5 * X[:, 1:2] * sq(X[:, 2:])),
        lambda X: X[:, :1] * Z + 0.5 * X[:, 4:] * Z,
        dim=0,
    ),
    Target(
        "drag in a wind",
        "smooth",
        "V",
        "V",
        ("O(3)", "O(2)@x"),
        lambda P: -norm(P[:, 0]) * P[:, 0],
        lambda P: -norm(P[:, 0] - X3) * (P[:, 0] - X3) + norm(P[:, 0]) * P[:, 0],
    ),
)
KINKED = (
    Target(
        "larger of two lengths",
        "kinked",
        "2V",
        "S",
        ("O(3)", "O(2)@z"),
        lambda P: np.maximum(norm(P[:, 0]), norm(P[:, 1])),
        lambda P: np.abs(P[:, 0, 2:]),
    ),
    Target(
        "friction with a threshold",
        "kinked",
        "V",
        "V",
        ("O(3)", "O(2)@z"),
        lambda P: -np.maximum(0.0, norm(P[:, 0]) - 1.0) * P[:, 0] / norm(P[:, 0]),
        lambda P: -np.maximum(0.0, P[:, 0, 2:]) * Z,
    ),
    Target(
        "sorted sum",
        "kinked",
        "V",
        "S",
        ("S(4)", "A(4)"),
        lambda P: np.sort(P[:, 0], axis=-1) @ np.array([[-1.0], [0.2], [0.4], [1.0]]),
        lambda P: np.abs(P[:, 0, :1]) - np.abs(P[:, 0, 1:2]),
        dim=4,
    ),
    Target(
        "contact in the plane",
        "kinked",
        "2V",
        "V",
        ("O(2)", "SO(2)"),
        lambda P: (P[:, 0] - P[:, 1]) * (norm(P[:, 0] - P[:, 1]) < 1.5) / (0.3 + norm(P[:, 0] - P[:, 1])),
        lambda P: np.abs(P[:, 0, :1]) * [1.0, 0.0],
        dim=2,
    ),
    Target("cone", "kinked", "V", "S", ("O(3)", "O(2)@z"), lambda P: norm(P[:, 0]), lambda P: np.abs(P[:, 0, 2:])),
    Target(
        "square roof",
        "kinked",
        "V",
        "S",
        ("D(4)", "O(2)"),
        lambda P: np.maximum(np.abs(P[:, 0, :1]), np.abs(P[:, 0, 1:])),
        lambda P: np.maximum(0, P[:, 0, :1]),
        dim=2,
    ),
)
ROUGH = tuple(
    Target(
        f"ripples of wavelength {w:g}",
        "rough",
        "V",
        "S",
        ("SO(2)", "C(2)"),
        lambda P: sq(P[:, 0]) - 2.0,
        stripes(w, (1.0, 0.0)),
        dim=2,
        wavelength=w,
        levels=(0.0, 0.1, 0.2, 0.4, 0.7),
    )
    for w in (2.0, 1.0, 0.5, 0.25)
) + tuple(
    Target(
        f"force with ripples of wavelength {w:g}",
        "rough",
        "V",
        "V",
        ("O(3)", "O(2)@z"),
        lambda P: P[:, 0] * (1 + 0.2 * sq(P[:, 0])),
        _across(w),
        wavelength=w,
        levels=(0.0, 0.1, 0.2, 0.4, 0.7),
    )
    for w in (3.0, 1.5, 0.75)
)
FINITE = (
    Target(
        "square",
        "finite",
        "V",
        "S",
        ("SO(2)", "C(4)", "O(2)"),
        lambda P: sq(P[:, 0]) - 2,
        lambda P: harmonic(P[:, 0], 4),
        dim=2,
        wavelength=1.8,
    ),
    Target(
        "hexagon",
        "finite",
        "V",
        "S",
        ("SO(2)", "C(6)"),
        lambda P: sq(P[:, 0]) - 2,
        lambda P: harmonic(P[:, 0], 6),
        dim=2,
        wavelength=1.2,
    ),
    Target(
        "octagon",
        "finite",
        "V",
        "S",
        ("SO(2)", "C(8)", "O(2)"),
        lambda P: sq(P[:, 0]) - 2,
        lambda P: harmonic(P[:, 0], 8),
        dim=2,
        wavelength=0.92,
    ),
    Target(
        "16-gon",
        "finite",
        "V",
        "S",
        ("SO(2)", "C(8)", "C(16)"),
        lambda P: sq(P[:, 0]) - 2,
        lambda P: harmonic(P[:, 0], 16),
        dim=2,
        wavelength=0.46,
    ),
    Target(
        "octagon of forces",
        "finite",
        "V",
        "V",
        ("SO(2)", "C(8)"),
        lambda P: P[:, 0] / (1 + 0.2 * sq(P[:, 0])),
        lambda P: P[:, 0] * harmonic(P[:, 0], 8),
        dim=2,
        wavelength=0.92,
    ),
    Target(
        "icosahedral",
        "finite",
        "V",
        "S",
        ("SO(3)", "Icosahedral()", "O(3)"),
        lambda P: sq(P[:, 0]) - 3,
        lambda P: icosahedral(P[:, 0]),
        wavelength=1.6,
    ),
    Target(
        "cubic harmonic",
        "finite",
        "V",
        "S",
        ("SO(3)", "Octahedral()"),
        lambda P: norm(P[:, 0]) - 1.6,
        lambda P: cubic(P[:, 0]),
        wavelength=2.4,
    ),
    Target(
        "sum of fourth powers",
        "finite",
        "V",
        "S",
        ("O(4)", "S(4)"),
        lambda P: sq(P[:, 0]) ** 2 / 8,
        lambda P: np.sum(P[:, 0] ** 4, axis=-1, keepdims=True),
        dim=4,
    ),
    Target(
        "steps about the axis",
        "finite",
        "V",
        "V",
        ("O(2)@z", "C(8)@z"),
        lambda P: P[:, 0] * [1.0, 1.0, 0.5],
        lambda P: _stepped(P, 8),
        wavelength=0.9,
    ),
    Target(
        "fourth powers of five",
        "finite",
        "V",
        "S",
        ("O(5)", "S(5)"),
        lambda P: sq(P[:, 0]) - 5,
        lambda P: np.sum(P[:, 0] ** 4, axis=-1, keepdims=True) / 3,
        dim=5,
        levels=(0.0, 0.1, 0.2, 0.4, 0.7),
    ),
)
MIXED = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.9, 0.0, 0.3, 0.0], [0.0, 0.9, 0.0, 0.3]])
UNEVEN = (
    Target(
        "well on an ellipse",
        "uneven",
        "V",
        "S",
        ("SO(2)", "C(2)"),
        lambda P: sq(P[:, 0]) / (1 + 0.2 * sq(P[:, 0])),
        lambda P: P[:, 0, :1] ** 2,
        dim=2,
        inputs=normal_with((2.0, 0.7)),
    ),
    Target(
        "spring on a long ellipse",
        "uneven",
        "V",
        "V",
        ("O(3)", "O(2)@z"),
        lambda P: P[:, 0] * (1 + 0.1 * sq(P[:, 0])),
        lambda P: P[:, 0, 2:] * Z,
        inputs=normal_with((1.5, 1.0, 0.5)),
    ),
    Target(
        "well on a half plane",
        "uneven",
        "V",
        "S",
        ("O(2)", "SO(2)", "C(4)"),
        lambda P: np.exp(-0.4 * sq(P[:, 0])),
        lambda P: P[:, 0, 1:],
        dim=2,
        inputs=half_space(),
    ),
    Target(
        "force in a half space",
        "uneven",
        "V",
        "V",
        ("O(3)", "O(2)@x"),
        lambda P: P[:, 0] / (1 + sq(P[:, 0])),
        lambda P: P[:, 0, :1] * X3,
        inputs=half_space(),
    ),
    Target(
        "shifted cloud",
        "uneven",
        "V",
        "S",
        ("SO(2)", "O(2)"),
        lambda P: sq(P[:, 0]),
        lambda P: P[:, 0, 1:],
        dim=2,
        inputs=normal_with((1.0, 1.0), (0.8, 0.0)),
    ),
    Target(
        "confounded columns",
        "uneven",
        "2V",
        "S",
        ("SO(2)", "C(4)"),
        lambda P: inner(P[:, 0], P[:, 1]),
        lambda P: P[:, 0, :1] * P[:, 1, :1],
        dim=2,
        inputs=normal_with((1.0,), mixing=MIXED),
    ),
    Target(
        "arc of one orbit",
        "uneven",
        "V",
        "S",
        ("SO(2)", "C(3)"),
        lambda P: sq(P[:, 0]),
        lambda P: P[:, 0, 1:],
        dim=2,
        inputs=arc(1.0),
        levels=(0.0, 0.4, 0.7),
    ),
    Target(
        "forces in a box",
        "uneven",
        "V",
        "V",
        ("O(3)", "SO(2)@z"),
        lambda P: P[:, 0] * (1 + 0.2 * sq(P[:, 0])),
        lambda P: rotate(P[:, 0])[:, [0, 1]] @ np.eye(2, 3),
        inputs=box(),
    ),
)
STEP = (0.0, 0.05, 0.1, 0.2, 0.4, 0.7)
NEAR_IDENTITY = (
    Target(
        "masses on a spring",
        "near-identity",
        "4V",
        "4V",
        ("O(3)", "O(2)@z", "GL(3)"),
        _spring,
        _springs_in_gravity,
        levels=STEP,
        residual=True,
    ),
    Target(
        "drag and wind",
        "near-identity",
        "2V",
        "2V",
        ("O(3)", "O(2)@x"),
        _drag_step,
        _wind_step,
        levels=STEP,
        residual=True,
    ),
    Target(
        "projectile",
        "near-identity",
        "2V",
        "2V",
        ("O(2)@z", "O(3)", "O(2)@x"),
        lambda P: np.stack([P[:, 0] + 0.1 * P[:, 1] - 0.05 * Z, P[:, 1] * (1 - 0.05 * norm(P[:, 1])) - Z], axis=1),
        lambda P: np.stack([0 * P[:, 0], 0.1 * (1 + norm(P[:, 1])) * X3], axis=1),
        levels=STEP,
        residual=True,
    ),
    Target(
        "rotation over a short time",
        "near-identity",
        "V",
        "V",
        ("SO(3)", "SO(2)@z"),
        lambda P: P[:, 0] * (1 - 0.02 * sq(P[:, 0])),
        lambda P: 0.1 * np.cross(Z, P[:, 0]),
        levels=STEP,
        residual=True,
    ),
    Target(
        "orbit in the plane",
        "near-identity",
        "2V",
        "2V",
        ("O(2)", "SO(2)"),
        lambda P: np.stack([P[:, 0] + 0.1 * P[:, 1], P[:, 1] - 0.1 * P[:, 0] / (0.3 + sq(P[:, 0])) ** 1.5], axis=1),
        lambda P: np.stack([0 * P[:, 0], -0.1 * P[:, 0, :1] * [1.0, 0.0]], axis=1),
        dim=2,
        levels=STEP,
        residual=True,
    ),
    Target(
        "increments of an orbit",
        "near-identity",
        "2V",
        "V",
        ("O(2)", "SO(2)"),
        lambda P: 0.05 * P[:, 1] - 0.05 * P[:, 0] * sq(P[:, 0]),
        lambda P: 0.1 * P[:, 0, :1] * [1.0, 0.0],
        dim=2,
        levels=STEP,
        residual=True,
    ),
)
FEW_LEVELS = (0.0, 0.1, 0.2, 0.4, 0.7)
OUTLIERS = (
    SMOOTH[0].again("outliers", noise="t2", levels=FEW_LEVELS),
    SMOOTH[2].again("outliers", noise="t2", levels=FEW_LEVELS),
    SMOOTH[5].again("outliers", noise="t2", levels=FEW_LEVELS),
    KINKED[0].again("outliers", noise="t2", levels=FEW_LEVELS),
    FINITE[0].again("outliers", noise="t2", levels=FEW_LEVELS),
)
HETEROSCEDASTIC = (
    SMOOTH[0].again("heteroscedastic", noise="outputs", levels=FEW_LEVELS),
    SMOOTH[1].again("heteroscedastic", noise="inputs", levels=FEW_LEVELS),
    SMOOTH[4].again("heteroscedastic", noise="first column", levels=FEW_LEVELS),
    SMOOTH[5].again("heteroscedastic", noise="first column", levels=FEW_LEVELS),
    FINITE[2].again("heteroscedastic", noise="inputs", levels=FEW_LEVELS),
)
DISCRETE = (
    SMOOTH[5].again("discrete", "well on a grid", inputs=grid(0.5), levels=FEW_LEVELS),
    SMOOTH[0].again("discrete", "spring, repeated inputs", inputs=repeated(4), levels=FEW_LEVELS),
    SMOOTH[2].again("discrete", "torque, inputs twice", inputs=repeated(2), levels=FEW_LEVELS),
    Target(
        "counts",
        "discrete",
        "V",
        "S",
        ("S(4)", "A(4)"),
        lambda P: np.sqrt(1 + np.abs(P[:, 0].sum(axis=-1, keepdims=True))),
        lambda P: P[:, 0, :1],
        dim=4,
        inputs=grid(1.0),
        levels=FEW_LEVELS,
    ),
    Target(
        "square on a coarse grid",
        "discrete",
        "V",
        "S",
        ("C(4)", "SO(2)", "D(4)"),
        lambda P: np.abs(P[:, 0]).sum(-1, keepdims=True),
        lambda P: P[:, 0, :1],
        dim=2,
        inputs=grid(1.0),
        levels=FEW_LEVELS,
    ),
)
SMALL_BLOCK = (
    Target(
        "small scalar",
        "small-block",
        "V",
        "S + V",
        ("O(3)", "O(2)@z"),
        lambda P: np.concatenate([0.02 * sq(P[:, 0]), P[:, 0] * (1 + 0.2 * sq(P[:, 0]))], axis=1),
        lambda P: np.concatenate([0.02 * P[:, 0, 2:], 0 * P[:, 0]], axis=1),
        levels=FEW_LEVELS,
    ),
    Target(
        "small vector",
        "small-block",
        "2V",
        "2V",
        ("SO(3)", "SO(2)@z"),
        lambda P: np.stack([np.cross(P[:, 0], P[:, 1]), 0.01 * P[:, 0]], axis=1),
        lambda P: np.stack([0 * P[:, 0], 0.01 * P[:, 0, 2:] * Z], axis=1),
        levels=FEW_LEVELS,
    ),
    Target(
        "one of three scalars",
        "small-block",
        "V",
        "3S",
        ("SO(2)", "C(2)"),
        lambda P: np.concatenate([sq(P[:, 0]), 10 * np.exp(-sq(P[:, 0])), 0.1 * np.tanh(sq(P[:, 0]))], axis=1),
        lambda P: np.concatenate([0 * sq(P[:, 0]), 0 * sq(P[:, 0]), 0.1 * P[:, 0, :1]], axis=1),
        dim=2,
        levels=FEW_LEVELS,
    ),
    Target(
        "metres and millimetres",
        "small-block",
        "2V",
        "2V",
        ("O(2)", "SO(2)"),
        lambda P: np.stack([1000 * P[:, 0] / (1 + sq(P[:, 0])), P[:, 1]], axis=1),
        lambda P: np.stack([0 * P[:, 0], P[:, 1, :1] * [1.0, 0.0]], axis=1),
        dim=2,
        levels=FEW_LEVELS,
    ),
)
SMALL: dict[str, Any] = {"rows": (12, 20, 30), "levels": (0.0, 0.1, 0.4, 0.7)}
SMALL_N = (
    SMOOTH[0].again("small-n", **SMALL),
    SMOOTH[4].again("small-n", **SMALL),
    SMOOTH[5].again("small-n", **SMALL),
    KINKED[4].again("small-n", **SMALL),
    FINITE[0].again("small-n", **SMALL),
)
METRIC = np.array([-1.0, 1.0, 1.0, 1.0])


def _det(P: Array) -> Array:
    return np.asarray(P[:, 0, :1] * P[:, 1, 1:2] - P[:, 0, 1:2] * P[:, 1, :1])


GROUPS = (
    Target(
        "pentagon",
        "groups",
        "V",
        "S",
        ("C(5)", "C(10)", "SO(2)"),
        lambda P: sq(P[:, 0]) - 2 + harmonic(P[:, 0], 5),
        lambda P: P[:, 0, :1],
        dim=2,
    ),
    Target(
        "symmetric function of five",
        "groups",
        "V",
        "S",
        ("S(5)", "A(5)"),
        lambda P: np.log(np.exp(P[:, 0]).sum(-1, keepdims=True)),
        lambda P: P[:, 0, :1],
        dim=5,
    ),
    Target(
        "triangle with a sense",
        "groups",
        "V",
        "V",
        ("C(3)", "D(3)"),
        lambda P: (
            P[:, 0]
            + 0.3 * np.stack([P[:, 0, 0] ** 2 - P[:, 0, 1] ** 2, -2 * P[:, 0, 0] * P[:, 0, 1]], axis=-1)
            + 0.5 * rotate(P[:, 0])
        ),
        lambda P: P[:, 0, :1] * [1.0, 0.0],
        dim=2,
    ),
    Target(
        "length in five dimensions",
        "groups",
        "V",
        "S",
        ("O(5)", "S(5)"),
        lambda P: norm(P[:, 0]),
        lambda P: P[:, 0, :1],
        dim=5,
    ),
    Target(
        "area form",
        "groups",
        "2V",
        "S",
        ("SL(2)", "SO(2)"),
        lambda P: _det(P) + 0.3 * _det(P) ** 2,
        lambda P: inner(P[:, 0], P[:, 1]),
        dim=2,
        levels=BROKEN,
    ),
    Target(
        "interval",
        "groups",
        "2V",
        "S",
        ("Lorentz()", "SO(3)@4[1,2,3]"),
        lambda P: inner(P[:, 0] * METRIC, P[:, 1]),
        lambda P: inner(P[:, 0], P[:, 1]),
        dim=4,
        levels=BROKEN,
    ),
    Target(
        "homogeneous of degree one",
        "groups",
        "V",
        "V",
        ("Scaling(3)", "O(3)"),
        lambda P: P[:, 0] * (1 + 0.5 * P[:, 0, :1] / norm(P[:, 0])),
        lambda P: P[:, 0] * norm(P[:, 0]),
        levels=BROKEN,
    ),
    Target(
        "spring between points",
        "groups",
        "2V",
        "V",
        ("SE(2)", "Translation(2)"),
        lambda P: (P[:, 1] - P[:, 0]) / (1 + 0.3 * sq(P[:, 1] - P[:, 0])),
        lambda P: P[:, 0] * [1.0, 1.0, 0.0],
        inputs=homogeneous((True, True)),
        levels=BROKEN,
    ),
    Target(
        "drift between points",
        "groups",
        "2V",
        "V",
        ("Translation(2)", "SE(2)"),
        lambda P: np.tanh(P[:, 1] - P[:, 0]) * [1.0, 0.6, 0.0],
        lambda P: np.tanh(P[:, 0, :1]) * [1.0, 0.0, 0.0],
        inputs=homogeneous((True, True)),
        levels=BROKEN,
    ),
    Target(
        "sign and swap",
        "groups",
        "V",
        "S",
        ("C(2)", "C(4)", "D(4)"),
        lambda P: P[:, 0, :1] * P[:, 0, 1:] + 0.3 * P[:, 0, :1] ** 2,
        lambda P: P[:, 0, :1] + smooth_abs(P[:, 0, 1:]),
        dim=2,
    ),
    Target(
        "in a ball",
        "groups",
        "V",
        "V",
        ("SO(3)", "O(3)", "Octahedral()"),
        lambda P: P[:, 0] * np.cos(norm(P[:, 0])),
        lambda P: P[:, 0] * P[:, 0, :1],
        inputs=ball(),
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
