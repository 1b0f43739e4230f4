"""Which candidate lies inside which: a symmetry of a large group is one of every subgroup."""

from __future__ import annotations

import numpy as np

from softsym.groups import Group
from softsym.groups.finite_subgroup import MAX_ORDER, finite_subgroup
from softsym.groups.sampling import close_algebra
from softsym.reps import T
from softsym.spaces import invariants
from softsym.typing import Array

LARGEST = 300  # tensors of at most this size are compared


def contains(group: Group, other: Group) -> bool:
    """Whether every element of ``other`` is one of ``group``.

    Elements of a finite group are looked up. Else the Lie algebra of ``other`` must lie in that of ``group``, and its generators must keep
    every tensor of low degree that ``group`` keeps; for a compact group of small matrices with a Lie algebra these tensors determine it.

    Example:
        >>> import softsym as ss
        >>> contains(ss.O(3), ss.group("SO(2)@z")), contains(ss.SO(3), ss.group("O(2)@z"))
        (True, False)
    """
    if group.dim != other.dim or len(group.part_dims) != len(other.part_dims):
        return False
    if len(group.part_dims) > 1 and group.part_dims == other.part_dims:
        return all(contains(group.factor(k), other.factor(k)) for k in range(len(group.part_dims)))
    if len(group.part_dims) == 1 and not _algebra_within(group, other):
        return False
    if len(group.part_dims) == 1 and group.is_finite and (group.order or np.inf) <= MAX_ORDER:
        return all(_is_element(group, h) for h in other.discrete_generators)
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


def _is_element(group: Group, h: Array) -> bool:
    """Whether a matrix is one of a finite group's elements."""
    gaps = np.abs(finite_subgroup(group).parts[0] - h).max(axis=(1, 2))
    return bool(gaps.min() < 1e-7)


def _algebra_within(group: Group, other: Group) -> bool:
    """Whether the other group's Lie algebra lies in this one's: tensors of low degree do not tell a polygon from a circle."""
    algebra = close_algebra(list(group.lie_algebra), list(group.discrete_generators)).reshape(-1, group.dim**2)
    return all(
        np.allclose(algebra.T @ (algebra @ A.ravel()), A.ravel(), atol=1e-7 * max(1.0, float(np.abs(A).max())))
        for A in other.lie_algebra
    )
