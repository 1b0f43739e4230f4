"""Target functions on which the rule of verdicts is run once, when it is frozen: none of the three lists for changing it on.

Do not change a rule in view of them; write new ones then, and make these a list to change it on. Only their true violations were computed
while they were written.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from scipy.special import j0

from softsym.typing import Array
from softsym_lab.benchmarks.calibration.targets import (
    BROKEN,
    Inputs,
    angle,
    ball,
    bearings,
    choices,
    clusters,
    elliptic_t,
    grid,
    half_space,
    harmonic,
    homogeneous,
    icosahedral,
    inner,
    join,
    norm,
    normal_with,
    outer,
    read_target,
    repeated,
    rotate,
    spherical_t,
    sq,
    stripes,
    zeros,
)

X3, Y3, Z = np.eye(3)
GRADED, FEW = (0.0, 0.02, 0.06, 0.12, 0.25, 0.65), (0.0, 0.06, 0.13, 0.35, 0.6)
FULL, FAR = (*GRADED[:-1], 0.95), (*FEW[:-1], 0.95)
STEP = (0.0, 0.06, 0.13, 0.35, 0.8)


# Inputs.


def cone(half: float = 0.7) -> Inputs:
    """Places in space within an angle of the third axis."""

    def draw(rng: np.random.Generator, n: int, size: int) -> Array:
        z, theta = rng.uniform(np.cos(half), 1, n), rng.uniform(0, 2 * np.pi, n)
        across = np.sqrt(1 - z**2)
        sizes = norm(rng.standard_normal((n, size)))
        return np.asarray(sizes * np.stack([across * np.cos(theta), across * np.sin(theta), z], axis=1))

    return Inputs(draw, lambda X: np.where(X[:, 2] >= np.cos(half) * norm(X)[:, 0], 0.0, -60.0))


def wedge(half: float = 1.0) -> Inputs:
    """Standard normal, but for the angle of the first vector of the plane."""

    def draw(rng: np.random.Generator, n: int, size: int) -> Array:
        X, theta = rng.standard_normal((n, size)), rng.uniform(-half, half, (n, 1))
        X[:, :2] = norm(X[:, :2]) * np.hstack([np.cos(theta), np.sin(theta)])
        return X

    return Inputs(draw, lambda X: np.where(np.abs(angle(X)[:, 0]) <= half, 0.0, -60.0))


def amounts(shapes: tuple[float, ...]) -> Inputs:
    """Positive columns, each of a gamma distribution with a shape of its own."""

    def log_density(X: Array) -> Array:
        logs = np.log(np.maximum(X, 1e-12))
        return np.where(X.min(axis=1) > 0, np.sum((np.array(shapes) - 1) * logs - X, axis=1), -60.0)

    return Inputs(lambda rng, n, size: rng.gamma(shapes, size=(n, size)), log_density)


def counts(mean: float = 2.0) -> Inputs:
    """Independent counts of Poisson's distribution."""
    return Inputs(lambda rng, n, size: rng.poisson(mean, (n, size)).astype(float))


# Maps.


def _total(values: Array) -> Array:
    """Sum of the last axis, which is kept."""
    return np.asarray(values.sum(axis=-1, keepdims=True))


def _gaps(P: Array) -> Array:
    """Differences of all vectors, (n, i, j, dim): from i to j."""
    return np.asarray(P[:, None] - P[:, :, None])


def _largest_shear(P: Array) -> Array:
    """Tresca's stress: the largest difference of principal stresses."""
    values = np.linalg.eigvalsh(P + P.swapaxes(1, 2))
    return values[:, 2:] - values[:, :1]


def _slack_ropes(P: Array) -> Array:
    """The pull of two ropes that are slack up to a length."""
    gaps = P[:, 1:] - P[:, :1]
    return np.asarray((gaps * np.maximum(0.0, 1 - 1.5 / norm(gaps))).sum(axis=1))


def _hexagonal_lattice(wavelength: float) -> Callable[[Array], Array]:
    """The potential of a layer of graphene, without what all rotations leave alone."""
    angles = np.pi / 3 * np.arange(3)
    k = 2 * np.pi / wavelength
    waves = k * np.stack([np.cos(angles), np.sin(angles)])
    return lambda P: _total(np.cos(P[:, 0] @ waves)) - 3 * j0(k * norm(P[:, 0]))


def _gusts(P: Array, wavelength: float = 1.4) -> Array:
    """Random waves of one wavelength, without divergence."""
    rng = np.random.default_rng(14)
    angles, phases = rng.uniform(0, 2 * np.pi, 8), rng.uniform(0, 2 * np.pi, 8)
    across = np.stack([-np.sin(angles), np.cos(angles)])
    waves = 2 * np.pi / wavelength * np.stack([np.cos(angles), np.sin(angles)])
    return np.asarray(np.cos(P[:, 0] @ waves + phases) @ across.T)


def _spiral_arms(P: Array) -> Array:
    return np.asarray(np.cos(4 * angle(P[:, 0]) - 5 * np.log(0.2 + norm(P[:, 0]))) * np.tanh(3 * norm(P[:, 0])))


