r"""Target functions whose symmetries are known, in graded steps of breaking them.

A :class:`Target` is a pair of maps: one that has the symmetry of the first candidate, s, and one that breaks it, b. Its variants

.. math:: t = s + c\, b

have the relative violation :math:`a = |t - P_G t| / |t|` that is asked for; c follows from it
(:mod:`softsym_lab.benchmarks.calibration.truth`). Target functions stand in strata, which are scored one by one, and inputs have
distributions of their own.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from softsym.typing import Array

LEVELS = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
"""Relative violations of the variants of a target; the largest is lowered to what the target can reach."""
BROKEN = (0.0, 0.9)
"""Exact and clearly broken: for groups that have no Haar probability, where 0.9 is the share of the breaking part."""
STRATA = {
    "smooth": "polynomials, saturating functions and ordinary mechanics, even inputs",
    "kinked": "absolute values, maxima, sorting, norms, steps of the slope",
    "rough": "violations of short wavelength",
    "finite": "targets that have only a finite subgroup of a continuous candidate",
    "uneven": "ellipses, half planes, shifted clouds, confounded columns, arcs of one orbit",
    "near-identity": "states to states a short time later",
    "outliers": "noise of Student's t with two degrees of freedom",
    "heteroscedastic": "noise that grows with inputs or outputs",
    "discrete": "inputs on grids, integers, repeated inputs",
    "small-block": "a small output that breaks the symmetry next to a large one that has it",
    "small-n": "12, 20 and 30 rows",
    "groups": "other groups: permutations, cyclic and dihedral ones, O(5), SL, Lorentz, scalings, translations",
    "recorded": "target functions and tasks of earlier calibrations, in random coordinates",
}
"""Strata and what stands in them."""


@dataclass(frozen=True)
class Inputs:
    """A distribution of inputs.

    Args:
        draw: Random generator, rows and columns to inputs (n, size).
        log_density: Inputs to logarithms of their density up to a constant; None if it is the same on whole orbits.
    """

    draw: Callable[[np.random.Generator, int, int], Array]
    log_density: Callable[[Array], Array] | None = None


@dataclass(frozen=True)
class Target:
    """A family of target functions.

    Args:
        name: What it is.
        stratum: One of :data:`STRATA`.
        rep_in: How inputs transform.
        rep_out: How outputs transform.
        candidates: Candidate groups; the violations of the variants are those of the first.
        symmetric: Inputs (n, copies, dim) to outputs; has the first candidate's symmetry.
        broken: The same, without it.
        dim: Of the vectors; 0 for inputs as they are, (n, size).
        inputs: Distribution of the inputs.
        levels: Relative violations of the variants.
        noise: ``normal``, ``t2`` (outliers), ``inputs``, ``outputs`` or ``first column`` (standard deviation grows with their size).
        wavelength: Shortest wavelength of the violation at typical inputs.
        residual: Whether levels and noise are relative to what the best equivariant linear map leaves.
        rows: Rows to run it with instead of those asked for; empty for these.
        rotated: Whether it is always run in random coordinates.
        fates: A letter for each candidate: broken in steps (b), kept by all variants (k), never there (n); empty if not said.
    """

    name: str
    stratum: str
    rep_in: str
    rep_out: str
    candidates: tuple[str, ...]
    symmetric: Callable[[Array], Array]
    broken: Callable[[Array], Array] | None = None
    dim: int = 3
    inputs: Inputs | None = None
    levels: tuple[float, ...] = LEVELS
    noise: str = "normal"
    wavelength: float = math.inf
    residual: bool = False
    rows: tuple[int, ...] = ()
    rotated: bool = False
    fates: str = ""

    def parts(self, X: Array) -> Array:
        """Both maps at inputs (n, size): shape (2, n, size of ``rep_out``)."""
        P = X.reshape(len(X), -1, self.dim) if self.dim else X
        s = self.symmetric(P)
        b = np.zeros_like(s) if self.broken is None else self.broken(P)
        return np.stack([np.asarray(one, dtype=np.float64).reshape(len(X), -1) for one in (s, b)])

    def again(self, stratum: str, name: str = "", **changes: object) -> Target:
        """The target in another stratum, with changes."""
        return replace(self, stratum=stratum, name=name or f"{self.name}, {stratum}", **changes)  # type: ignore[arg-type]


def read_target(
    text: str, symmetric: Callable[[Array], Array], broken: Callable[[Array], Array], **others: Any
) -> Target:
    """A target whose name, stratum, representations and candidates with their fates are one text."""
    name, stratum, types, candidates = text.split(" | ", 3)
    rep_in, rep_out = types.split(" -> ")
    groups, _, fates = zip(*(one.rpartition(" ") for one in candidates.split(", ")), strict=True)
    return Target(name, stratum, rep_in, rep_out, groups, symmetric, broken, fates="".join(fates), **others)


# Inputs.


def normal() -> Inputs:
    """Standard normal: even under every orthogonal group."""
    return Inputs(lambda rng, n, size: rng.standard_normal((n, size)))


def ball(radius: float = 2.0) -> Inputs:
    """Normal directions of all columns together, radii uniform in (0, ``radius``)."""

    def draw(rng: np.random.Generator, n: int, size: int) -> Array:
        X = rng.standard_normal((n, size))
        return X / np.linalg.norm(X, axis=1, keepdims=True) * rng.uniform(0.05, radius, (n, 1))

    return Inputs(draw)


def box(half: float = 1.7) -> Inputs:
    """Uniform in a cube: even under permutations, not under rotations."""

    def log_density(X: Array) -> Array:
        return np.where(np.abs(X).max(axis=1) <= half, 0.0, -60.0)

    return Inputs(lambda rng, n, size: rng.uniform(-half, half, (n, size)), log_density)


def normal_with(scales: tuple[float, ...], shift: tuple[float, ...] = (), mixing: Array | None = None) -> Inputs:
    """A normal distribution with a standard deviation for each column (repeated), a shift and mixed columns."""

    def columns(size: int) -> tuple[Array, Array, Array]:
        M = np.eye(size) if mixing is None else mixing
        return np.resize(np.array(scales), size), np.resize(np.array(shift or (0.0,)), size), M

    def draw(rng: np.random.Generator, n: int, size: int) -> Array:
        scale, mean, M = columns(size)
        return (rng.standard_normal((n, size)) * scale) @ M.T + mean

    def log_density(X: Array) -> Array:
        scale, mean, M = columns(X.shape[1])
        Z = np.linalg.solve(M, (X - mean).T).T / scale
        return np.asarray(-0.5 * np.sum(Z * Z, axis=1))

    return Inputs(draw, log_density)


def half_space(column: int = 0) -> Inputs:
    """Standard normal with one column positive."""

    def draw(rng: np.random.Generator, n: int, size: int) -> Array:
        X = rng.standard_normal((n, size))
        X[:, column] = np.abs(X[:, column])
        return X

    return Inputs(draw, lambda X: np.where(X[:, column] >= 0, -0.5 * np.sum(X * X, axis=1), -60.0))


def arc(width: float = 1.0, radius: float = 1.5) -> Inputs:
    """Points of the plane near one circle, angles normal around zero: part of one orbit of SO(2)."""

    def draw(rng: np.random.Generator, n: int, size: int) -> Array:
        angle, r = width * rng.standard_normal(n), radius + 0.1 * rng.standard_normal(n)
        return np.stack([r * np.cos(angle), r * np.sin(angle)], axis=1)

    def log_density(X: Array) -> Array:
        angle = np.arctan2(X[:, 1], X[:, 0])
        wrapped = angle[:, None] + 2 * np.pi * np.arange(-2, 3)
        return np.asarray(np.log(np.exp(-0.5 * (wrapped / width) ** 2).sum(axis=1) + 1e-30))

    return Inputs(draw, log_density)


def grid(step: float = 0.5) -> Inputs:
    """Standard normal rounded to a grid."""
    return Inputs(lambda rng, n, size: np.round(rng.standard_normal((n, size)) / step) * step)


def repeated(times: int = 4, inner: Inputs | None = None) -> Inputs:
    """Every input several times over, in random order."""
    inner = inner or normal()

    def draw(rng: np.random.Generator, n: int, size: int) -> Array:
        X = inner.draw(rng, max(2, -(-n // times)), size)
        return np.asarray(rng.permutation(np.repeat(X, times, axis=0)[:n]))

    return Inputs(draw, inner.log_density)


def homogeneous(points: tuple[bool, ...], dim: int = 2, scale: float = 1.0) -> Inputs:
    """Points (last coordinate one) and displacements (zero) in homogeneous coordinates."""

    def draw(rng: np.random.Generator, n: int, size: int) -> Array:
        X = scale * rng.standard_normal((n, len(points), dim + 1))
        X[:, :, dim] = np.array(points, dtype=float)
        return np.asarray(X.reshape(n, size))

    return Inputs(draw)


def spherical_t(dof: float = 3.0) -> Inputs:
    """Normal directions with heavy tails: Student's t of all columns together."""
    return Inputs(lambda rng, n, size: rng.standard_normal((n, size)) / np.sqrt(rng.chisquare(dof, (n, 1)) / dof))


