"""The target functions of the calibrations that were recorded before, so that a new rule can be compared on the same list.

Those in :data:`ADJUSTED` were used while earlier rules of verdicts were made; those in :data:`FRESH` were run once with the rule of the
first record (505 of 508 decided verdicts right). Data are rotated at random, the groups with them, so that nothing
rests on coordinate axes.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from softsym.typing import Array
from softsym_lab.benchmarks.calibration.targets import Inputs, Target
from softsym_lab.benchmarks.calibration.targets import inner as _inner
from softsym_lab.benchmarks.calibration.targets import sq as _square

Z = np.array([0.0, 0.0, 1.0])


def recorded_target(
    name: str, rep_in: str, rep_out: str, candidates: tuple[str, ...], function: Callable[[Array], Array], dim: int = 3
) -> Target:
    """A target of one variant, in random coordinates."""
    return Target(name, "recorded", rep_in, rep_out, candidates, function, dim=dim, levels=(0.0,), rotated=True)


def _task(name: str) -> Target:
    """A built-in task as a target of one variant."""
    from softsym.datasets import task as read_task

    kind = name.split(":")[0]
    about = {
        "inertia": ("5S + 5V", "T(2)", ("O(2)@x", "O(2)@y", "O(2)@z")),
        "golfball": ("6V", "6V", ("O(2)@x", "O(2)@y", "O(2)@z")),
        "cossim": ("3V", "S", ("SO(3)", "Scaling(3)")),
    }
    rep_in, rep_out, candidates = about[kind]

    def function(X: Array) -> Array:
        import torch

        target = read_task(name).target
        assert target is not None
        return np.asarray(target(torch.from_numpy(X)).reshape(len(X), -1).numpy(), dtype=np.float64)

    def draw(rng: np.random.Generator, n: int, size: int) -> Array:
        return np.asarray(read_task(name).sample(n, int(rng.integers(2**31)))[0].double().numpy())

    return Target(
        name, "recorded", rep_in, rep_out, candidates, function, dim=0, inputs=Inputs(draw), levels=(0.0,), rotated=True
    )


def _det(P: Array) -> Array:
    return np.asarray(np.linalg.det(P[:, :2, :2])[:, None])


def _charges(softening: float) -> Callable[[Array], Array]:
    """The force on the first of several charges, softened so that it stays finite where they meet."""

    def force(P: Array) -> Array:
        gap = P[:, :1] - P[:, 1:]
        return np.asarray((gap / (_square(gap) + softening) ** 1.5).sum(axis=1))

    return force


def _pushed(strength: float) -> Callable[[Array], Array]:
    """A spring with cubic stiffness that a constant force along z pushes on in proportion to the stretch along z."""
    return lambda P: P[:, 0] * (1 + 0.3 * _square(P[:, 0])) + strength * P[:, 0, 2:] * Z


def _swirl(strength: float) -> Callable[[Array], Array]:
    """Two invariants of two vectors, and a part that knows the direction z."""
    return lambda P: _inner(P[:, 0], P[:, 1]) + 0.5 * _square(P[:, 0]) - 1.5 + strength * P[:, 0, 2:] * P[:, 1, 2:]


def _drag(wind: float) -> Callable[[Array], Array]:
    return lambda P: -(P[:, 0] - wind * Z) * np.sqrt(_square(P[:, 0] - wind * Z))


def _stress(fibre: float) -> Callable[[Array], Array]:
    """Stress of a material with fibres along z, from three stretches."""

    def of(P: Array) -> Array:
        C = np.einsum("nai,naj->nij", P, P)
        return np.asarray(
            C - np.eye(3) * np.einsum("nii->n", C)[:, None, None] / 3 + fibre * C[:, 2:3, 2:] * np.outer(Z, Z)
        )

    return of


MADE_FOR = (
    recorded_target("cross product", "2V", "V", ("SO(3)", "O(3)", "O(2)@z"), lambda P: np.cross(P[:, 0], P[:, 1])),
    recorded_target("softened charges", "3V", "V", ("O(3)", "O(2)@z"), _charges(1.0)),
    recorded_target("drag", "V", "V", ("O(3)", "O(2)@x"), _drag(0.0)),
    recorded_target("drag in light wind", "V", "V", ("O(3)", "O(2)@z", "O(2)@x"), _drag(0.1)),
    recorded_target("drag in wind", "V", "V", ("O(3)", "O(2)@z", "O(2)@x"), _drag(0.7)),
    recorded_target("pushed spring", "V", "V", ("O(3)", "O(2)@z"), _pushed(0.3)),
    recorded_target("hardly pushed spring", "V", "V", ("O(3)", "O(2)@z"), _pushed(0.1)),
    recorded_target("swirl", "2V", "S", ("O(3)", "O(2)@z"), _swirl(0.4)),
    recorded_target("isotropic stress", "3V", "T(2)", ("O(3)", "O(2)@x"), _stress(0.0)),
    recorded_target("stress with fibres", "3V", "T(2)", ("O(3)", "O(2)@z"), _stress(0.7)),
    recorded_target("saturated", "2V", "V", ("O(3)", "SO(2)@z"), lambda P: np.tanh(_inner(P[:, 0], P[:, 1])) * P[:, 0]),
    recorded_target(
        "square lattice", "V", "S", ("C(4)", "SO(2)", "D(4)"), lambda P: np.cos(P[:, 0]).sum(-1, keepdims=True), 2
    ),
    recorded_target("mean of three", "V", "S", ("S(3)", "O(3)"), lambda P: np.sin(P[:, 0]).sum(-1, keepdims=True)),
)
"""The rule was made for these."""

SEEN = (
    recorded_target(
        "Lorentz force", "2V", "V", ("SO(2)@z", "SO(3)", "O(2)@x"), lambda P: P[:, 0] + np.cross(P[:, 1], Z)
    ),
    recorded_target(
        "dipoles",
        "3V",
        "S",
        ("O(3)", "SO(3)", "O(2)@y"),
        lambda P: (
            (
                _inner(P[:, 1], P[:, 2]) * (1 + _square(P[:, 0]))
                - 3 * _inner(P[:, 0], P[:, 1]) * _inner(P[:, 0], P[:, 2])
            )
            / (1 + _square(P[:, 0])) ** 2
        ),
    ),
    recorded_target(
        "triple product", "3V", "S", ("SO(3)", "O(3)"), lambda P: np.tanh(_inner(P[:, 0], np.cross(P[:, 1], P[:, 2])))
    ),
    recorded_target(
        "Coriolis",
        "2V",
        "V",
        ("SO(2)@z", "O(2)@z", "SO(3)"),
        lambda P: 2 * np.cross(P[:, 1], Z) + P[:, 0] * [1.0, 1.0, 0.0],
    ),
    recorded_target(
        "bowl", "V", "V", ("O(3)", "O(2)@z"), lambda P: -P[:, 0] * [1.0, 1.0, 1.25] * (1 + 0.2 * _square(P[:, 0]))
    ),
    recorded_target(
        "two springs",
        "3V",
        "V",
        ("O(3)", "O(2)@z", "SO(2)@x"),
        lambda P: (P[:, 1] - P[:, 0]) * (1 - 1 / np.sqrt(1 + _square(P[:, 1] - P[:, 0]))) + 0.5 * (P[:, 2] - P[:, 0]),
    ),
    recorded_target(
        "springs and weight",
        "3V",
        "V",
        ("O(3)", "O(2)@z", "O(2)@x"),
        lambda P: P[:, 1] + P[:, 2] - 2 * P[:, 0] - 0.5 * Z,
    ),
    recorded_target("harder charges", "3V", "V", ("O(3)", "SO(2)@z"), _charges(0.5)),
    recorded_target(
        "hexagonal",
        "V",
        "V",
        ("C(6)", "SO(2)", "D(6)"),
        lambda P: (
            P[:, 0]
            * (
                1
                + 0.1
                * (
                    P[:, 0, :1] ** 6
                    - 15 * P[:, 0, :1] ** 4 * P[:, 0, 1:] ** 2
                    + 15 * P[:, 0, :1] ** 2 * P[:, 0, 1:] ** 4
                    - P[:, 0, 1:] ** 6
                )
                / (0.5 + _square(P[:, 0])) ** 3
            )
        ),
        2,
    ),
    recorded_target(
        "product of four",
        "V",
        "S",
        ("S(4)", "A(4)", "O(4)"),
        lambda P: np.prod(1 + 0.4 * P[:, 0], axis=-1, keepdims=True),
        4,
    ),
    recorded_target(
        "almost a sum of four",
        "V",
        "S",
        ("S(4)", "A(4)"),
        lambda P: np.tanh(P[:, 0]) @ np.array([[1.0], [1.0], [1.0], [1.3]]),
        4,
    ),
    recorded_target(
        "alignment",
        "2V",
        "T(2)",
        ("O(3)", "O(2)@x"),
        lambda P: (
            (P[:, 0, :, None] * P[:, 1, None] + P[:, 1, :, None] * P[:, 0, None])
            / (1 + _square(P[:, 0]) + _square(P[:, 1]))[..., None]
        ),
    ),
    recorded_target(
        "torque in a field", "2V", "V", ("SO(3)", "SO(2)@z", "O(3)"), lambda P: np.cross(P[:, 0], P[:, 1] + 0.2 * Z)
    ),
    recorded_target(
        "vortices",
        "2V",
        "V",
        ("SO(2)", "O(2)"),
        lambda P: (P[:, 0] - P[:, 1])[:, ::-1] * [-1.0, 1.0] / (0.3 + _square(P[:, 0] - P[:, 1])),
        2,
    ),
)
"""Fresh when they were first run, used for changes since."""


def _waves(P: Array) -> Array:
    """Three standing waves at 120 degrees."""
    angles = 2 * np.pi * np.arange(3) / 3
    return np.asarray(np.cos(P[:, 0] @ np.stack([np.cos(angles), np.sin(angles)])).sum(axis=1, keepdims=True))


def _wall(strength: float) -> Callable[[Array], Array]:
    """Products of velocities near a wall at right angles to z, saturated."""
    return lambda P: (
        (P[:, 0, :, None] * P[:, 0, None] + strength * P[:, 0, 2:, None] ** 2 * np.outer(Z, Z))
        / (1 + _square(P[:, 0]))[..., None]
    )


FUNCTIONS = (
    recorded_target(
        "centrifugal",
        "V",
        "V",
        ("O(2)@z", "O(3)", "SO(2)@x"),
        lambda P: P[:, 0] * [1.0, 1.0, 0.0] * (1 + 0.2 * _square(P[:, 0])),
    ),
    recorded_target(
        "mirror field", "2V", "S", ("O(2)@z", "O(3)"), lambda P: _square(P[:, 1]) * (1 + 0.3 * P[:, 0, 2:] ** 2)
    ),
    recorded_target(
        "screened charges",
        "2V",
        "V",
        ("O(3)", "O(2)@y"),
        lambda P: (P[:, 0] - P[:, 1]) * np.exp(-np.sqrt(0.1 + _square(P[:, 0] - P[:, 1]))),
    ),
    recorded_target(
        "quadrupole",
        "V",
        "S",
        ("O(2)@z", "O(3)", "SO(2)@x"),
        lambda P: (3 * P[:, 0, 2:] ** 2 - _square(P[:, 0])) / (1 + _square(P[:, 0])),
    ),
    recorded_target(
        "dry friction on a slope",
        "2V",
        "V",
        ("O(3)", "O(2)@z"),
        lambda P: -P[:, 0] / np.sqrt(0.5 + _square(P[:, 0])) + 0.08 * P[:, 1, 2:] * Z,
    ),
    recorded_target(
        "angular momentum in a drift",
        "2V",
        "V",
        ("SO(3)", "SO(2)@z", "O(3)"),
        lambda P: np.cross(P[:, 0], P[:, 1] + 0.15 * np.cross(Z, P[:, 0])),
    ),
    recorded_target("velocity products", "V", "T(2)", ("O(3)", "O(2)@x"), _wall(0.0)),
    recorded_target("velocity products by a wall", "V", "T(2)", ("O(3)", "O(2)@z", "O(2)@x"), _wall(0.6)),
    recorded_target(
        "area of a triangle",
        "3V",
        "S",
        ("O(3)", "SO(3)", "O(2)@y"),
        lambda P: np.sqrt(0.1 + _square(np.cross(P[:, 1] - P[:, 0], P[:, 2] - P[:, 0]))),
    ),
    recorded_target(
        "handed molecule",
        "3V",
        "S",
        ("SO(3)", "O(3)"),
        lambda P: _inner(P[:, 0], np.cross(P[:, 1], P[:, 2])) + 0.5 * _square(P[:, 0]),
    ),
    recorded_target(
        "shear flow", "V", "V", ("C(2)", "SO(2)"), lambda P: np.stack([np.sin(P[:, 0, 1]), 0.0 * P[:, 0, 0]], axis=1), 2
    ),
    recorded_target("triangular lattice", "V", "S", ("C(6)", "C(3)", "SO(2)"), _waves, 2),
    recorded_target(
        "square drag",
        "V",
        "V",
        ("D(4)", "C(4)", "O(2)"),
        lambda P: -P[:, 0] * np.abs(P[:, 0]).sum(axis=1, keepdims=True),
        2,
    ),
    recorded_target(
        "pairs of four",
        "V",
        "S",
        ("S(4)", "A(4)", "O(4)"),
        lambda P: P[:, 0].sum(1, keepdims=True) ** 2 / (2 + _square(P[:, 0])),
        4,
    ),
    recorded_target(
        "soft maximum of four",
        "V",
        "S",
        ("S(4)", "A(4)"),
        lambda P: np.log(np.exp(P[:, 0]).sum(axis=1, keepdims=True)),
        4,
    ),
    recorded_target(
        "four, one of them odd",
        "V",
        "S",
        ("S(4)", "A(4)"),
        lambda P: np.sin(P[:, 0]) @ np.array([[1.0], [1.0], [1.0], [0.8]]),
        4,
    ),
    recorded_target(
        "four-momenta", "2V", "S", ("Lorentz()", "O(4)"), lambda P: _inner(P[:, 0] * [-1.0, 1.0, 1.0, 1.0], P[:, 1]), 4
    ),
    recorded_target("area form", "2V", "S", ("SL(2)", "SO(2)", "O(2)"), lambda P: _det(P) + 0.3 * _det(P) ** 2, 2),
    recorded_target(
        "angle",
        "2V",
        "S",
        ("Scaling(3)", "SO(3)", "O(2)@x"),
        lambda P: _inner(P[:, 0], P[:, 1]) / np.sqrt(_square(P[:, 0]) * _square(P[:, 1])),
    ),
)


ADJUSTED = (
    *MADE_FOR,
    *SEEN,
    *map(
        _task,
        (
            "inertia:0",
            "inertia:Oz(2)",
            "inertia:0.3*eps1",
            "inertia:0.6*eps2",
            "inertia:0.9*eps3",
            "inertia:0.3*eps4",
            "cossim:SO(3)+S(3)",
            "cossim:S(3)",
            "golfball:wind=none",
            "golfball:wind=z,gravity=3.0",
            "inertia:Ox(2)",
            "inertia:soft",
            "inertia:0.6*eps1",
            "inertia:0.6*eps3",
            "cossim:SO(3)",
            "cossim:soft",
            "golfball:wind=x",
            "golfball:wind=y,gravity=0.0",
            "golfball:wind=none,gravity=0.0",
        ),
    ),
)
"""Used while earlier rules were made."""
FRESH = (
    *FUNCTIONS,
    *map(
        _task,
        (
            "inertia:Oy(2)",
            "inertia:0.9*eps1",
            "inertia:0.3*eps2",
            "inertia:0.3*eps3",
            "inertia:0.6*eps4",
            "golfball:wind=z",
            "golfball:wind=y,gravity=3.0",
            "golfball:wind=x,gravity=0.0",
        ),
    ),
)
"""Written down after the first rule was made, and run once."""
