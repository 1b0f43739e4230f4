r"""Points and displacements under affine groups.

A group in homogeneous coordinates, :math:`g = \begin{pmatrix} R & t \\ 0 & 1 \end{pmatrix}`, maps a point to :math:`R p + t` and a
displacement, the difference of two points, to :math:`R v`. In text ``P`` and ``D``: both have as many columns as the space has dimensions,
so tables need no homogeneous coordinate. ``D`` is a linear representation; ``P`` is not, because translations are not linear. Maps of
points are made by subtracting an equivariant point, such as their mean, from every point before and adding it after
(:func:`points_to_displacements`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups.group import is_affine as is_affine
from softsym.reps.atoms import Atom, Base, Dualizable, Element, Particles, inverse_transpose
from softsym.reps.rep import Rep, single
from softsym.typing import Array


@dataclass(frozen=True)
class DisplacementAtom(Dualizable):
    """A difference of two points."""

    def size(self, group: Group) -> int:
        _check(group, str(self))
        return group.dim - 1

    def rho(self, group: Group, g: Element) -> Array:
        """R of g, shape (..., d, d)."""
        _check(group, str(self))
        R = g.whole[..., :-1, :-1]
        return inverse_transpose(R) if self.is_dual else R

    def drho(self, group: Group, A: Element) -> Array:
        """The linear part of A, shape (..., d, d)."""
        _check(group, str(self))
        R = A.whole[..., :-1, :-1]
        return -R.swapaxes(-1, -2) if self.is_dual else R

    def order_key(self) -> tuple[object, ...]:
        return (4, self.is_dual)

    def __str__(self) -> str:
        return "D'" if self.is_dual else "D"


@dataclass(frozen=True)
class PointAtom(Atom):
    """A point: it has coordinates, but translations act on them by no matrix."""

    @property
    def dual(self) -> PointAtom:
        raise InputError("a point P has no dual; take D for displacements")

    def size(self, group: Group) -> int:
        _check(group, "P")
        return group.dim - 1

    def rho(self, group: Group, g: Element) -> Array:
        raise InputError(
            "a point P is translated, which no matrix does; centre points first (softsym.reps.affine.points_to_displacements)"
        )

    def drho(self, group: Group, A: Element) -> Array:
        return self.rho(group, A)

    def is_permutation(self, group: Group) -> bool:
        return False

    def order_key(self) -> tuple[object, ...]:
        return (5,)

    def __str__(self) -> str:
        return "P"


Point, Displacement = single(PointAtom()), single(DisplacementAtom())


def points_to_displacements(rep: Rep) -> Rep:
    """The representation of centred points: every point becomes a displacement."""
    return rep.map_atoms(lambda atom: DisplacementAtom() if isinstance(atom, PointAtom) else atom)


def has_points(*reps: Rep) -> bool:
    """Whether representations contain points or displacements."""
    return any(_is_point(atom) for rep in reps for _, tensor_type in rep for atom in tensor_type.atoms)


def points_to_vectors(rep: Rep) -> Rep:
    """The representation with points and displacements replaced by vectors."""
    return rep.map_atoms(lambda atom: Base() if _is_point(atom) else atom)


def _is_point(atom: Atom) -> bool:
    return isinstance(atom, PointAtom | DisplacementAtom)


def mean_point(rep: Rep, group: Group, X: Array) -> Array:
    """The mean point of every row, shape (n, d): an equivariant point."""
    where = point_columns(rep, group)
    if not len(where):
        raise InputError(f"{rep} has no points to take the centre of")
    return np.asarray(X[:, where].mean(axis=1))


def translate_points(rep: Rep, group: Group, X: Array, by: Array) -> Array:
    """Translates every point of rows (n, size) by (n, d)."""
    out = np.array(X, dtype=np.float64)
    for columns in point_columns(rep, group):
        out[:, columns] += by
    return out


def point_columns(rep: Rep, group: Group) -> NDArray[np.intp]:
    """The columns of every point, also of particles, (points, d)."""
    kinds = (
        (segment, [atom for atom in segment.type.atoms if not isinstance(atom, Particles)])
        for segment in rep.segments(group)
    )
    points = [segment for segment, atoms in kinds if atoms == [PointAtom()]]
    rows = [np.arange(segment.start, segment.stop).reshape(-1, group.dim - 1) for segment in points]
    return np.concatenate([np.zeros((0, group.dim - 1), dtype=np.intp), *rows])


def _check(group: Group, text: str) -> None:
    if not is_affine(group):
        raise InputError(f"{text} needs a group in homogeneous coordinates such as SE(3); {group.name} is none")