def elliptic_t(scales: tuple[float, ...], dof: float = 3.0) -> Inputs:
    """Heavy tails with a scale for each column."""

    def log_density(X: Array) -> Array:
        return np.asarray(-0.5 * (dof + len(scales)) * np.log(1 + np.sum((X / scales) ** 2, axis=1) / dof))

    return Inputs(lambda rng, n, size: spherical_t(dof).draw(rng, n, size) * scales, log_density)


def clusters(count: int = 3, radius: float = 1.3, scale: float = 0.35) -> Inputs:
    """Equal clusters on a circle of the plane."""
    angles = 2 * np.pi * np.arange(count) / count
    centres = radius * np.stack([np.cos(angles), np.sin(angles)], axis=1)

    def log_density(X: Array) -> Array:
        return np.asarray(np.logaddexp.reduce(-0.5 * sq(X[:, None] - centres)[..., 0] / scale**2, axis=1))

    return Inputs(lambda rng, n, size: rng.choice(centres, n) + scale * rng.standard_normal((n, size)), log_density)


def choices(values: tuple[float, ...]) -> Inputs:
    """Every column one of a few values."""
    return Inputs(lambda rng, n, size: rng.choice(values, (n, size)))


def bearings(count: int, radii: tuple[float, ...]) -> Inputs:
    """Points of the plane at a few angles and radii."""

    def draw(rng: np.random.Generator, n: int, size: int) -> Array:
        theta = 2 * np.pi * rng.integers(0, count, (n, 1)) / count
        return rng.choice(radii, (n, 1)) * np.hstack([np.cos(theta), np.sin(theta)])

    return Inputs(draw)


