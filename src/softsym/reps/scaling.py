r"""Scalings taken out of a representation.

A group that keeps angles consists of rotations, reflections and scalings: :math:`g = \lambda R` with :math:`\lambda = |\det g|^{1/d}` and
R orthogonal. It changes the size of a vector by :math:`\lambda` and what is left of the vector, once it is brought to one size, by R.
Both are representations, ``Size`` and ``U`` in text. Scalings leave U alone, so every map between U's is equivariant to them and the
only one from Size to U's is zero; rotations leave Size alone and treat U as the vector that it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softsym.errors import InputError
from softsym.groups import Group, elements
from softsym.reps.atoms import Base
from softsym.reps.element import Element, discrete_elements, lie_elements
from softsym.reps.rep import Rep, TensorType

Array = NDArray[np.float64]
DUST = 1e-12


@dataclass(frozen=True)
class Unscaled:
    """A vector brought to one size; its own dual, for what is left of the group is orthogonal."""

    @property
    def dual(self) -> Unscaled:
        """The same."""
        return self

    def size(self, group: Group) -> int:
        """Number of coordinates."""
        return group.dim

    def rho(self, group: Group, g: Element) -> Array:
        """R of g, shape (..., d, d)."""
        R = g.whole / _factor(g.whole)[..., None, None]
        _check(group, np.swapaxes(R, -1, -2) @ R - np.eye(group.dim))
        return np.asarray(R)

    def drho(self, group: Group, A: Element) -> Array:
        """A without its multiple of one, shape (..., d, d)."""
        rest = A.whole - _rate(A.whole)[..., None, None] * np.eye(group.dim)
        _check(group, rest + np.swapaxes(rest, -1, -2))
        return np.where(np.abs(rest) > DUST * np.abs(A.whole).max(initial=0.0), rest, 0.0)

    def is_permutation(self, group: Group) -> bool:
        """Whether what is left of the group only permutes these coordinates; nothing is left of a scaling."""
        return not any(self.drho(group, A).any() for A in lie_elements(group)) and all(
            elements.is_permutation(self.rho(group, h)) for h in discrete_elements(group)
        )

    def without_dual(self) -> Unscaled:
        """The same."""
        return self

    def order_key(self) -> tuple[object, ...]:
        """After base atoms and points."""
        return (2,)

    def __str__(self) -> str:
        return "U"


@dataclass(frozen=True)
class SizeAtom:
    """How large an input is: one number that scalings change and nothing else does.

    Args:
        is_dual: Whether elements act by their inverse.
    """

    is_dual: bool = False

    @property
    def dual(self) -> SizeAtom:
        """The dual atom."""
        return SizeAtom(not self.is_dual)

    def size(self, group: Group) -> int:
        """One."""
        return 1

    def rho(self, group: Group, g: Element) -> Array:
        """Lambda of g, shape (..., 1, 1)."""
        factor = _factor(g.whole)
        return np.asarray(1 / factor if self.is_dual else factor)[..., None, None]

    def drho(self, group: Group, A: Element) -> Array:
        """The derivative of lambda, shape (..., 1, 1)."""
        return (-1.0 if self.is_dual else 1.0) * _rate(A.whole)[..., None, None]

    def is_permutation(self, group: Group) -> bool:
        """Whether the group leaves sizes alone."""
        return all(_rate(A.whole) == 0 for A in lie_elements(group)) and all(
            _factor(h.whole) == 1 for h in discrete_elements(group)
        )

    def without_dual(self) -> SizeAtom:
        """The atom itself: orthogonal groups leave it alone."""
        return SizeAtom()

    def order_key(self) -> tuple[object, ...]:
        """Last, the dual behind."""
        return (3, self.is_dual)

    def __str__(self) -> str:
        return "Size'" if self.is_dual else "Size"


Size = Rep(((1, TensorType((SizeAtom(),))),))
UnscaledVector = Rep(((1, TensorType((Unscaled(),))),))


def unscaled(rep: Rep) -> Rep:
    """The representation of scalars, vectors and tensors after they are brought to one size.

    Example:
        >>> import softsym as ss
        >>> unscaled(ss.rep("2S + 3V + T(1,1)"))
        2S + 3U + U*U
    """
    for _, kind in rep:
        if any(atom not in (Base(), Base(is_dual=True)) for atom in kind.atoms):
            raise InputError(f"scalings can be taken out of scalars, vectors and tensors, not out of {kind}")
    return Rep(tuple((copies, TensorType((Unscaled(),) * kind.rank)) for copies, kind in rep))


def is_scaling(group: Group) -> bool:
    """Whether a group consists of multiples of the identity.

    Example:
        >>> import softsym as ss
        >>> is_scaling(ss.group("Scaling(3)")), is_scaling(ss.group("SO(2)"))
        (True, False)
    """
    if len(group.part_dims) > 1 or len(group.lie_algebra) != 1 or len(group.discrete_generators):
        return False
    A = group.lie_algebra[0]
    return bool(np.allclose(A, A[0, 0] * np.eye(len(A))))


def keeps_angles(group: Group) -> bool:
    """Whether a group consists of rotations, reflections and scalings.

    Example:
        >>> import softsym as ss
        >>> keeps_angles(ss.group("O(3) | Scaling(3)")), keeps_angles(ss.group("SL(3)"))
        (True, False)
    """
    atom = Unscaled()
    try:
        for A in lie_elements(group):
            atom.drho(group, A)
        for h in discrete_elements(group):
            atom.rho(group, h)
    except InputError:
        return False
    return True


def degrees(rep: Rep, group: Group) -> Array:
    """By which power of the scaling each coordinate grows, for a group that scales; shape (size,).

    Example:
        >>> import softsym as ss
        >>> degrees(ss.rep("S + V + V'"), ss.group("Scaling(2)"))
        array([ 0.,  1.,  1., -1., -1.])
    """
    unit = group.lie_algebra[0] / group.lie_algebra[0][0, 0]
    return np.diag(rep.drho(group, unit)).copy()


def _factor(g: Array) -> Array:
    """Lambda of matrices (..., d, d); exactly one for orthogonal ones, so that what they leave alone stays so."""
    factor = np.abs(np.linalg.det(g)) ** (1 / g.shape[-1])
    return np.where(np.abs(factor - 1) < DUST, 1.0, factor)


def _rate(A: Array) -> Array:
    """The multiple of one in matrices (..., d, d)."""
    return np.asarray(np.trace(A, axis1=-2, axis2=-1) / A.shape[-1])


def _check(group: Group, rest: Array) -> None:
    """Refuses groups of which more than rotations and reflections is left."""
    if np.abs(rest).max(initial=0.0) > 1e-9:
        raise InputError(f"U is for groups of rotations, reflections and scalings; {group.name} is none")
