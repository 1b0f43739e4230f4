"""A third list of target functions for changing the rule of verdicts on: none of the first two.

A rule was run on them once, when it was frozen; it has been changed since.
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
    bearings,
    choices,
    clusters,
    elliptic_t,
    grid,
    harmonic,
    homogeneous,
    icosahedral,
    inner,
    join,
    norm,
    normal_with,
    outer,
    repeated,
    rotate,
    spherical_t,
    sq,
    zeros,
)

X3, Y3, Z = np.eye(3)
OBLIQUE, DIAGONAL = np.array([1.0, 2.0, 2.0]) / 3, np.ones(3)
FEW = (0.0, 0.1, 0.2, 0.4, 0.7)


def head(
    name: str, stratum: str, rep_in: str, rep_out: str, *candidates: str
) -> tuple[str, str, str, str, tuple[str, ...]]:
    """The first arguments of a target, on one line."""
    return name, stratum, rep_in, rep_out, candidates


# Inputs.


def spiral(width: float = 0.06) -> Inputs:
    """Points of the plane near a curve that meets every circle about the origin once."""

    def draw(rng: np.random.Generator, n: int, size: int) -> Array:
        theta = rng.uniform(0, 2 * np.pi, (n, 1))
        return (0.5 + theta / 4 + width * rng.standard_normal((n, 1))) * np.hstack([np.cos(theta), np.sin(theta)])

    def log_density(X: Array) -> Array:
        r, theta = norm(X)[:, 0], np.mod(angle(X)[:, 0], 2 * np.pi)
        return np.asarray(-0.5 * ((r - 0.5 - theta / 4) / width) ** 2 - np.log(r))

    return Inputs(draw, log_density)


def log_normal(scales: tuple[float, ...]) -> Inputs:
    """Positive columns, each with a width of its own."""

    def log_density(X: Array) -> Array:
        logs = np.log(np.maximum(X, 1e-12))
        return np.where(X.min(axis=1) > 0, np.sum(-0.5 * (logs / scales) ** 2 - logs, axis=1), -60.0)

    return Inputs(lambda rng, n, size: np.exp(rng.standard_normal((n, size)) * scales), log_density)


def arm(width: float = 0.7) -> Inputs:
    """Two links of a robot arm: the first about one direction of the plane, the second at most 60 degrees from it."""

    def draw(rng: np.random.Generator, n: int, size: int) -> Array:
        base = width * rng.standard_normal(n)
        angles = np.stack([base, base + rng.uniform(-1, 1, n)], axis=1)
        lengths = np.array([1.0, 0.7]) + 0.1 * rng.standard_normal((n, 2))
        return np.asarray((lengths[..., None] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)).reshape(n, size))

    def log_density(X: Array) -> Array:
        wrapped = angle(X) + 2 * np.pi * np.arange(-2, 3)
        return np.asarray(np.log(np.exp(-0.5 * (wrapped / width) ** 2).sum(axis=1) + 1e-30))

    return Inputs(draw, log_density)


# Maps.


def _conjugate_power(v: Array, power: int, phase: float = 0.0) -> Array:
    """A power of the conjugate of a complex number, times a phase; the plane as complex numbers."""
    theta = phase - power * angle(v)
    return np.asarray(norm(v) ** power * np.concatenate([np.cos(theta), np.sin(theta)], axis=-1))


def _deviator(P: Array) -> Array:
    """The symmetric part of a matrix, without its trace."""
    S = (P + P.swapaxes(1, 2)) / 2
    return np.asarray(S - np.eye(3) * np.trace(S, axis1=1, axis2=2)[:, None, None] / 3)


def _radial_return(P: Array) -> Array:
    """Stress of a material that yields where the deviator is large."""
    D = _deviator(P)
    return np.asarray(D * np.minimum(1.0, 1.5 / np.sqrt(np.sum(D * D, axis=(1, 2), keepdims=True))) + 0.2 * P)


def _nearest(P: Array) -> Array:
    """The difference to the nearer of two points."""
    first, second = P[:, 1] - P[:, 0], P[:, 2] - P[:, 0]
    return np.where(norm(first) < norm(second), first, second)


def _corners(P: Array) -> Array:
    """The largest of three projections at 120 degrees."""
    return np.asarray((P[:, 0] @ np.array([[0.0, 0.75**0.5, -(0.75**0.5)], [1.0, -0.5, -0.5]])).max(-1, keepdims=True))


def _speckle(wavelength: float) -> Callable[[Array], Array]:
    """Six waves of one wavelength in random directions of the plane, even under x to -x."""
    theta = np.random.default_rng(6).uniform(0, np.pi, 6)
    waves = 2 * np.pi / wavelength * np.stack([np.cos(theta), np.sin(theta)])
    return lambda P: np.cos(P[:, 0] @ waves) @ np.array([[1.0], [-1.0], [1.0], [-1.0], [1.0], [-1.0]])


def _standing_waves(P: Array, count: int = 7, k: float = 6.0) -> Array:
    theta = 2 * np.pi * np.arange(count) / count
    return np.asarray(np.sin(k * P[:, 0] @ np.stack([np.cos(theta), np.sin(theta)])).sum(axis=-1, keepdims=True))


def _runge_lenz(P: Array) -> Array:
    """The vector from a focus of an orbit to its pericentre, softened."""
    r, p = P[:, 0], P[:, 1]
    return np.asarray(sq(p) * r - inner(r, p) * p - r / np.sqrt(0.2 + sq(r)))


def _cubic_stiffness(P: Array) -> Array:
    """The part of a cubic crystal's stress that isotropic materials do not have."""
    D = _deviator(P)
    return np.asarray(5 * np.eye(3) * D - 2 * D)