# Maps.


def sq(v: Array) -> Array:
    """Squared length, last axis kept."""
    return np.asarray(np.sum(v * v, axis=-1, keepdims=True))


def norm(v: Array) -> Array:
    """Length, last axis kept."""
    return np.asarray(np.sqrt(sq(v)))


def inner(a: Array, b: Array) -> Array:
    """Inner product, last axis kept."""
    return np.asarray(np.sum(a * b, axis=-1, keepdims=True))


def axis(k: int, dim: int = 3) -> Array:
    """A unit vector."""
    return np.asarray(np.eye(dim)[k])


def angle(v: Array) -> Array:
    """Angle in the plane of the first two coordinates, last axis kept."""
    return np.asarray(np.arctan2(v[..., 1:2], v[..., 0:1]))


def rotate(v: Array) -> Array:
    """A quarter of a rotation in the plane."""
    return np.stack([-v[..., 1], v[..., 0]], axis=-1)


def harmonic(v: Array, m: int, phase: float = 0.0) -> Array:
    """cos(m theta - phase) in the plane of the first two coordinates, without the kink at zero."""
    return np.asarray(np.cos(m * angle(v) - phase) * np.tanh(2 * norm(v[..., :2])))


def icosahedral(v: Array) -> Array:
    """The invariant of degree six of the icosahedral group, over the fifth power of the length."""
    golden = (1 + math.sqrt(5)) / 2
    x, y, z = v[..., 0:1] ** 2, v[..., 1:2] ** 2, v[..., 2:3] ** 2
    product = (golden**2 * y - x) * (golden**2 * z - y) * (golden**2 * x - z)
    mean = -(2 * golden + 1) / 21 * sq(v) ** 3  # of the product over the sphere
    return np.asarray((product - mean) / (0.1 + sq(v) ** 2.5))


def cubic(v: Array) -> Array:
    """The cubic harmonic of degree four, over the third power of the length."""
    fourth = np.sum(v**4, axis=-1, keepdims=True)
    d = v.shape[-1]
    return np.asarray((fourth - 3 / (d + 2) * sq(v) ** 2) / (0.1 + sq(v) ** 1.5))


def stripes(wavelength: float, direction: tuple[float, ...], phase: float = 0.0) -> Callable[[Array], Array]:
    """The map of a first vector to a cosine along a direction."""
    return lambda P: np.cos(2 * np.pi * (P[:, 0] @ np.array(direction)[:, None]) / wavelength - phase)


def smooth_abs(v: Array, width: float = 0.05) -> Array:
    """Nearly |v|."""
    return np.asarray(np.sqrt(v * v + width**2))


def outer(a: Array, b: Array) -> Array:
    """Products of all coordinates."""
    return np.asarray(a[..., :, None] * b[..., None, :])


def join(*blocks: Array) -> Array:
    """Blocks of outputs side by side."""
    return np.concatenate([block.reshape(len(block), -1) for block in blocks], axis=1)


def zeros(P: Array, columns: int) -> Array:
    """A block that a violation leaves alone."""
    return np.zeros((len(P), columns))
