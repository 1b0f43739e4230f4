r"""Which hidden representation to propose for so many numbers.

Where the candidates together make a finite group, hidden numbers are its regular representations: channels in orbits that every candidate
permutes, so that every pointwise nonlinearity commutes with them. For continuous groups numbers that go through one are
scalars, and others are scalars, vectors and tensors in equal shares.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from softsym.errors import InputError
from softsym.groups import C, D, Group, join_groups
from softsym.groups import group as read_group
from softsym.reps import Permutation, Regular, Rep, Scalar, hidden_rep
from softsym.reps.permutation import orbit

Hidden = Literal["scalars", "mixed"]
LARGEST_ORDER = 64
"""The largest group whose regular representation is proposed; orbits of special points are smaller."""


@dataclass(frozen=True)
class Proposer:
    """Proposes hidden representations for some candidates.

    Args:
        groups: The candidates.
        hidden: What numbers are that go through a pointwise nonlinearity, for continuous groups: ``scalars``, which stay exactly
            equivariant, or ``mixed`` like the others, which then break the symmetry a little.

    Example:
        >>> import softsym as ss
        >>> Proposer((ss.group("C(4)"), ss.group("O(1)@2[0]"))).rep(20, pointwise=True)
        2Regular(D(4)) + 4S
        >>> Proposer((ss.group("O(2)@z"),)).rep(20, pointwise=True), Proposer((ss.group("O(2)@z"),)).rep(20, pointwise=False)
        (20S, 11S + 3V)
    """

    groups: Sequence[Group]
    hidden: Hidden = "scalars"

    def rep(self, size: int, *, pointwise: bool) -> Rep:
        """A representation of so many numbers.

        Args:
            size: How many.
            pointwise: Whether a nonlinearity acts on each of them by itself.
        """
        largest = join_groups(dict.fromkeys(self.groups))
        if largest.is_permutation and size > 1:
            return hidden_rep(size, largest)
        if largest.is_finite:
            block = _orbit(largest, size)
            if block is None:
                return size * Scalar
            copies, rest = divmod(size, block.size(largest))
            return copies * block + rest * Scalar
        if pointwise and self.hidden == "scalars":
            return size * Scalar
        return hidden_rep(size, largest)


def _orbit(group: Group, size: int) -> Rep | None:
    """The largest orbit that fits."""
    if len(group.elements) <= min(size, LARGEST_ORDER):
        return Regular(_named(group))
    points = [np.array(p) for p in itertools.product((0.0, 1.0), repeat=group.dim) if any(p)]
    orbits = [places for places in (orbit(group, p) for p in points) if 1 < len(places) <= size]
    return Permutation(max(orbits, key=len)) if orbits else None


def _named(group: Group) -> Group:
    """The same group under a short name, where it has one."""
    order = len(group.elements)
    catalogue = [C(order), D(order // 2)] if group.dim == 2 and order > 1 else []
    if group.dim == 3:
        catalogue = [read_group("Octahedral()")]
    mine = {tuple(row) for row in _rows(group)}
    return next((known for known in catalogue if {tuple(row) for row in _rows(known)} == mine), group)


def _rows(group: Group) -> list[list[float]]:
    return (group.elements.reshape(len(group.elements), -1).round(6) + 0.0).tolist()


def check_hidden(hidden: str) -> None:
    """Refuses what is neither ``scalars`` nor ``mixed``."""
    if hidden not in ("scalars", "mixed"):
        raise InputError(f"`hidden` is 'scalars' or 'mixed', got {hidden!r}")