def _spin_step(P: Array) -> Array:
    """A magnetic moment that precesses about a field and relaxes to it, a short time later."""
    m, torque = P[:, 0], np.cross(P[:, 0], P[:, 1])
    return np.asarray(m + 0.1 * torque - 0.03 * np.cross(m, torque))


def _foucault_step(P: Array) -> Array:
    x, v = P[:, 0], P[:, 1]
    return np.stack([x + 0.1 * v, v + 0.1 * (0.6 * rotate(v) * sq(x) - x - 0.3 * x * sq(x))], axis=1)


def _bounce_step(P: Array) -> Array:
    """A ball above an elastic floor, with drag."""
    x, v = P[:, 0], P[:, 1]
    return np.stack([x + 0.1 * v, v - 0.03 * norm(v) * v + 0.8 * np.maximum(0.0, -x[:, 2:]) * Z], axis=1)


def _threefold(P: Array) -> Array:
    """Squares of coordinates across the diagonal, without those parts that all rotations about it have."""
    across = P[:, 0] - P[:, 0].mean(axis=-1, keepdims=True)
    return np.asarray(0.1 * (across**2 - (across**2).mean(axis=-1, keepdims=True)))


def _pairs_of_points(P: Array) -> Array:
    """A sum over pairs of equal particles."""
    gaps = sq(P[:, :, None] - P[:, None])
    return np.asarray(np.exp(-0.5 * gaps).sum(axis=(1, 2)))


def _det(P: Array, i: int, j: int) -> Array:
    return np.asarray(P[:, i, :1] * P[:, j, 1:2] - P[:, i, 1:2] * P[:, j, :1])


def _hermitian(P: Array) -> tuple[Array, Array]:
    """Inner product and determinant of two Jones vectors."""
    a, b = P[:, 0, :2] + 1j * P[:, 0, 2:], P[:, 1, :2] + 1j * P[:, 1, 2:]
    return np.sum(a.conj() * b, axis=-1, keepdims=True), a[:, :1] * b[:, 1:] - a[:, 1:] * b[:, :1]


def _triangle(P: Array) -> Array:
    """The force of two points on a third one and the normal of their triangle, in homogeneous coordinates."""
    first, second = P[:, 1, :3] - P[:, 0, :3], P[:, 2, :3] - P[:, 0, :3]
    force = first / (1 + sq(first)) + second / (1 + sq(second)) + 0.4 * np.cross(first, second)
    return join(force, zeros(P, 1))


