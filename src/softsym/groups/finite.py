"""Finite groups: permutations, polygons, polyhedra and Rubik's cube."""

from __future__ import annotations

import functools
import itertools
import math

import numpy as np
from numpy.typing import NDArray

from softsym.groups import sampling
from softsym.groups.classical import positive
from softsym.groups.group import Group, make

Array = NDArray[np.float64]
__all__ = [  # noqa: RUF022 - as people list them
    "S", "A", "Z", "C", "D", "Cube", "Octahedral", "Icosahedral", "RubiksCube", "Trivial",
]  # fmt: skip


def S(n: int) -> Group:
    """Symmetric group: all permutations of n coordinates."""
    n = positive("S", n)
    generators = [_permutation([1, 0, *range(2, n)]), _permutation(np.roll(np.arange(n), -1))][
        : max(0, n - 1)
    ]
    sampler = functools.partial(sampling.random_permutation, d=n, even=False)
    return make(f"S({n})", n, [], generators, sampler, order=math.factorial(n))


def A(n: int) -> Group:
    """Alternating group: even permutations of n coordinates."""
    n = positive("A", n)
    cycles = []
    for k in range(2, n):
        row = np.arange(n)
        row[[0, 1, k]] = 1, k, 0
        cycles.append(_permutation(row))
    sampler = functools.partial(sampling.random_permutation, d=n, even=True)
    return make(f"A({n})", n, [], cycles, sampler, order=max(1, math.factorial(n) // 2))


def Z(n: int) -> Group:
    """Cyclic shifts of n coordinates."""
    n = positive("Z", n)
    return _finite(f"Z({n})", [_permutation((np.arange(n) + 1) % n)], n)


def C(n: int) -> Group:
    """Rotations of the plane by multiples of 2 pi / n."""
    n = positive("C", n)
    return _finite(f"C({n})", [_turn(n)], n)


def D(n: int) -> Group:
    """Rotations by multiples of 2 pi / n and the reflection of the first axis: the symmetries of a regular n-gon."""
    n = positive("D", n)
    return _finite(f"D({n})", [_turn(n), np.diag([-1.0, 1.0])], 2 * n)


def Cube() -> Group:
    """Rotations of a cube, permuting its six faces (+x, -x, +y, -y, +z, -z)."""
    faces = np.concatenate([np.stack([e, -e]) for e in np.eye(3)])
    turns = [_permutation([int(np.argmax(faces @ (h @ f))) for f in faces]) for h in _quarter_turns()]
    return _finite("Cube()", turns, 24)


def Octahedral() -> Group:
    """The 24 rotations of a cube or octahedron, on R^3."""
    return _finite("Octahedral()", _quarter_turns(), 24)


def Icosahedral() -> Group:
    """The 60 rotations of an icosahedron, on R^3."""
    golden = (1 + math.sqrt(5)) / 2
    third = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    # A fifth of a turn about the vertex (0, 1, golden).
    fifth = _rotation_about(np.array([0.0, 1.0, golden]), 2 * math.pi / 5)
    return _finite("Icosahedral()", [third, fifth], 60)


def RubiksCube() -> Group:
    """Face turns of Rubik's cube, permuting its 48 movable facelets."""
    stickers = [
        (position, normal)
        for position in itertools.product((-1, 0, 1), repeat=3)
        for normal in _signed_axes()
        if np.dot(position, normal) == 1 and np.count_nonzero(position) > 1
    ]
    index = {sticker: i for i, sticker in enumerate(stickers)}
    turns = []
    for axis in _signed_axes():
        turn = _rotation_about(np.array(axis, dtype=float), -math.pi / 2).round().astype(int)
        row = np.arange(len(stickers))
        for (position, normal), i in index.items():
            if np.dot(position, axis) == 1:
                row[i] = index[tuple((turn @ position).tolist()), tuple((turn @ normal).tolist())]
        turns.append(_permutation(row))
    return _finite("RubiksCube()", turns, 43_252_003_274_489_856_000)


def Trivial(n: int) -> Group:
    """The group of one element on R^n: every map is equivariant to it."""
    n = positive("Trivial", n)
    return make(f"Trivial({n})", n, [], [], functools.partial(sampling.trivial, d=n), order=1)


def _finite(text: str, generators: list[Array], order: int) -> Group:
    sampler = functools.partial(sampling.finite, generators=np.array(generators))
    return make(text, len(generators[0]), [], generators, sampler, order=order)


def _permutation(images: object) -> Array:
    """The matrix that sends coordinate i to images[i]."""
    row = np.asarray(images, dtype=int)
    matrix = np.zeros((len(row), len(row)))
    matrix[row, np.arange(len(row))] = 1.0
    return matrix


def _turn(n: int) -> Array:
    """Rotation by 2 pi / n, with exact entries where they are 0, 1/2 or 1."""
    c, s = (_exact(f(2 * math.pi / n)) for f in (math.cos, math.sin))
    return np.array([[c, -s], [s, c]])


def _exact(value: float) -> float:
    nearest = round(2 * value) / 2
    return nearest if abs(value - nearest) < 1e-12 else value


def _rotation_about(axis: Array, angle: float) -> Array:
    """Rodrigues' formula."""
    x, y, z = axis / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.asarray(np.eye(3) + math.sin(angle) * K + (1 - math.cos(angle)) * K @ K)


def _quarter_turns() -> list[Array]:
    return [np.round(_rotation_about(axis, math.pi / 2)) for axis in np.eye(3)]


def _signed_axes() -> list[tuple[int, int, int]]:
    return [(1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)]