def _nine_magnets(P: Array) -> Array:
    """The field inside a ring of nine magnets, which grows outwards and levels off."""
    v = P[:, 0]
    return np.asarray(v * harmonic(v, 9) - rotate(v) * harmonic(v, 9, np.pi / 2))


def _threefold(v: Array) -> Array:
    """cos(3 theta) about the first axis."""
    return harmonic(v[..., 1:], 3)


def _chain_step(P: Array) -> Array:
    """Three masses of a plane in a row on springs with a cubic part, and friction."""
    x, v = P[:, :3], P[:, 3:]
    gaps = np.diff(x, axis=1)
    pulls = gaps * (0.5 + 0.4 * sq(gaps))
    force = np.pad(pulls, ((0, 0), (0, 1), (0, 0))) - np.pad(pulls, ((0, 0), (1, 0), (0, 0)))
    return np.concatenate([x + 0.1 * v, v + 0.1 * force - 0.02 * v], axis=1)


def _spinning_ball_step(P: Array) -> Array:
    """Velocity and spin of a ball in air."""
    v, spin = P[:, 0], P[:, 1]
    return np.stack([v - 0.1 * norm(v) * v + 0.1 * np.cross(spin, v), spin * (1 - 0.04 * norm(v))], axis=1)


def _mirror_step(P: Array) -> Array:
    """A charge in a magnetic mirror along z."""
    x, v = P[:, 0], P[:, 1]
    field = (1 + 0.5 * x[:, 2:] ** 2) * Z - 0.5 * x[:, 2:] * x * [1.0, 1.0, 0.0]
    return np.stack([x + 0.1 * v, v + 0.1 * np.cross(v, field)], axis=1)


def _vortices_step(P: Array) -> Array:
    """Two vortices of the plane that carry each other along."""
    gap = P[:, 0] - P[:, 1]
    flow = 0.2 * rotate(gap) / (0.4 + sq(gap))
    return np.stack([P[:, 0] + flow, P[:, 1] - 0.5 * flow], axis=1)


def _flock_step(P: Array) -> Array:
    """Robots that keep a distance."""
    gaps = _gaps(P)
    return np.asarray(P + 0.1 * (gaps * (1 - 2 / (0.4 + sq(gaps)))).sum(axis=2))


def _drone_step(P: Array) -> Array:
    """Velocity of a drone with a thrust."""
    v, thrust = P[:, 0], P[:, 1]
    return np.asarray(v + 0.1 * thrust * norm(thrust) - 0.1 * Z - 0.05 * norm(v) * v)


def _minkowski(a: Array, b: Array) -> Array:
    return inner(a * [-1.0, 1.0, 1.0, 1.0], b)


def _symplectic(a: Array, b: Array) -> Array:
    """The form that Sp(2) leaves alone: places first, momenta behind."""
    return inner(a[..., :2], b[..., 2:]) - inner(a[..., 2:], b[..., :2])


def _times_i(v: Array) -> Array:
    """A complex vector, its real part first, times i."""
    half = v.shape[-1] // 2
    return np.concatenate([-v[..., half:], v[..., :half]], axis=-1)


def _order(P: Array) -> Array:
    """The sign of the order of four numbers, smooth."""
    first, second = np.triu_indices(4, 1)
    return np.tanh(2 * np.prod(P[:, 0, first] - P[:, 0, second], axis=-1, keepdims=True))


def _corner(P: Array) -> Array:
    """Twice the area of a triangle of the plane, in homogeneous coordinates."""
    a, b = P[:, 1] - P[:, 0], P[:, 2] - P[:, 0]
    return a[:, :1] * b[:, 1:2] - a[:, 1:2] * b[:, :1]


def _bend(P: Array) -> Array:
    """The cosine of the angle at the first of three points."""
    a, b = P[:, 1] - P[:, 0], P[:, 2] - P[:, 0]
    return np.asarray(inner(a, b) / np.sqrt((0.3 + sq(a)) * (0.3 + sq(b))))


def _ions(X: Array, count: int, dim: int) -> tuple[Array, Array]:
    """Charges (n, count, 1) and places (n, count, dim) of particles."""
    return X[:, :count, None], X[:, count:].reshape(len(X), count, dim)


def _ion_energy(X: Array) -> Array:
    q, x = _ions(X, 4, 2)
    return np.asarray((q * q.swapaxes(1, 2) * np.exp(-0.3 * sq(_gaps(x))[..., 0])).sum(axis=(1, 2)))


