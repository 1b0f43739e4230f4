"""Which way a group's kernel is made: averaged, canonicalised or polynomial, the first that applies."""

from __future__ import annotations

from softsym.errors import InputError
from softsym.gp.features import scaling_power, without_scaling
from softsym.groups import Group
from softsym.groups.finite_subgroup import finite_subgroup
from softsym.inference.kernels.averaged import Averaged
from softsym.inference.kernels.canonicalised import Canonicalised
from softsym.inference.kernels.equivariant import EquivariantKernel, UnconstrainedKernel
from softsym.inference.kernels.polynomial import Polynomial
from softsym.reps import Rep


def equivariant_kernel(group: Group, rep_in: Rep, rep_out: Rep) -> EquivariantKernel:
    """The kernel of a group by the first method that applies: averaged, canonicalised, polynomial.

    Example:
        >>> import softsym as ss
        >>> [equivariant_kernel(ss.group(text), ss.rep("2V"), ss.rep("S")).method for text in ("O(2)@z", "Scaling(3)", "SL(3)")]
        ['averaged over 16 elements', 'inputs divided by their size', 'polynomial maps of degree 3']
    """
    rest, scales = without_scaling(group)
    moving = scales and any(scaling_power(type_) for _, type_ in rep_in)
    if (moving or not scales) and (rest is None or rest.is_orthogonal):
        try:
            inner = (
                UnconstrainedKernel(group, rep_in)
                if rest is None
                else Averaged(rest, rep_in, finite_subgroup(rest))
            )
            return Canonicalised(group, rep_in, inner) if scales else inner
        except InputError:
            if not scales:
                raise
    return Polynomial(group, rep_in, rep_out)
