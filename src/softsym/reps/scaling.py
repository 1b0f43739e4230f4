r"""Scale and direction of a vector as separate representations.

A conformal group, one that preserves angles, consists of rotations, reflections and scalings: :math:`g = \lambda R` with
:math:`\lambda = |\det g|^{1/d}` and R orthogonal. It multiplies the size of a vector by :math:`\lambda` and transforms the normalised
vector by R. Both are representations, ``Size`` and ``U`` in text. Scalings act trivially on U, so every map between U's is equivariant
to them and the only one from Size to U's is zero; rotations act trivially on Size and on U as on vectors.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from softsym.errors import InputError
from softsym.groups import Group
from softsym.reps.atoms import Atom, Base, Dualizable, Element, Sign, discrete_elements, lie_elements
from softsym.reps.rep import Rep, TensorType, single
from softsym.reps.symmetric import Subspace
from softsym.typing import Array

ROUNDING = 1e-12


@dataclass(frozen=True)
class UnscaledAtom(Atom):
    """A vector normalised to one size; its own dual, because R is orthogonal."""

    def size(self, group: Group) -> int:
        return group.dim

    def rho(self, group: Group, g: Element) -> Array:
        """R of g, shape (..., d, d)."""
        R = g.whole / _factor(g.whole)[..., None, None]
        _check(group, np.swapaxes(R, -1, -2) @ R - np.eye(group.dim))
        return np.asarray(R)

    def drho(self, group: Group, A: Element) -> Array:
        """The traceless part of A, shape (..., d, d)."""
        rest = A.whole - _rate(A.whole)[..., None, None] * np.eye(group.dim)
        _check(group, rest + np.swapaxes(rest, -1, -2))
        return np.where(np.abs(rest) > ROUNDING * np.abs(A.whole).max(initial=0.0), rest, 0.0)

    def order_key(self) -> tuple[object, ...]:
        return (2,)

    def __str__(self) -> str:
        return "U"


@dataclass(frozen=True)
class SizeAtom(Dualizable):
    """The size of an input: one number, multiplied by lambda."""

    def size(self, group: Group) -> int:
        return 1

    def rho(self, group: Group, g: Element) -> Array:
        """Lambda of g, shape (..., 1, 1)."""
        factor = _factor(g.whole)
        return np.asarray(1 / factor if self.is_dual else factor)[..., None, None]

    def drho(self, group: Group, A: Element) -> Array:
        """The derivative of lambda, shape (..., 1, 1)."""
        return (-1.0 if self.is_dual else 1.0) * _rate(A.whole)[..., None, None]

    def order_key(self) -> tuple[object, ...]:
        return (3, self.is_dual)

    def __str__(self) -> str:
        return "Size'" if self.is_dual else "Size"


Size, UnscaledVector = single(SizeAtom()), single(UnscaledAtom())


def remove_scaling(rep: Rep) -> Rep:
    """The representation of scalars, vectors and tensors after they are normalised to one size."""
    return Rep(tuple((copies, _unscaled(tensor_type)) for copies, tensor_type in rep))


def _unscaled(tensor_type: TensorType) -> TensorType:
    atoms: list[Atom] = []
    for atom in tensor_type.atoms:
        if isinstance(atom, Subspace):
            atoms.append(replace(atom, inner=_unscaled(atom.inner)))
        elif atom in (Base(), Base(is_dual=True), Sign()):
            atoms.append(atom if isinstance(atom, Sign) else UnscaledAtom())
        else:
            raise InputError(f"scalings can be taken out of scalars, vectors and tensors, not out of {tensor_type}")
    return TensorType(tuple(atoms))


def is_scaling(group: Group) -> bool:
    """Whether a group consists of multiples of the identity."""
    if len(group.part_dims) > 1 or len(group.lie_algebra) != 1 or len(group.discrete_generators):
        return False
    A = group.lie_algebra[0]
    return bool(np.allclose(A, A[0, 0] * np.eye(len(A))))


def preserves_angles(group: Group) -> bool:
    """Whether a group consists of rotations, reflections and scalings."""
    atom = UnscaledAtom()
    try:
        for A in lie_elements(group):
            atom.drho(group, A)
        for h in discrete_elements(group):
            atom.rho(group, h)
    except InputError:
        return False
    return True


def scaling_degrees(rep: Rep, group: Group) -> Array:
    """The power of the scale by which a group of scalings multiplies each coordinate, shape (size,)."""
    unit = group.lie_algebra[0] / group.lie_algebra[0][0, 0]
    return np.diag(rep.drho(group, unit)).copy()


def _factor(g: Array) -> Array:
    """Lambda of matrices (..., d, d); exactly one for orthogonal ones."""
    factor = np.abs(np.linalg.det(g)) ** (1 / g.shape[-1])
    return np.where(np.abs(factor - 1) < ROUNDING, 1.0, factor)


def _rate(A: Array) -> Array:
    """The derivative of lambda: the mean of the diagonal of matrices (..., d, d)."""
    return np.asarray(np.trace(A, axis1=-2, axis2=-1) / A.shape[-1])


def _check(group: Group, rest: Array) -> None:
    """Refuses groups that are not conformal."""
    if np.abs(rest).max(initial=0.0) > 1e-9:
        raise InputError(f"U is for groups of rotations, reflections and scalings; {group.name} is none")