SMOOTH = (
    read_target(
        "Morse bond | smooth | 2V -> S | O(3) b, O(2)@z k, SO(2)@x b",
        lambda P: (1 - np.exp(1 - np.sqrt(0.3 + sq(P[:, 0] - P[:, 1])))) ** 2,
        lambda P: np.tanh(P[:, 0, 2:] - P[:, 1, 2:]),
        levels=FULL,
    ),
    read_target(
        "gravity of a flat planet | smooth | V -> V | O(3) b, O(2)@z k, Octahedral() b",
        lambda P: -P[:, 0] / (0.7 + sq(P[:, 0])) ** 1.5,
        lambda P: (
            ((5 * P[:, 0, 2:] ** 2 - sq(P[:, 0])) * P[:, 0] - 2 * sq(P[:, 0]) * P[:, 0, 2:] * Z)
            / (0.7 + sq(P[:, 0])) ** 3.5
        ),
        levels=FULL,
    ),
    read_target(
        "charge in both fields | smooth | 2V + pV -> V | O(3) b, O(2)@z k, O(2)@y b",
        lambda P: P[:, 0] / np.sqrt(1 + sq(P[:, 0])) + np.cross(P[:, 1], P[:, 2]),
        lambda P: np.cross(P[:, 1], P[:, 2])[:, 2:] * Z,
        levels=GRADED,
    ),
    read_target(
        "Kuramoto oscillators | smooth | V -> V | S(5) b, Z(5) k, A(5) b",
        lambda P: np.sin(_gaps(P[:, 0, :, None])[..., 0]).mean(axis=2),
        lambda P: np.sin(np.roll(P[:, 0], 1, axis=1) - P[:, 0]),
        dim=5,
        levels=GRADED,
    ),
    read_target(
        "Maxwell's stress | smooth | V -> T(2) | O(3) b, O(2)@z k, SO(2)@x b",
        lambda P: outer(P[:, 0], P[:, 0]) - 0.5 * sq(P[:, 0])[..., None] * np.eye(3),
        lambda P: P[:, 0, 2:, None] ** 2 * (np.outer(Z, Z) - 0.5 * np.eye(3)),
        levels=GRADED,
    ),
    read_target(
        "swimmer in a flow | smooth | 2V -> V | SO(2) b, O(2) n, C(2) b",
        lambda P: P[:, 0] * np.exp(-0.25 * sq(P[:, 1])) + 0.6 * rotate(P[:, 1]) * np.tanh(inner(P[:, 0], P[:, 1])),
        lambda P: P[:, 1, :1] ** 2 * [1.0, 0.5],
        dim=2,
        levels=FULL,
    ),
    read_target(
        "energy of three spins | smooth | 3V -> S | SO(3) b, SO(2)@z k, O(3) n",
        lambda P: (
            np.tanh(inner(P[:, 0], P[:, 1]) + inner(P[:, 1], P[:, 2]))
            + 0.4 * np.linalg.det(P)[:, None] / (1 + sq(P[:, 1]))
        ),
        lambda P: P[:, 0, 2:] * P[:, 2, 2:],
        levels=GRADED,
    ),
    read_target(
        "energy of a stretch | smooth | T(2) -> S | O(3) b, O(2)@z k, Octahedral() b",
        lambda P: np.log(1 + (P**2).sum(axis=(1, 2))) + np.tanh(np.trace(P, axis1=1, axis2=2)),
        lambda P: P[:, 2, 2:] * np.trace(P, axis1=1, axis2=2)[:, None] / (1 + P[:, 2, 2:] ** 2),
        levels=GRADED,
    ),
    read_target(
        "chemotaxis | smooth | S + 2V -> V | O(3) b, O(2)@x k, SO(2)@z b",
        lambda X: X[:, 1:4] / (1 + X[:, :1] ** 2) - 0.4 * sq(X[:, 4:]) * X[:, 4:],
        lambda X: np.tanh(X[:, :1] + X[:, 1:2]) * X3,
        dim=0,
        levels=GRADED,
    ),
)
KINKED = (
    read_target(
        "two discs above a floor | kinked | 2V -> V | O(2) b, O(1)@2[0] k, C(2) b",
        lambda P: (P[:, 0] - P[:, 1]) / norm(P[:, 0] - P[:, 1]) * np.maximum(0.0, 2 - norm(P[:, 0] - P[:, 1])) ** 1.5,
        lambda P: np.maximum(0.0, -P[:, 0, 1:]) * [0.0, 1.0],
        dim=2,
        levels=GRADED,
    ),
    read_target(
        "slack ropes | kinked | 3V -> V | O(3) b, O(2)@z k, Octahedral() b",
        _slack_ropes,
        lambda P: np.sign(P[:, 0, 2:] - P[:, 1, 2:]) * Z,
        levels=GRADED,
    ),
    read_target(
        "Tresca's stress | kinked | T(2) -> S | O(3) b, O(2)@z k, SO(2)@x b",
        _largest_shear,
        lambda P: np.abs(P[:, 2, 2:]),
        levels=GRADED,
    ),
    read_target(
        "largest gap on a ring | kinked | V -> S | S(5) b, Z(5) k, A(5) b",
        lambda P: np.diff(np.sort(P[:, 0]), axis=-1).max(-1, keepdims=True),
        lambda P: _total(np.abs(P[:, 0] - np.roll(P[:, 0], 1, -1)) - np.abs(P[:, 0] - np.roll(P[:, 0], 2, -1))),
        dim=5,
        levels=FULL,
    ),
    read_target(
        "friction under a load | kinked | S + V -> V | O(3) b, O(2)@x k, O(2)@z b",
        lambda X: -np.minimum(norm(X[:, 1:]), np.maximum(0.0, 1 + X[:, :1])) * X[:, 1:] / norm(X[:, 1:]),
        lambda X: np.maximum(0.0, X[:, :1]) * np.sign(X[:, 1:2]) * X3,
        dim=0,
        levels=GRADED,
    ),
    read_target(
        "octagonal bolt | kinked | V -> S | D(8) b, C(8) b, O(2) n",
        lambda P: np.abs(
            np.stack([np.cos(t) * P[:, 0, 0] + np.sin(t) * P[:, 0, 1] for t in np.pi / 4 * np.arange(4)])
        ).max(0),
        lambda P: np.maximum(P[:, 0, 1:] - 0.5 * P[:, 0, :1], -0.4),
        dim=2,
        levels=GRADED,
    ),
    read_target(
        "melting front | kinked | V -> S | O(2) b, C(2) k, O(1)@2[1] k",
        lambda P: np.minimum(norm(P[:, 0]), 1.0) + 2 * np.maximum(0.0, norm(P[:, 0]) - 1.5),
        lambda P: np.minimum(np.abs(P[:, 0, :1]), 0.8),
        dim=2,
        levels=GRADED,
    ),
)
ROUGH = (
    *(
        read_target(
            f"adatom on graphene of wavelength {w:g} | rough | V -> S | SO(2) b, C(6) k, C(4) b",
            lambda P: norm(P[:, 0]) * np.tanh(norm(P[:, 0])),
            _hexagonal_lattice(w),
            dim=2,
            wavelength=w,
            levels=FAR,
        )
        for w in (2.0, 1.1, 0.3)
    ),
    read_target(
        "sound in a duct | rough | V -> V | O(3) b, O(1)@3[1] k, SO(2)@x b",
        lambda P: P[:, 0] / (1 + 0.3 * sq(P[:, 0]) ** 2),
        lambda P: stripes(2.5, (1.0, 0.0, 0.0), 1.0)(P) * Z,
        wavelength=2.5,
        levels=FAR,
    ),
    read_target(
        "zone plate | rough | V -> S | SO(3) b, O(2)@z k, O(1)@3[0] k",
        lambda P: norm(P[:, 0]) ** 1.5,
        lambda P: np.cos(2 * sq(P[:, 0, :2])),
        wavelength=1.33,
        levels=FEW,
    ),
    read_target(
        "drag in gusts | rough | V -> V | SO(2) b, C(2) b, O(1)@2[0] b",
        lambda P: -P[:, 0] / np.sqrt(0.3 + norm(P[:, 0])),
        _gusts,
        dim=2,
        wavelength=1.4,
        levels=FEW,
    ),
    read_target(
        "galaxy of four arms | rough | V -> S | SO(2) b, C(4) k, O(2) b",
        lambda P: np.exp(-norm(P[:, 0])),
        _spiral_arms,
        dim=2,
        wavelength=1.3,
        levels=FAR,
    ),
    read_target(
        "sawtooth across the diagonal | rough | V -> S | SO(2) b, S(2) k, C(2) b",
        lambda P: sq(P[:, 0]) / (1 + norm(P[:, 0])),
        lambda P: np.mod(_total(P[:, 0]), 1.2) - 0.6,
        dim=2,
        wavelength=0.85,
        levels=FAR,
    ),
)
FINITE = (
    read_target(
        "octagonal pit | finite | V -> S | SO(2) b, C(8) k, C(16) b",
        lambda P: -1 / (0.5 + sq(P[:, 0]) ** 2),
        lambda P: harmonic(P[:, 0], 8, 0.7) * np.exp(-0.3 * sq(P[:, 0])),
        dim=2,
        wavelength=0.92,
        levels=FULL,
    ),
    read_target(
        "motor of sixteen poles | finite | V -> V | SO(2) b, C(16) k, C(8) k",
        lambda P: np.tanh(norm(P[:, 0])) * P[:, 0],
        lambda P: rotate(P[:, 0]) * harmonic(P[:, 0], 16, 0.5) / (1 + norm(P[:, 0])),
        dim=2,
        wavelength=0.46,
        levels=FULL,
    ),
    read_target(
        "virus shell | finite | V -> S | SO(3) b, Icosahedral() k, SO(2)@z b",
        lambda P: np.exp(-((norm(P[:, 0]) - 1.5) ** 2)),
        lambda P: icosahedral(P[:, 0]) * sq(P[:, 0]) / (1 + sq(P[:, 0]) ** 1.5),
        wavelength=1.6,
        levels=FULL,
    ),
    read_target(
        "cubic magnet | finite | V -> S | O(3) b, Octahedral() k, O(2)@z b",
        lambda P: np.sin(1.5 * norm(P[:, 0])),
        lambda P: np.prod(P[:, 0] ** 2, axis=-1, keepdims=True) / (0.2 + sq(P[:, 0]) ** 2),
        wavelength=1.6,
        levels=GRADED,
    ),
    read_target(
        "cubic springs of four | finite | V -> V | O(4) b, S(4) k, SO(2)@4[0,1] b",
        lambda P: P[:, 0] / (1 + 0.1 * sq(P[:, 0])),
        lambda P: P[:, 0] ** 3 - 0.5 * sq(P[:, 0]) * P[:, 0],
        dim=4,
        wavelength=2.9,
        levels=FULL,
    ),
    read_target(
        "four tracks of a cart | finite | 2V -> S | SO(2) b, C(4) k, O(2) b",
        lambda P: np.tanh(inner(P[:, 0], P[:, 1])) + 0.2 * sq(P[:, 1]),
        lambda P: harmonic(P[:, 0], 4) * norm(P[:, 1]),
        dim=2,
        wavelength=1.8,
        levels=FULL,
    ),
    read_target(
        "threefold rotor | finite | V -> V | SO(2)@x b, C(3)@x k, C(6)@x b",
        lambda P: P[:, 0] * [1.0, 0.6, 0.6] + 0.4 * np.cross(X3, P[:, 0]) * P[:, 0, :1],
        lambda P: _threefold(P[:, 0]) * np.cross(X3, P[:, 0]),
        wavelength=2.5,
        levels=FULL,
    ),
    read_target(
        "nine magnets around a ring | finite | V -> V | SO(2) b, C(9) k, C(3) k",
        lambda P: P[:, 0] * np.log(1 + norm(P[:, 0])),
        _nine_magnets,
        dim=2,
        wavelength=0.82,
        levels=FULL,
    ),
)
UNEVEN = (
    read_target(
        "flow past a long plate | uneven | V -> V | SO(2) b, C(2) k, C(4) b",
        lambda P: P[:, 0] / (1 + norm(P[:, 0]) ** 3),
        lambda P: P[:, 0, ::-1],
        dim=2,
        inputs=normal_with((1.8, 0.5)),
        levels=FAR,
    ),
    read_target(
        "wind above the ground | uneven | V -> V | O(3) b, O(1)@3[1] k, SO(2)@z b",
        lambda P: -P[:, 0] * np.log(1 + sq(P[:, 0])),
        lambda P: np.tanh(P[:, 0, 2:]) * X3,
        inputs=half_space(2),
        levels=FAR,
    ),
    read_target(
        "tide at a station | uneven | V -> S | O(3) b, O(2)@x k, SO(2)@z b",
        lambda P: -1 / np.sqrt(0.3 + sq(P[:, 0])),
        lambda P: P[:, 0, :1] ** 2 - P[:, 0, :1],
        inputs=normal_with((0.5, 0.5, 0.5), (1.0, 0.5, 0.0)),
        levels=FEW,
    ),
    read_target(
        "five stations | uneven | V -> S | SO(2) b, C(2) k, C(5) b",
        lambda P: np.cos(sq(P[:, 0])),
        lambda P: P[:, 0, :1] * P[:, 0, 1:],
        dim=2,
        inputs=clusters(5, 1.2, 0.25),
        levels=FAR,
    ),
    read_target(
        "radar that looks up | uneven | V -> V | O(3) b, O(2)@z k, SO(2)@x b",
        lambda P: P[:, 0] / (0.5 + norm(P[:, 0])) ** 2,
        lambda P: P[:, 0, 2:] * Z,
        inputs=cone(),
        levels=FEW,
    ),
    read_target(
        "heavy tails, stretched | uneven | V -> S | O(3) b, O(2)@z k, O(1)@3[0] k",
        lambda P: np.arctan(norm(P[:, 0])),
        lambda P: P[:, 0, 2:] / (1 + norm(P[:, 0])),
        inputs=elliptic_t((1.0, 0.6, 1.5), 2.5),
        levels=FAR,
    ),
    read_target(
        "camera of 115 degrees | uneven | 2V -> S | SO(2) b, O(1)@2[1] k, C(3) b",
        lambda P: norm(P[:, 0] - P[:, 1]),
        lambda P: P[:, 0, :1] * np.exp(-0.2 * sq(P[:, 1])),
        dim=2,
        inputs=wedge(),
        levels=FEW,
    ),
    read_target(
        "diversity of four species | uneven | V -> S | S(4) b, Z(4) k, A(4) b",
        lambda P: -_total(P[:, 0] / _total(P[:, 0]) * np.log(P[:, 0] / _total(P[:, 0]) + 1e-9)),
        lambda P: _total(P[:, 0] * np.roll(P[:, 0], 1, axis=-1)) / _total(P[:, 0]) ** 2,
        dim=4,
        inputs=amounts((1.0, 2.0, 3.0, 4.0)),
        levels=FEW,
    ),
)
NEAR_IDENTITY = (
    read_target(
        "chain of three masses | near-identity | 6V -> 6V | O(2) b, O(1)@2[0] k, SO(2) b",
        _chain_step,
        lambda P: np.concatenate([0 * P[:, :3], 0.1 * (1 + 0.5 * sq(P[:, :3])) * [0.0, -1.0]], axis=1),
        dim=2,
        levels=STEP,
        residual=True,
    ),
    read_target(
        "spinning ball | near-identity | V + pV -> V + pV | O(3) b, O(2)@x k, SO(2)@z b",
        _spinning_ball_step,
        lambda P: np.stack([0.1 * P[:, 0, :1] * np.abs(P[:, 0, :1]) * X3, 0 * P[:, 1]], axis=1),
        levels=STEP,
        residual=True,
    ),
    read_target(
        "magnetic mirror | near-identity | 2V -> 2V | SO(2)@z b, C(2)@z k, O(3) n",
        _mirror_step,
        lambda P: np.stack([0 * P[:, 0], 0.1 * np.tanh(P[:, 0, 1:2]) * Y3], axis=1),
        levels=STEP,
        residual=True,
    ),
    read_target(
        "two vortices | near-identity | 2V -> 2V | SO(2) b, C(2) k, O(2) n",
        _vortices_step,
        lambda P: 0.1 * np.sin(P[..., 1:]) * [1.0, 0.0],
        dim=2,
        levels=STEP,
        residual=True,
    ),
    read_target(
        "flock of four robots | near-identity | 4x(V) -> 4x(V) | "
        "O(2) * S(4) b, O(2) * Trivial(4) b, Trivial(2) * S(4) k",
        _flock_step,
        lambda P: 0.1 * np.tanh(P[..., 1:]) * [1.0, 0.3],
        dim=2,
        levels=STEP,
        residual=True,
    ),
    read_target(
        "drone in a side wind | near-identity | 2V -> V | O(2)@z b, O(1)@3[0] k, O(3) n",
        _drone_step,
        lambda P: 0.1 * np.tanh(P[:, 0, :1]) * X3,
        levels=STEP,
        residual=True,
    ),
    read_target(
        "exchange of two spins | near-identity | 2pV -> 2pV | O(3) b, O(2)@z k, SO(2)@x b",
        lambda P: P + 0.1 * np.cross(P, P[:, ::-1]),
        lambda P: 0.1 * P[..., 2:] * np.cross(P, Z),
        levels=STEP,
        residual=True,
    ),
)
OUTLIERS = (
    read_target(
        "rover and beacon | outliers | 2V -> V | O(2) b, O(1)@2[0] k, SO(2) b",
        lambda P: (P[:, 0] - P[:, 1]) / (1 + norm(P[:, 0] - P[:, 1])),
        lambda P: np.tanh(P[:, 0, 1:] * P[:, 1, 1:]) * [0.0, 1.0],
        dim=2,
        noise="t2",
        levels=FAR,
    ),
    read_target(
        "flare of a star | outliers | V -> S | SO(3) b, SO(2)@y k, O(1)@3[1] b",
        lambda P: 1 / (0.5 + norm(P[:, 0])),
        lambda P: P[:, 0, 1:2] / (1 + sq(P[:, 0])),
        inputs=spherical_t(4.0),
        noise="t2",
        levels=FAR,
    ),
    *(target.again("outliers", noise="t2", levels=FEW) for target in (SMOOTH[2], SMOOTH[5], KINKED[4], FINITE[5])),
)
HETEROSCEDASTIC = (
    read_target(
        "light of a lamp | heteroscedastic | S + V -> S | O(3) b, O(2)@z k, Octahedral() b",
        lambda X: np.exp(0.5 * X[:, :1]) / (1 + sq(X[:, 1:])),
        lambda X: np.exp(0.5 * X[:, :1]) * X[:, 3:] / (1 + sq(X[:, 1:])),
        dim=0,
        noise="outputs",
        levels=FAR,
    ),
    read_target(
        "Doppler speed | heteroscedastic | 2V -> S | O(3) b, SO(2)@x k, O(2)@y b",
        lambda P: inner(P[:, 0], P[:, 1]) / np.sqrt(0.1 + sq(P[:, 0])),
        lambda P: P[:, 1, :1],
        noise="inputs",
        levels=FAR,
    ),
    *(
        target.again("heteroscedastic", noise=noise, levels=FEW)
        for target, noise in (
            (SMOOTH[1], "inputs"),
            (SMOOTH[6], "first column"),
            (KINKED[6], "outputs"),
            (FINITE[0], "first column"),
        )
    ),
)
DISCRETE = (
    read_target(
        "markers on a plasmid | discrete | V -> S | S(5) b, Z(5) k, A(5) b",
        lambda P: _total(P[:, 0]) ** 2 / (1 + _total(P[:, 0])),
        lambda P: _total((P[:, 0] - 1) * (np.roll(P[:, 0], 1, axis=-1) - 1)),
        dim=5,
        inputs=choices((0.0, 1.0, 2.0)),
        levels=FEW,
    ),
    read_target(
        "walker on a square lattice | discrete | V -> V | D(4) b, C(2) k, O(2) n",
        lambda P: P[:, 0] / (1 + np.abs(P[:, 0]).sum(-1, keepdims=True)),
        lambda P: np.sign(P[:, 0, :1]) * [1.0, 0.0],
        dim=2,
        inputs=grid(1.0),
        levels=FEW,
    ),
    read_target(
        "encoder of sixteen positions | discrete | V -> S | SO(2) b, C(3) k, C(16) b",
        lambda P: 1 / (1 + norm(P[:, 0]) ** 3),
        lambda P: harmonic(P[:, 0], 3, 0.8),
        dim=2,
        inputs=bearings(16, (0.4, 0.8, 1.2, 1.6, 2.0)),
        wavelength=2.5,
        levels=FAR,
    ),
    read_target(
        "four counters | discrete | V -> S | S(4) b, Z(4) b, A(4) b",
        lambda P: _total(np.log(1 + P[:, 0])),
        lambda P: np.sqrt(P[:, 0, 3:]),
        dim=4,
        inputs=counts(),
        levels=FEW,
    ),
    read_target(
        "repeated gust | discrete | V -> V | O(3) b, O(2)@x k, SO(2)@y b",
        lambda P: -P[:, 0] * (0.2 + norm(P[:, 0]) ** 3),
        lambda P: P[:, 0, :1] ** 2 * X3,
        inputs=repeated(6, ball(1.6)),
        levels=FAR,
    ),
    read_target(
        "voxels of a pair | discrete | 2V -> S | O(3) b, O(2)@z k, Octahedral() b",
        lambda P: 1 / np.sqrt(1 + sq(P[:, 0] - P[:, 1])),
        lambda P: (P[:, 0, 2:] - P[:, 1, 2:]) ** 2 / (1 + sq(P[:, 0] - P[:, 1])),
        inputs=grid(0.5),
        levels=FAR,
    ),
)
SMALL_BLOCK = (
    read_target(
        "energy and a small dipole | small-block | 2V -> S + V | O(3) b, O(2)@y k, SO(2)@x b",
        lambda P: join(20 * np.sqrt(1 + sq(P[:, 0] + P[:, 1])), 0.02 * (P[:, 0] - P[:, 1]) / (1 + sq(P[:, 0]))),
        lambda P: join(zeros(P, 1), 0.02 * np.tanh(P[:, 0, 1:2]) * Y3),
        levels=FEW,
    ),
    read_target(
        "intensity and a small contrast | small-block | V -> 2S | SO(2) b, C(3) k, C(2) b",
        lambda P: join(30 * np.exp(-0.5 * sq(P[:, 0])), 0.1 * np.sin(norm(P[:, 0]))),
        lambda P: join(zeros(P, 1), 0.1 * harmonic(P[:, 0], 3, 0.3)),
        dim=2,
        wavelength=2.5,
        levels=FAR,
    ),
    read_target(
        "force and a small torque | small-block | 2V -> V + pV | O(3) b, O(2)@z k, SO(3) b",
        lambda P: join(5 * P[:, 1] * norm(P[:, 0]), 0.01 * np.cross(P[:, 0], P[:, 1])),
        lambda P: join(zeros(P, 3), 0.01 * np.cross(P[:, 0], Z)),
        levels=FAR,
    ),
    read_target(
        "mean and small squares | small-block | V -> 2S | S(6) b, Z(6) k, A(6) b",
        lambda P: join(10 * np.exp(0.2 * _total(P[:, 0])), 0.05 * _total(P[:, 0] ** 2)),
        lambda P: join(zeros(P, 1), 0.05 * _total(P[:, 0] * np.roll(P[:, 0], 1, axis=-1))),
        dim=6,
        levels=FEW,
    ),
    read_target(
        "flow and a small stress | small-block | V -> V + T(2) | O(2) b, C(2) k, SO(2) b",
        lambda P: join(P[:, 0] / (0.5 + sq(P[:, 0])), 0.002 * outer(P[:, 0], P[:, 0])),
        lambda P: join(zeros(P, 2), 0.002 * P[:, 0, :1, None] ** 2 * np.diag([1.0, -1.0])),
        dim=2,
        levels=FEW,
    ),
    read_target(
        "three speeds and a small one | small-block | 2V -> 4S | O(3) b, SO(2)@x k, O(2)@z b",
        lambda P: join(norm(P[:, 0]), norm(P[:, 1]), norm(P[:, 0] - P[:, 1]), 0.03 * norm(P[:, 0] + P[:, 1])),
        lambda P: join(zeros(P, 3), 0.03 * P[:, 0, :1]),
        levels=FAR,
    ),
)
SMALL_N = tuple(
    target.again("small-n", noise="normal", rows=(12, 20, 30), levels=(0.0, 0.13, 0.6))
    for target in (SMOOTH[0], SMOOTH[5], KINKED[6], FINITE[0], FINITE[6], OUTLIERS[0])
)
GROUPS = (
    read_target(
        "handed scattering | groups | 2V -> V | SO(3) b, SO(2)@z k, O(3) n",
        lambda P: np.cross(P[:, 0], P[:, 1]) / (1 + norm(P[:, 0])) + P[:, 0] * np.tanh(inner(P[:, 0], P[:, 1])),
        lambda P: norm(P[:, 1]) * Z,
        levels=FAR,
    ),
    read_target(
        "current in a field tensor | groups | 3V -> V | Lorentz() b, SO(3)@4[1,2,3] k, O(4) n",
        lambda P: 0.3 * (P[:, 2] * _minkowski(P[:, 0], P[:, 1]) - P[:, 1] * _minkowski(P[:, 0], P[:, 2])) + P[:, 0],
        lambda P: P[:, 0] * [0.0, 1.0, 1.0, 1.0],
        dim=4,
        levels=BROKEN,
    ),
    read_target(
        "volume of a cell | groups | 3V -> S | SL(3) b, SO(3) k, O(3) n",
        lambda P: np.arctan(2 * np.linalg.det(P))[:, None],
        lambda P: norm(P[:, 0]),
        levels=BROKEN,
    ),
    read_target(
        "area in phase space | groups | 2V -> S | Sp(2) b, U(2) k, O(4) n",
        lambda P: _symplectic(P[:, 0], P[:, 1]) / np.sqrt(1 + _symplectic(P[:, 0], P[:, 1]) ** 2),
        lambda P: inner(P[:, 0], P[:, 1]),
        dim=4,
        levels=BROKEN,
    ),
    read_target(
        "three modes in a Kerr medium | groups | V -> V | U(3) b, SU(3) b, O(6) n",
        lambda P: P[:, 0] * np.cos(0.3 * sq(P[:, 0])) + _times_i(P[:, 0]) * np.sin(0.3 * sq(P[:, 0])),
        lambda P: P[:, 0] * [1.0, 1.0, 1.0, -1.0, -1.0, -1.0],
        dim=6,
        levels=FAR,
    ),
    read_target(
        "alternating layers | groups | V -> S | S(6) b, Z(6) k, A(6) b",
        lambda P: np.log(1 + _total(P[:, 0] ** 2)) + np.tanh(_total(P[:, 0])),
        lambda P: np.abs(P[:, 0] @ np.array([[1.0], [-1.0], [1.0], [-1.0], [1.0], [-1.0]])),
        dim=6,
        levels=FEW,
    ),
    read_target(
        "order of four | groups | V -> S | A(4) b, S(4) n, Z(4) n",
        _order,
        lambda P: np.tanh(P[:, 0, 1:2] - 0.5 * P[:, 0, 2:3]),
        dim=4,
        levels=FEW,
    ),
    read_target(
        "ratio of three speeds | groups | 3V -> S | Scaling(3) b, O(3) k, Scaling(3) | O(3) b",
        lambda P: norm(P[:, 0]) * norm(P[:, 1]) / (sq(P[:, 0]) + sq(P[:, 1]) + sq(P[:, 2])),
        lambda P: sq(P[:, 2]),
        levels=BROKEN,
    ),
    read_target(
        "bend of a path | groups | 3V -> S | SE(2) b, Translation(2) k, E(2) n",
        lambda P: np.tanh(_corner(P)) + 0.1 * norm(P[:, 1] - P[:, 2]),
        lambda P: np.sin(P[:, 0, 1:2] - P[:, 2, 1:2]),
        inputs=homogeneous((True, True, True)),
        levels=BROKEN,
    ),
    read_target(
        "angle of three atoms | groups | 3V -> S | E(3) b, Translation(3) k, SE(3) b",
        _bend,
        lambda P: np.tanh(P[:, 1, 2:3] - P[:, 0, 2:3]),
        dim=4,
        inputs=homogeneous((True, True, True), dim=3),
        levels=BROKEN,
    ),
    read_target(
        "two dials | groups | V[0] + V[1] -> S | SO(2) * SO(2) b, SO(2) * Trivial(2) k, Trivial(2) * SO(2) b",
        lambda P: norm(P[:, 0]) * np.tanh(norm(P[:, 1])),
        lambda P: norm(P[:, 0]) * P[:, 1, :1],
        dim=2,
        levels=FAR,
    ),
    read_target(
        "two rooms of three beds | groups | V[0]*V[1] -> S | S(2) * S(3) b, Trivial(2) * S(3) k, S(2) * Trivial(3) b",
        lambda P: np.maximum(_total(P[:, 0]), _total(P[:, 1])) + 0.5 * np.cos(P).sum(axis=(1, 2))[:, None],
        lambda P: np.tanh(_total(P[:, 0])),
        dim=3,
        levels=FEW,
    ),
    read_target(
        "dipole of three ions | groups | 3x(S + V) -> V[0] | O(3) * S(3) b, O(3) * Trivial(3) k, Trivial(3) * S(3) b",
        lambda X: (np.tanh(_ions(X, 3, 3)[0]) * _ions(X, 3, 3)[1]).sum(axis=1),
        lambda X: X[:, :1] * X[:, 3:6],
        dim=0,
        levels=FEW,
    ),
    read_target(
        "four ions in a plane | groups | 4x(S + V) -> S | O(2) * S(4) b, Trivial(2) * S(4) k, O(2) * Trivial(4) b",
        _ion_energy,
        lambda X: (_ions(X, 4, 2)[0] * _ions(X, 4, 2)[1]).sum(axis=1)[:, 1:],
        dim=0,
        levels=FAR,
    ),
    read_target(
        "Hall current | groups | V + pV -> V | O(3) b, SO(3) k, C(4)@z k",
        lambda P: np.cross(P[:, 0], P[:, 1]) / (1 + sq(P[:, 1])) + 0.3 * P[:, 0],
        lambda P: P[:, 1] * np.exp(-0.2 * sq(P[:, 0])),
        levels=FAR,
    ),
    read_target(
        "helicity of a flow | groups | 2V + pV -> pS | O(3) b, SO(3) k, O(2)@z b",
        lambda P: np.tanh(inner(P[:, 0], P[:, 2])),
        lambda P: inner(P[:, 0], P[:, 1]) * inner(P[:, 0], P[:, 2]) ** 2 / (1 + sq(P[:, 0])),
        levels=FAR,
    ),
    read_target(
        "orthorhombic crystal | groups | V -> S | O(1)@3[0] | O(1)@3[1] | O(1)@3[2] b, C(2)@z k, O(3) n",
        lambda P: np.tanh(P[:, 0] ** 2) @ np.array([[1.0], [0.5], [-0.7]]),
        lambda P: P[:, 0, :1] * P[:, 0, 1:2],
        levels=FAR,
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
"""All of them."""
