"""Which candidate lies inside which: a symmetry of a large group is one of every subgroup."""

from __future__ import annotations

import numpy as np

from softsym.groups import Group
from softsym.groups.finite_subgroup import close_algebra
from softsym.reps import T
from softsym.spaces import invariants

LARGEST = 300
"""Tensors of at most this size are compared."""


def contains(group: Group, other: Group) -> bool:
    """Whether every element of ``other`` is one of ``group``, as far as tensors of low degree tell.

    Generators of turns must lie in the algebra that the larger group's generate, and every tensor that the larger group keeps must be
    kept by the smaller one's generators; for a compact group of small matrices these tensors determine the group.

    Example:
        >>> import softsym as ss
        >>> contains(ss.O(3), ss.group("SO(2)@z")), contains(ss.SO(3), ss.group("O(2)@z"))
        (True, False)
    """
    if group.dim != other.dim or len(group.part_dims) != len(other.part_dims):
        return False
    if len(group.part_dims) == 1 and not _turns_within(group, other):
        return False
    d = group.dim
    for p, q in ((1, 0), (0, 1), (1, 1), (2, 0), (0, 2), (3, 0), (4, 0), (2, 2)):
        if d ** (p + q) > LARGEST:
            continue
        rep = T(p, q)
        kept = invariants(rep, group).basis()
        if not kept.size:
            continue
        for h in other.discrete_generators:
            if not np.allclose(rep.rho(other, h) @ kept, kept, atol=1e-7):
                return False
        for A in other.lie_algebra:
            if not np.allclose(rep.drho(other, A) @ kept, 0.0, atol=1e-7):
                return False
    return True


def _turns_within(group: Group, other: Group) -> bool:
    """Whether the other group's Lie algebra lies in this one's: tensors of low degree do not tell a hexagon from a circle."""
    algebra = close_algebra(list(group.lie_algebra), list(group.discrete_generators)).reshape(
        -1, group.dim**2
    )
    return all(
        np.allclose(
            algebra.T @ (algebra @ A.ravel()), A.ravel(), atol=1e-7 * max(1.0, float(np.abs(A).max()))
        )
        for A in other.lie_algebra
    )
