r"""How matrices act on the columns of a table, before a group is known.

Every matrix A of gl(d) is a velocity of the columns, :math:`d\rho(A)\, x`. Where columns are points, A has one more row and column
(homogeneous coordinates): its last column is a translation that acts on points alone.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softsym.errors import InputError
from softsym.groups import Trivial
from softsym.reps import Rep, TensorType
from softsym.reps.affine import DisplacementAtom, PointAtom
from softsym.reps.atoms import Base
from softsym.typing import Array

LARGEST_DIM = 8
"""Spaces of a larger dimension are refused: gl(9) has 81 directions to look into."""


@dataclass(frozen=True, eq=False)
class Action:
    """The columns of one side of a table.

    Args:
        rep: How they transform; points and displacements written as vectors.
        dim: Dimension d of the space.
        is_point: Which columns are of points, (size,).
        affine: Whether matrices are homogeneous.
        unit: A typical size of each column, the same for all columns of one copy of a type, (size,).
        shift: Subtracted from the columns before they are fitted, (size,).
    """

    rep: Rep
    dim: int
    is_point: NDArray[np.bool_]
    affine: bool
    unit: Array
    shift: Array

    def velocity(self, A: Array, X: Array) -> Array:
        """Velocities (k, n, size) of rows (n, size) under matrices (k, d, d), or (k, d + 1, d + 1) with points."""
        linear = A[:, : self.dim, : self.dim]
        velocity = np.einsum("kij,nj->kni", self.rep.drho(Trivial(self.dim), linear), X)
        return velocity + self._shifts(A)[:, None, :]

    def rates(self, A: Array) -> Array:
        """The linear part of the velocity, (k, size, size)."""
        return self.rep.drho(Trivial(self.dim), A[:, : self.dim, : self.dim])

    def moves(self, A: Array) -> bool:
        """Whether one of the matrices acts on a column."""
        return bool(np.abs(self.rates(A)).max(initial=0.0) > 0)

    def transform(self, h: Array, X: Array) -> Array:
        """Rows (n, size) transformed by one element (d, d), or (d + 1, d + 1) with points."""
        return np.asarray(X @ self.matrix(h).T + self._shifts(h[None])[0])

    def matrix(self, h: Array) -> Array:
        """The linear part of an element, (size, size)."""
        return self.rep.rho(Trivial(self.dim), h[: self.dim, : self.dim])

    def _shifts(self, A: Array) -> Array:
        """By how much each column is shifted, (k, size)."""
        shifts = np.zeros((len(A), len(self.is_point)))
        if self.affine:
            copies = int(self.is_point.sum()) // self.dim
            shifts[:, self.is_point] = np.tile(A[:, : self.dim, self.dim], (1, copies))
        return shifts

    def scaled(self, X: Array) -> Array:
        """Columns without units, as the kernel sees them."""
        return np.asarray((X - self.shift) / self.unit)


def actions(X: Array, Y: Array, rep_in: Rep, rep_out: Rep) -> tuple[Action, Action]:
    """Both sides of a table, with the dimension of the space that follows from their columns.

    Example:
        >>> import numpy as np, softsym as ss
        >>> both = actions(np.ones((5, 8)), np.ones((5, 1)), ss.rep("2V"), ss.rep("S"))
        >>> both[0].dim
        4
    """
    linear = [_as_vectors(rep) for rep in (rep_in, rep_out)]
    affine = any(_has_points(rep) for rep in (rep_in, rep_out))
    fitting = [
        d
        for d in range(1, LARGEST_DIM + 1)
        if (linear[0].size(Trivial(d)), linear[1].size(Trivial(d))) == (X.shape[1], Y.shape[1])
    ]
    if not fitting:
        raise InputError(
            f"{X.shape[1]} input and {Y.shape[1]} output columns are not {rep_in} and {rep_out} of any space of dimension 1 to "
            f"{LARGEST_DIM}"
        )
    if len(fitting) > 1:
        raise InputError(
            f"{rep_in} and {rep_out} have only scalars: nothing moves; pass vectors, V, or points, P"
        )
    d = fitting[0]
    first = _action(X, rep_in, linear[0], d, affine)
    return first, _action(Y, rep_out, linear[1], d, affine)


def basis_of(dim: int, affine: bool) -> Array:
    """All unit matrices of gl(d), (d^2, d, d); with points those of the affine algebra, (d^2 + d, d + 1, d + 1)."""
    size = dim + affine
    units = np.eye(size * size).reshape(-1, size, size)
    return units[: dim * size]


def _action(X: Array, rep: Rep, linear: Rep, d: int, affine: bool) -> Action:
    space = Trivial(d)
    unit, shift = np.ones(X.shape[1]), X.mean(axis=0)
    is_point = np.zeros(X.shape[1], dtype=bool)
    for (_, kind), segment in zip(rep, linear.segments(space), strict=True):
        is_point[segment.start : segment.stop] = kind.atoms == (PointAtom(),)
        for start in range(segment.start, segment.stop, segment.size):
            columns = slice(start, start + segment.size)
            size = float(np.sqrt(np.mean((X[:, columns] - shift[columns]) ** 2)))
            unit[columns] = size if size > 1e-9 * np.abs(shift[columns]).max() else 1.0
    return Action(linear, d, is_point, affine, unit, shift)


def _has_points(rep: Rep) -> bool:
    return any(isinstance(atom, PointAtom) for _, kind in rep for atom in kind.atoms)


def _as_vectors(rep: Rep) -> Rep:
    """The representation with points and displacements as vectors; term by term, so that each keeps its place."""
    terms = []
    for copies, kind in rep:
        atoms = tuple(
            Base() if isinstance(atom, PointAtom | DisplacementAtom) else atom for atom in kind.atoms
        )
        if any(isinstance(atom, PointAtom) for atom in kind.atoms) and len(atoms) > 1:
            raise InputError(f"a point is no factor of a tensor, got {kind}; take V for displacements")
        if any(not isinstance(atom, Base) or atom.part is not None for atom in atoms):
            raise InputError(f"groups are proposed for scalars, vectors, tensors and points, not for {kind}")
        terms.append((copies, type(kind)(atoms)))
    return _unmerged(terms)


def _unmerged(terms: list[tuple[int, TensorType]]) -> Rep:
    """A representation that keeps neighbouring terms of one type apart."""
    rep = Rep(())
    object.__setattr__(rep, "terms", tuple(terms))
    return rep
