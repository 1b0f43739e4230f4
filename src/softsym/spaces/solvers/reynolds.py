r"""Invariants of small finite groups by averaging over the group.

The Reynolds operator :math:`P = \frac{1}{|G|} \sum_g \rho(g)` projects onto the invariants, and its trace, the mean character, is
their dimension: an exact integer, so no threshold is needed. P is applied to random vectors, never formed.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from softsym.groups import Group
from softsym.reps import TensorType
from softsym.reps.element import Element, group_element
from softsym.spaces.solution import DenseBasis, Solution
from softsym.spaces.solvers.constraints import constraints, residual

Array = NDArray[np.float64]


def solve(group: Group, kind: TensorType) -> Solution:
    """Averages as many random vectors as the mean character says there are invariants."""
    n, shape = kind.size(group), kind.shape(group)
    factors = [[atom.rho(group, g) for atom in kind.atoms] for g in listed(group)]
    characters = [math.prod(float(np.trace(matrix)) for matrix in row) for row in factors]
    rank = round(sum(characters) / len(characters))
    block = np.random.default_rng(0).standard_normal((n, min(n, rank + 4)))
    for _ in range(2):  # the second average removes the rounding of the first
        block = sum((_act(row, block, shape) for row in factors), np.zeros_like(block)) / len(factors)
        block = np.linalg.svd(block, full_matrices=False)[0][:, :rank] if rank else block[:, :0]
    return Solution(
        residual(constraints(group, kind), block), 0.0, np.inf, "reynolds", basis=DenseBasis(block)
    )


def listed(group: Group) -> list[Element]:
    """All elements of a finite group, with their parts if it is a direct product."""
    if len(group.part_dims) == 1:
        return [group_element(group, g) for g in group.elements]
    from softsym.groups.elements import closure

    combinations: list[tuple[Array, ...]] = [()]
    for part, d in enumerate(group.part_dims):
        generators = np.array([np.eye(d), *(g.matrix for g in group.discrete if g.part == part)])
        found = closure(generators)
        assert found is not None  # the group's order is known to be small
        combinations = [(*done, g) for done in combinations for g in found]
    return [group_element(group, combination) for combination in combinations]


def _act(factors: list[Array], X: Array, shape: tuple[int, ...]) -> Array:
    tensor = X.reshape(*shape, X.shape[1])
    for axis, matrix in enumerate(factors):
        tensor = np.moveaxis(np.tensordot(matrix, tensor, axes=(1, axis)), 0, axis)
    return np.ascontiguousarray(tensor).reshape(X.shape)
