r"""Points and displacements under affine groups.

A group in homogeneous coordinates, :math:`g = \begin{pmatrix} R & t \\ 0 & 1 \end{pmatrix}`, moves a point to :math:`R p + t` and a
displacement, the difference of two points, to :math:`R v`. In text ``P`` and ``D``: both have as many columns as the space has dimensions,
so a table keeps its columns as they are. ``D`` is an ordinary representation. ``P`` is none (a shift is not linear): maps of points are
made by taking an equivariant point, such as their mean, off every point before and adding it after (:func:`centred`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softsym.errors import InputError
from softsym.groups import Group
from softsym.reps.atoms import Base
from softsym.reps.element import Element, discrete_elements, lie_elements
from softsym.reps.rep import Rep, TensorType

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Displacement:
    """A difference of points.

    Args:
        is_dual: Whether elements act by their inverse transpose.
    """

    is_dual: bool = False

    @property
    def dual(self) -> Displacement:
        """The dual atom."""
        return Displacement(not self.is_dual)

    def size(self, group: Group) -> int:
        """Dimension of the space."""
        _check(group, str(self))
        return group.dim - 1

    def rho(self, group: Group, g: Element) -> Array:
        """R of g, shape (..., d, d)."""
        _check(group, str(self))
        R = g.whole[..., :-1, :-1]
        return np.asarray(np.linalg.inv(R).swapaxes(-1, -2)) if self.is_dual else R

    def drho(self, group: Group, A: Element) -> Array:
        """The linear part of A, shape (..., d, d)."""
        _check(group, str(self))
        R = A.whole[..., :-1, :-1]
        return -R.swapaxes(-1, -2) if self.is_dual else R

    def is_permutation(self, group: Group) -> bool:
        """Whether the linear part only permutes coordinates: never asked for more than translations."""
        return not any(A.whole[:-1, :-1].any() for A in lie_elements(group)) and all(
            np.array_equal(h.whole[:-1, :-1], np.eye(group.dim - 1)) for h in discrete_elements(group)
        )

    def without_dual(self) -> Displacement:
        """The same under an orthogonal group."""
        return Displacement()

    def order_key(self) -> tuple[object, ...]:
        """After all others."""
        return (4, self.is_dual)

    def __str__(self) -> str:
        return "D'" if self.is_dual else "D"


@dataclass(frozen=True)
class PointAtom:
    """A point: it has columns, and no matrices."""

    @property
    def dual(self) -> PointAtom:
        """There is none."""
        raise InputError("a point P has no dual; take D for displacements")

    def size(self, group: Group) -> int:
        """Dimension of the space."""
        _check(group, "P")
        return group.dim - 1

    def rho(self, group: Group, g: Element) -> Array:
        """Refused: a shift is not linear."""
        raise InputError(
            "a point P is moved by shifts, which are no matrices; centre points first (softsym.reps.points.centred)"
        )

    def drho(self, group: Group, A: Element) -> Array:
        """Refused: a shift is not linear."""
        return self.rho(group, A)

    def is_permutation(self, group: Group) -> bool:
        """Never."""
        return False

    def without_dual(self) -> PointAtom:
        """The same."""
        return self

    def order_key(self) -> tuple[object, ...]:
        """Last."""
        return (5,)

    def __str__(self) -> str:
        return "P"


Point = Rep(((1, TensorType((PointAtom(),))),))
Arrow = Rep(((1, TensorType((Displacement(),))),))


def is_affine(group: Group) -> bool:
    """Whether the last row of every element is (0, ..., 0, 1), as homogeneous coordinates have it.

    Example:
        >>> import softsym as ss
        >>> is_affine(ss.SE(3)), is_affine(ss.SO(3))
        (True, False)
    """
    last = np.eye(group.dim)[-1]
    return (
        group.dim > 1
        and not group.lie_algebra[:, -1].any()
        and bool((group.discrete_generators[:, -1] == last).all())
    )


def centred(rep: Rep) -> Rep:
    """The representation of a table whose points were centred: every point is a displacement.

    Example:
        >>> import softsym as ss
        >>> centred(ss.rep("S + 2P + D"))
        S + 3D
    """
    return Rep(
        tuple(
            (copies, TensorType((Displacement(),)) if kind.atoms == (PointAtom(),) else kind)
            for copies, kind in rep
        )
    )


def has_points(*reps: Rep) -> bool:
    """Whether columns are points or displacements.

    Example:
        >>> import softsym as ss
        >>> has_points(ss.rep("2P"), ss.rep("V")), has_points(ss.rep("2V"))
        (True, False)
    """
    return any(
        isinstance(atom, PointAtom | Displacement) for rep in reps for _, kind in rep for atom in kind.atoms
    )


def as_vectors(rep: Rep) -> Rep:
    """The representation with points and displacements as vectors.

    Example:
        >>> import softsym as ss
        >>> as_vectors(ss.rep("S + 2P + D"))
        S + 3V
    """
    terms = []
    for copies, kind in rep:
        atoms = tuple(Base() if isinstance(atom, PointAtom | Displacement) else atom for atom in kind.atoms)
        terms.append((copies, TensorType(atoms)))
    return Rep(tuple(terms))


def centre(rep: Rep, group: Group, X: Array) -> Array:
    """The mean point of every row, shape (n, d): an equivariant point."""
    where = _columns(rep, group)
    if not len(where):
        raise InputError(f"{rep} has no points to take the centre of")
    return np.asarray(X[:, where].mean(axis=1))


def shifted(rep: Rep, group: Group, X: Array, by: Array) -> Array:
    """Rows (n, size) with every point shifted by (n, d).

    Example:
        >>> import numpy as np, softsym as ss
        >>> rep, X = ss.rep("2P + D"), np.arange(6.0)[None]
        >>> shifted(rep, ss.SE(2), X, -centre(rep, ss.SE(2), X))
        array([[-1., -1.,  1.,  1.,  4.,  5.]])
    """
    out = np.array(X, dtype=np.float64)
    for columns in _columns(rep, group):
        out[:, columns] += by
    return out


def _columns(rep: Rep, group: Group) -> NDArray[np.intp]:
    """The columns of every point, (points, d)."""
    rows = [
        np.arange(start, start + segment.size)
        for segment in rep.segments(group)
        if segment.type.atoms == (PointAtom(),)
        for start in range(segment.start, segment.stop, segment.size)
    ]
    return np.array(rows, dtype=np.intp)


def _check(group: Group, text: str) -> None:
    if not is_affine(group):
        raise InputError(
            f"{text} needs a group in homogeneous coordinates such as SE(3); {group.name} is none"
        )
