"""Finite groups that stand for the parts of a compact one: polygons, rotations of polyhedra, signed shifts of axes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import expm
from scipy.spatial.transform import Rotation

from softsym.groups import finite
from softsym.groups.quadrature.algebra import UnknownError

Array = NDArray[np.float64]
POLYGON = 8
"""The smallest polygon that stands for a circle, so that functions that are no polynomials are averaged well too."""
_POLYHEDRA = {"tetrahedron": 2, "octahedron": 3, "icosahedron": 5}
"""Up to which spin the rotations of each polyhedron average exactly."""


@dataclass(frozen=True, eq=False)
class Piece:
    """What stands for one ideal of the algebra: generators of its finite group, and how exact it is."""

    generators: list[Array]
    degree: float
    label: str


def circle(A: Array, degree: int) -> Piece:
    """A polygon for the turns exp(tA): its frequencies must be multiples of one."""
    frequencies = np.abs(np.linalg.eigvals(A).imag)
    smallest = frequencies[frequencies > 1e-7].min()
    ratios = [Fraction(w / smallest).limit_denominator(12) for w in frequencies]
    if any(abs(float(r) - w / smallest) > 1e-6 for r, w in zip(ratios, frequencies, strict=True)):
        raise UnknownError("it winds around a torus with frequencies that have no common multiple")
    unit = smallest / math.lcm(*(r.denominator for r in ratios))
    highest = round(frequencies.max() / unit)
    m = max(POLYGON, degree + 1) * highest
    return Piece([expm(2 * math.pi / (m * unit) * A)], float((m - 1) // highest), f"C({m})")


def polyhedron(J: Array, degree: int) -> Piece:
    """The rotations of a polyhedron, written with the three generators, at the spins at which they act."""
    casimir = np.linalg.eigvalsh(-np.einsum("aij,ajk->ik", J, J)).max()
    spin = round(math.sqrt(1 + 4 * casimir) - 1) / 2
    fitting = [name for name, reach in _POLYHEDRA.items() if reach >= math.floor(degree * spin)]
    name = (fitting or ["icosahedron"])[0]
    turns = [expm(np.einsum("a,aij->ij", vector, J)) for vector in _turns(name)]
    doubled = expm(2 * math.pi * J[0])
    if not np.allclose(doubled, np.eye(len(doubled))):
        turns.append(doubled)
    # Tensors of degree p have integer spins up to floor(p * spin); the doubled group averages half-integer ones to zero.
    exact = math.ceil((_POLYHEDRA[name] + 1) / spin) - 1
    return Piece(turns, float(exact), f"rotations of the {name}")


def _turns(name: str) -> Array:
    """Rotation vectors that generate the rotations of a polyhedron."""
    if name == "tetrahedron":
        third = np.ones(3) / math.sqrt(3) * 2 * math.pi / 3
        return np.array([third, [math.pi, 0.0, 0.0]])
    group = finite.Octahedral() if name == "octahedron" else finite.Icosahedral()
    return np.asarray(Rotation.from_matrix(group.discrete_generators).as_rotvec())


def shifts(axes: Array) -> Piece:
    """Cyclic shifts of the axes with signs, those that are rotations."""
    n = axes.shape[1]
    shift = np.roll(np.eye(n), 1, axis=0)
    shift[0] *= np.linalg.det(shift)
    signs = np.eye(n)
    signs[[0, 1], [0, 1]] = -1
    rest = np.eye(len(axes)) - axes @ axes.T
    return Piece([axes @ g @ axes.T + rest for g in (shift, signs)], 3.0, f"signed shifts of {n} axes")