SMOOTH = (
    Target(
        *head("refraction", "smooth", "2V", "V", "O(3)", "O(2)@(1,2,2)", "SO(2)@z"),
        lambda P: P[:, 0] / np.sqrt(1 + sq(P[:, 0])) - inner(P[:, 0], P[:, 1]) * P[:, 1] / (1 + sq(P[:, 1])),
        lambda P: inner(P[:, 0], OBLIQUE) * OBLIQUE,
    ),
    Target(
        *head("symmetric top", "smooth", "V", "V", "SO(2)@z", "C(2)@z", "O(2)@z"),
        lambda P: np.cross(P[:, 0], P[:, 0] * [1.0, 1.0, 0.4]) - 0.2 * P[:, 0],
        lambda P: np.cross(P[:, 0], P[:, 0] * X3),
    ),
    Target(
        *head("diamagnetic energy", "smooth", "2V", "S", "O(3)", "O(2)@z", "O(2)@x"),
        lambda P: sq(np.cross(P[:, 0], P[:, 1])) / (1 + sq(P[:, 0])),
        lambda P: np.cross(P[:, 0], P[:, 1]) ** 2 @ np.array([[-1.0], [-1.0], [2.0]]) / (1 + sq(P[:, 0])),
    ),
    Target(
        *head("ellipsoid in a shear", "smooth", "2V", "V", "O(3)", "O(1)@3[2]", "SO(2)@z"),
        lambda P: P[:, 0] / (1 + 0.1 * sq(P[:, 0])) + 0.5 * P[:, 1] * inner(P[:, 0], P[:, 1]) / (1 + sq(P[:, 1])),
        lambda P: P[:, 0, 1:2] * X3,
    ),
    Target(
        *head("coma of a lens", "smooth", "V", "V", "O(2)", "O(1)@2[1]", "C(3)"),
        lambda P: -P[:, 0] / (1 + 0.3 * sq(P[:, 0])),
        lambda P: join(3 * P[:, 0, :1] ** 2 + P[:, 0, 1:] ** 2, 2 * P[:, 0, :1] * P[:, 0, 1:]),
        dim=2,
    ),
    Target(
        *head("pericentre of an orbit", "smooth", "2V", "V", "O(3)", "O(2)@z", "Octahedral()"),
        _runge_lenz,
        lambda P: P[:, 0, 2:] * (1 + sq(P[:, 1])) * Z,
    ),
    Target(
        *head("two planes", "smooth", "V", "S", "SO(2)@4[0,1]", "SO(2)@4[2,3]", "O(1)@4[0]"),
        lambda P: sq(P[:, 0, :2]) * np.tanh(P[:, 0, 2:3]) + P[:, 0, 3:],
        lambda P: P[:, 0, :1] * P[:, 0, 3:],
        dim=4,
    ),
)
KINKED = (
    Target(
        *head("radial return", "kinked", "T(2)", "T(2)", "O(3)", "O(2)@z", "SO(2)@x"),
        _radial_return,
        lambda P: np.abs(P[:, 2:, 2:]) * np.outer(Z, Z),
    ),
    Target(
        *head("thrusters", "kinked", "2V", "V", "O(3)", "O(2)@x", "O(1)@3[1]"),
        lambda P: P[:, 0] / norm(P[:, 0]) * np.where(norm(P[:, 0]) > norm(P[:, 1]), 1.0, 0.2),
        lambda P: np.sign(P[:, 1, :1]) * X3,
    ),
    Target(
        *head("Manhattan length", "kinked", "V", "S", "Octahedral()", "O(3)", "S(3)"),
        lambda P: np.abs(P[:, 0]).sum(-1, keepdims=True),
        lambda P: np.maximum(P[:, 0, :1], 0.3 * P[:, 0, 1:2]),
    ),
    Target(
        *head("winner takes all", "kinked", "V", "V", "S(4)", "A(4)", "Z(4)"),
        lambda P: np.maximum(0.0, 4 * P[:, 0] - P[:, 0].sum(-1, keepdims=True)),
        lambda P: np.abs(np.roll(P[:, 0], -1, axis=-1)) - np.abs(np.roll(P[:, 0], 1, axis=-1)),
        dim=4,
    ),
    Target(
        *head("triangular pit", "kinked", "V", "S", "D(3)", "C(3)", "C(6)"),
        _corners,
        lambda P: norm(P[:, 0]) * np.clip(3 * np.cos(3 * angle(P[:, 0])), -1, 1),
        dim=2,
    ),
    Target(
        *head("ratchet", "kinked", "V", "S", "O(1)@2[0]", "O(1)@2[1]", "C(2)"),
        lambda P: np.abs(P[:, 0, :1]) + np.maximum(P[:, 0, 1:], 0.0),
        lambda P: np.clip(P[:, 0, :1], -0.5, 0.8),
        dim=2,
    ),
    Target(
        *head("nearer of two points", "kinked", "3V", "V", "O(3)", "SO(3)", "O(2)@z"),
        _nearest,
        lambda P: np.maximum(0.0, P[:, 0, 2:]) * Z,
    ),
)
ROUGH = (
    *(
        Target(
            *head(f"speckle of wavelength {w:g}", "rough", "V", "S", "O(2)", "C(2)"),
            lambda P: np.exp(-0.3 * sq(P[:, 0])),
            _speckle(w),
            dim=2,
            wavelength=w,
            levels=FEW,
        )
        for w in (1.8, 0.9, 0.45)
    ),
    Target(
        *head("spiral waves", "rough", "V", "S", "SO(2)", "C(2)", "O(2)"),
        lambda P: np.cos(2 * np.pi * norm(P[:, 0]) / 1.3),
        lambda P: np.cos(2 * np.pi * norm(P[:, 0]) / 1.3 - 2 * angle(P[:, 0])),
        dim=2,
        wavelength=1.3,
        levels=FEW,
    ),
    Target(
        *head("egg crate", "rough", "V", "V", "O(3)", "C(4)@z", "SO(2)@z"),
        lambda P: P[:, 0] / (1 + 0.2 * sq(P[:, 0])),
        lambda P: np.cos(2 * np.pi * P[:, 0, :2] / 2.2).sum(-1, keepdims=True) * Z,
        wavelength=2.2,
        levels=FEW,
    ),
    Target(
        *head("chirp along one axis", "rough", "V", "S", "SO(3)", "O(1)@3[0]", "O(2)@x"),
        lambda P: norm(P[:, 0]) * np.exp(-0.1 * sq(P[:, 0])),
        lambda P: np.cos(2 * P[:, 0, :1] ** 2),
        wavelength=1.57,
        levels=FEW,
    ),
    Target(
        *head("chessboard", "rough", "V", "S", "SO(2)", "C(2)", "C(4)"),
        lambda P: 1 / (1 + sq(P[:, 0])),
        lambda P: (-1.0) ** np.floor(P[:, 0] / 0.8).sum(-1, keepdims=True),
        dim=2,
        wavelength=1.6,
        levels=FEW,
    ),
    Target(
        *head("bump at one place", "rough", "V", "S", "O(2)", "C(2)", "O(1)@2[1]"),
        lambda P: np.log(1 + sq(P[:, 0])),
        lambda P: np.exp(-0.5 * sq(P[:, 0] - [1.1, 0.0]) / 0.3**2),
        dim=2,
        wavelength=1.2,
        levels=FEW,
    ),
)
FINITE = (
    Target(
        *head("stiffness of a cubic crystal", "finite", "T(2)", "T(2)", "O(3)", "Octahedral()", "SO(2)@(1,1,1)"),
        lambda P: _deviator(P) + 0.5 * np.eye(3) * np.tanh(np.trace(P, axis1=1, axis2=2))[:, None, None],
        _cubic_stiffness,
    ),
    Target(
        *head("polar crystal", "finite", "V", "V", "SO(2)@z", "C(6)@z", "C(4)@z"),
        lambda P: P[:, 0] * [1.0, 1.0, 0.0] + 0.5 * np.cross(Z, P[:, 0]) + 0.5 * P[:, 0, 2:] ** 2 * Z,
        lambda P: harmonic(P[:, 0], 6, 0.5) * Z,
        wavelength=1.3,
    ),
    Target(
        *head("seven standing waves", "finite", "V", "S", "SO(2)", "C(7)", "C(14)"),
        lambda P: np.tanh(norm(P[:, 0])),
        _standing_waves,
        dim=2,
        wavelength=1.05,
    ),
    Target(
        *head("tetrahedral field", "finite", "V", "S", "SO(3)", "S(3)", "Octahedral()"),
        lambda P: np.log(1 + sq(P[:, 0])),
        lambda P: np.prod(P[:, 0], axis=-1, keepdims=True) / (1 + sq(P[:, 0])),
        wavelength=3.3,
    ),
    Target(
        *head("icosahedral stress", "finite", "V", "T(2)", "SO(3)", "Icosahedral()", "Octahedral()"),
        lambda P: outer(P[:, 0], P[:, 0]) / (1 + sq(P[:, 0]))[..., None],
        lambda P: (icosahedral(P[:, 0]) / (1 + sq(P[:, 0])))[..., None] * outer(P[:, 0], P[:, 0]),
        wavelength=1.6,
    ),
    Target(
        *head("product of four coordinates", "finite", "V", "S", "SO(4)", "S(4)", "A(4)"),
        lambda P: np.exp(-0.2 * sq(P[:, 0])),
        lambda P: np.prod(P[:, 0], axis=-1, keepdims=True) / (1 + sq(P[:, 0])),
        dim=4,
    ),
    Target(
        *head("gear of 13 teeth", "finite", "V", "S + V", "SO(2)", "C(13)", "C(12)"),
        lambda P: join(norm(P[:, 0]), rotate(P[:, 0]) / (1 + norm(P[:, 0]))),
        lambda P: join(zeros(P, 1), rotate(P[:, 0]) * np.sign(np.cos(13 * angle(P[:, 0])))),
        dim=2,
        wavelength=0.57,
    ),
)
SLAVED = np.eye(6) + np.diag([0.0, 0, 0, 0, 0, -0.7]) + 0.9 * np.eye(6)[:, [5]] @ np.eye(6)[[2]]
UNEVEN = (
    Target(
        *head("three clusters", "uneven", "V", "S", "SO(2)", "C(3)", "O(2)"),
        lambda P: np.tanh(sq(P[:, 0]) - 1.5),
        lambda P: harmonic(P[:, 0], 3),
        dim=2,
        inputs=clusters(),
        levels=(0.0, 0.1, 0.2, 0.4, 0.6),
    ),
    Target(
        *head("cloud above the origin", "uneven", "V", "V", "O(3)", "SO(2)@z", "SO(2)@x"),
        lambda P: -P[:, 0] / (1 + 0.3 * sq(P[:, 0])),
        lambda P: P[:, 0, 2:] * Z,
        inputs=normal_with((0.5, 0.5, 0.5), (0.0, 0.0, 1.5)),
    ),
    Target(
        *head("elliptic heavy tails", "uneven", "V", "S", "O(2)", "O(1)@2[0]", "C(4)"),
        lambda P: norm(P[:, 0]) / (1 + norm(P[:, 0])),
        lambda P: (P[:, 0, :1] ** 2 - P[:, 0, 1:] ** 2) / (1 + sq(P[:, 0])),
        dim=2,
        inputs=elliptic_t((2.0, 0.6)),
    ),
    Target(
        *head("points of a spiral", "uneven", "V", "S", "SO(2)", "C(2)"),
        lambda P: np.sin(2 * norm(P[:, 0])),
        lambda P: P[:, 0, :1],
        dim=2,
        inputs=spiral(),
        levels=(0.0, 0.4, 0.7),
    ),
    Target(
        *head("velocity that follows height", "uneven", "2V", "V", "O(3)", "O(2)@z", "O(2)@x"),
        lambda P: 0.3 * P[:, 0] - norm(P[:, 1]) * P[:, 1],
        lambda P: P[:, 0, 2:] * Z,
        inputs=normal_with((1.0,), mixing=SLAVED),
    ),
    Target(
        *head("concentrations", "uneven", "V", "S", "S(3)", "A(3)", "O(1)@3[0]"),
        lambda P: (P[:, 0] ** 2 / (1 + P[:, 0] ** 2)).sum(-1, keepdims=True),
        lambda P: np.tanh(P[:, 0, :1]),
        inputs=log_normal((0.3, 0.6, 0.9)),
    ),
    Target(
        *head("end of a robot arm", "uneven", "2V", "V", "SO(2)", "C(4)", "O(2)"),
        lambda P: P[:, 0] + P[:, 1] * inner(P[:, 0], P[:, 1]) + 0.4 * rotate(P[:, 1]),
        lambda P: (P[:, 0, :1] + P[:, 1, :1]) * [0.0, -1.0],
        dim=2,
        inputs=arm(),
        levels=(0.0, 0.1, 0.2, 0.4, 0.6),
    ),
)
STEP = (0.0, 0.05, 0.1, 0.2, 0.4, 0.7)
NEAR_IDENTITY = (
    Target(
        *head("precession of a spin", "near-identity", "2V", "V", "SO(3)", "SO(2)@z", "O(3)"),
        _spin_step,
        lambda P: 0.1 * P[:, 0, 2:] * np.cross(P[:, 0], Z),
        levels=STEP,
        residual=True,
    ),
    Target(
        *head("rock, paper, scissors", "near-identity", "V", "V", "Z(3)", "S(3)", "SO(3)"),
        lambda P: P[:, 0] * (1 + 0.1 * (np.roll(P[:, 0], -1, axis=-1) - np.roll(P[:, 0], 1, axis=-1))),
        lambda P: 0.1 * P[:, 0, :1] ** 2 * X3,
        levels=STEP,
        residual=True,
    ),
    Target(
        *head("Foucault's pendulum", "near-identity", "2V", "2V", "SO(2)", "O(2)", "C(2)"),
        _foucault_step,
        lambda P: np.stack([0 * P[:, 0], -0.1 * P[:, 0, :1] * [1.0, 0.0]], axis=1),
        dim=2,
        levels=STEP,
        residual=True,
    ),
    Target(
        *head("deformation over a short time", "near-identity", "T(2)", "T(2)", "O(3)", "O(2)@z", "Octahedral()"),
        lambda P: P + 0.03 * P @ P.swapaxes(1, 2) @ P,
        lambda P: 0.1 * outer(np.broadcast_to(Z, (len(P), 3)), P[:, 2]),
        levels=STEP,
        residual=True,
    ),
    Target(
        *head("bouncing ball", "near-identity", "2V", "2V", "O(2)@z", "O(3)", "C(4)@z"),
        _bounce_step,
        lambda P: np.stack([0 * P[:, 0], 0.1 * (1 + norm(P[:, 1])) * X3], axis=1),
        levels=STEP,
        residual=True,
    ),
    Target(
        *head("drift about the diagonal", "near-identity", "V", "V", "SO(2)@(1,1,1)", "Z(3)", "SO(3)"),
        lambda P: P[:, 0] + 0.1 * np.cross(DIAGONAL, P[:, 0]) / (1 + sq(P[:, 0])),
        _threefold,
        levels=STEP,
        residual=True,
    ),
)
MAGNET = Target(
    *head("magnet in a field", "outliers", "V", "V", "O(3)", "O(2)@z", "Octahedral()"),
    lambda P: P[:, 0] / norm(P[:, 0]) * (1 / np.tanh(norm(P[:, 0]) + 0.01) - 1 / (norm(P[:, 0]) + 0.01)),
    lambda P: np.tanh(P[:, 0, 2:]) * Z,
    inputs=spherical_t(),
    levels=FEW,
    noise="t2",
)
OUTLIERS = (
    MAGNET,
    *(
        target.again("outliers", noise="t2", levels=FEW)
        for target in (SMOOTH[0], SMOOTH[4], KINKED[4], KINKED[6], FINITE[2])
    ),
)
HETEROSCEDASTIC = (
    Target(
        *head("sound of a moving source", "heteroscedastic", "S + V", "S", "O(3)", "O(1)@3[1]", "SO(2)@z"),
        lambda X: X[:, :1] * np.log(1 + sq(X[:, 1:])),
        lambda X: X[:, 1:2] * np.tanh(1 + X[:, :1]),
        dim=0,
        noise="first column",
        levels=FEW,
    ),
    SMOOTH[1].again("heteroscedastic", noise="outputs", levels=FEW),
    SMOOTH[2].again("heteroscedastic", noise="inputs", levels=FEW),
    SMOOTH[3].again("heteroscedastic", noise="first column", levels=FEW),
    KINKED[3].again("heteroscedastic", noise="outputs", levels=FEW),
    FINITE[1].again("heteroscedastic", noise="inputs", levels=FEW),
)
DISCRETE = (
    Target(
        *head("ring of spins", "discrete", "V", "S", "Z(6)", "S(6)", "A(6)"),
        lambda P: (P[:, 0] * (np.roll(P[:, 0], 1, axis=-1) + 0.3)).sum(-1, keepdims=True),
        lambda P: P[:, 0, :1] * (1 + P[:, 0, 2:3]),
        dim=6,
        inputs=choices((-1.0, 1.0)),
        levels=FEW,
    ),
    Target(
        *head("sites of a lattice", "discrete", "V", "S", "Octahedral()", "S(3)", "O(3)"),
        lambda P: np.tanh(0.5 * P[:, 0] ** 2).sum(-1, keepdims=True),
        lambda P: P[:, 0, :1] - 0.5 * P[:, 0, 1:2],
        inputs=grid(1.0),
        levels=FEW,
    ),
    Target(
        *head("four dice", "discrete", "V", "S", "S(4)", "Z(4)", "O(1)@4[0]"),
        lambda P: P[:, 0].max(-1, keepdims=True) + 0.1 * np.sqrt(np.abs(np.prod(P[:, 0], axis=-1, keepdims=True))),
        lambda P: P[:, 0, 1:2],
        dim=4,
        inputs=choices((1.0, 2.0, 3.0, 4.0, 5.0, 6.0)),
        levels=FEW,
    ),
    Target(
        *head("twelve bearings", "discrete", "V", "S", "SO(2)", "C(4)", "C(12)"),
        lambda P: np.tanh(norm(P[:, 0])),
        lambda P: harmonic(P[:, 0], 4, 0.6),
        dim=2,
        inputs=bearings(12, (0.5, 1.0, 1.5, 2.0)),
        levels=FEW,
    ),
    Target(
        *head("repeated stress", "discrete", "V", "T(2)", "O(3)", "O(2)@x", "SO(2)@y"),
        lambda P: outer(P[:, 0], P[:, 0]) / np.sqrt(1 + sq(P[:, 0]))[..., None],
        lambda P: np.tanh(P[:, 0, :1, None]) ** 2 * np.outer(X3, X3),
        inputs=repeated(5, normal_with((1.3, 1.0, 0.7))),
        levels=FEW,
    ),
    Target(
        *head("coarse sensor of a pair", "discrete", "2V", "S", "SO(2)", "O(2)", "C(2)"),
        lambda P: _det(P, 0, 1) / (1 + sq(P[:, 0] - P[:, 1])),
        lambda P: P[:, 0, :1] * P[:, 1, 1:] + P[:, 0, 1:] * P[:, 1, :1],
        dim=2,
        inputs=grid(0.3),
        levels=FEW,
    ),
)
SMALL_BLOCK = (
    Target(
        *head("stress and a little heat", "small-block", "V", "S + T(2)", "O(3)", "O(2)@z", "SO(2)@x"),
        lambda P: join(0.01 * norm(P[:, 0]), 3 * outer(P[:, 0], P[:, 0])),
        lambda P: join(0.01 * P[:, 0, 2:], zeros(P, 9)),
        levels=FEW,
    ),
    Target(
        *head("position and a small angle", "small-block", "2V", "V + S", "SO(2)", "C(2)", "O(2)"),
        lambda P: join(20 * (P[:, 0] - P[:, 1] * sq(P[:, 0])), np.tanh(_det(P, 0, 1))),
        lambda P: join(zeros(P, 2), P[:, 0, :1] * P[:, 1, :1] - P[:, 0, 1:] * P[:, 1, 1:]),
        dim=2,
        levels=FEW,
    ),
    Target(
        *head("force, torque and energy", "small-block", "2V", "2V + S", "SO(3)", "SO(2)@y", "O(1)@3[0]"),
        lambda P: join(P[:, 0] - P[:, 1], 0.005 * np.cross(P[:, 0], P[:, 1]), 100 * sq(P[:, 0] - P[:, 1])),
        lambda P: join(zeros(P, 3), 0.005 * np.cross(P[:, 0], Y3), zeros(P, 1)),
        levels=FEW,
    ),
    Target(
        *head("small hexagon", "small-block", "V", "2V", "SO(2)", "C(6)", "C(4)"),
        lambda P: join(P[:, 0] * np.cos(norm(P[:, 0])), 0.02 * P[:, 0]),
        lambda P: join(zeros(P, 2), 0.02 * _conjugate_power(P[:, 0], 5) / (1 + sq(P[:, 0])) ** 2),
        dim=2,
        wavelength=1.4,
        levels=FEW,
    ),
    Target(
        *head("strain and a small axial vector", "small-block", "T(2)", "T(2) + V", "SO(3)", "SO(2)@z", "O(3)"),
        lambda P: join(
            P @ P, 0.03 * np.stack([(P - P.swapaxes(1, 2))[:, i, j] for i, j in ((1, 2), (2, 0), (0, 1))], 1)
        ),
        lambda P: join(zeros(P, 9), 0.03 * P[:, 2, 2:] * Z),
        levels=FEW,
    ),
    Target(
        *head("four and one small sum", "small-block", "V", "V + S", "S(4)", "A(4)", "Z(4)"),
        lambda P: join(P[:, 0] * sq(P[:, 0]), 0.1 * np.sin(P[:, 0]).sum(-1, keepdims=True)),
        lambda P: join(zeros(P, 4), 0.1 * (P[:, 0, 0:1] - P[:, 0, 1:2] + P[:, 0, 2:3] - P[:, 0, 3:]) ** 2),
        dim=4,
        levels=FEW,
    ),
)
SMALL_N = tuple(
    target.again("small-n", noise="normal", rows=(12, 20, 30), levels=(0.0, 0.1, 0.4, 0.7))
    for target in (SMOOTH[2], SMOOTH[4], KINKED[5], FINITE[0], FINITE[2], MAGNET)
)
METRIC = np.array([-1.0, 1.0, 1.0, 1.0])
GROUPS = (
    Target(
        *head("rotations in another metric", "groups", "V", "S", "SO(2)@[[2,0],[0,1]]", "SO(2)", "C(2)"),
        lambda P: np.tanh(sq(P[:, 0] * [0.5, 1.0])),
        lambda P: P[:, 0, :1] * P[:, 0, 1:],
        dim=2,
        levels=BROKEN,
    ),
    Target(
        *head("two areas", "groups", "3V", "S", "SL(2)", "O(2)", "SO(2)"),
        lambda P: _det(P, 0, 1) * _det(P, 1, 2) / np.sqrt(1 + _det(P, 0, 1) ** 2),
        lambda P: sq(P[:, 0]),
        dim=2,
        levels=BROKEN,
    ),
    Target(
        *head("four-vectors", "groups", "2V", "V", "Lorentz()", "SO(3)@4[1,2,3]", "O(4)"),
        lambda P: P[:, 1] + 0.3 * inner(P[:, 0] * METRIC, P[:, 1]) * P[:, 0],
        lambda P: P[:, 1, :1] * [1.0, 0.0, 0.0, 0.0],
        dim=4,
        levels=BROKEN,
    ),
    Target(
        *head("homogeneous and isotropic", "groups", "2V", "V", "Scaling(3) | O(3)", "Scaling(3)", "O(3)"),
        lambda P: P[:, 0] * norm(P[:, 1]) / (norm(P[:, 0]) + norm(P[:, 1])) - 0.3 * P[:, 1],
        lambda P: P[:, 0] * sq(P[:, 0]),
        levels=BROKEN,
    ),
    Target(
        *head("normal of a triangle", "groups", "3V", "V", "SE(3)", "Translation(3)", "E(3)"),
        _triangle,
        lambda P: (P[:, 1, 2:3] - P[:, 0, 2:3]) * [0.0, 0.0, 1.0, 0.0],
        dim=4,
        inputs=homogeneous((True, True, True), dim=3),
        levels=BROKEN,
    ),
    Target(
        *head(
            "equal particles of the plane",
            "groups",
            "4x(V)",
            "S",
            "O(2) * S(4)",
            "O(2) * Trivial(4)",
            "Trivial(2) * S(4)",
        ),
        _pairs_of_points,
        lambda P: (P[..., 0] ** 2 - P[..., 1] ** 2).sum(-1, keepdims=True),
        dim=2,
    ),
    Target(
        *head("icosahedral, not octahedral", "groups", "V", "S", "Icosahedral()", "Octahedral()", "SO(3)"),
        lambda P: norm(P[:, 0]) + 3 * icosahedral(P[:, 0]),
        lambda P: P[:, 0, 2:] * norm(P[:, 0]),
    ),
    Target(
        *head("interference of two beams", "groups", "2V", "S", "U(2)", "SU(2)", "O(4)"),
        lambda P: np.abs(_hermitian(P)[0]) ** 2 / (1 + sq(P[:, 0])),
        lambda P: _hermitian(P)[1].real,
        dim=4,
    ),
    Target(
        *head("starfish", "groups", "V", "V", "D(5)", "C(5)", "C(10)"),
        lambda P: P[:, 0] + _conjugate_power(P[:, 0], 4, np.pi / 2) / (1 + sq(P[:, 0])) ** 1.5,
        lambda P: _conjugate_power(P[:, 0], 4) / (1 + sq(P[:, 0])) ** 1.5,
        dim=2,
    ),
    Target(
        *head("reflection, disc and two more", "groups", "V", "S", "O(1)@5[0]", "O(2)@5[1,2]", "SO(2)@5[3,4]"),
        lambda P: P[:, 0, :1] ** 2 * norm(P[:, 0, 1:3]) + P[:, 0, 3:4] - np.tanh(P[:, 0, 4:]),
        lambda P: P[:, 0, :1] * P[:, 0, 3:4],
        dim=5,
    ),
    Target(
        *head("circular filter", "groups", "V", "V", "Z(5)", "S(5)", "A(5)"),
        lambda P: np.tanh(2 * np.roll(P[:, 0], 1, axis=-1)) + 0.4 * P[:, 0],
        lambda P: P[:, 0, 3:4] * np.eye(5)[3],
        dim=5,
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
