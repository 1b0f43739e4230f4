r"""Invariants of small finite groups by averaging over the group.

The Reynolds operator :math:`P = \frac{1}{|G|} \sum_g \rho(g)` projects onto the invariants, and its trace, the mean character, is
their dimension: an exact integer, so no threshold is needed. P is applied to random vectors, never formed.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

from softsym.groups import Group
from softsym.reps import TensorType
from softsym.reps.atoms import Element, group_element
from softsym.spaces.solution import Solution
from softsym.spaces.solvers.solver import NO_TOLERANCE, Applies, Cost, Solver, constraints, residual
from softsym.typing import Array

MAX_ORDER = 256


class Reynolds(Solver):
    """Averages over all elements of a finite group."""

    name = "reynolds"

    def applies(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Applies:
        if not group.is_finite:
            return Applies("not", f"needs a finite group; {group.name} is not")
        if tol is not None:
            return NO_TOLERANCE
        if (group.order or 0) <= MAX_ORDER:
            return Applies("well", f"the group has only {group.order} elements")
        return Applies("if asked", f"would average over {group.order} elements")

    def cost(self, group: Group, tensor_type: TensorType) -> Cost:
        """Every element acts on about as many vectors as there are invariants."""
        n, order = tensor_type.size(group), group.order or 1
        block = n * (n / order + 4)
        return Cost(4 * block, 4 * order * block * sum(tensor_type.shape(group)) + 10 * block * (n / order + 4))

    def solve(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Solution:
        """Averages as many random vectors as the mean character says there are invariants."""
        n, shape = tensor_type.size(group), tensor_type.shape(group)
        factors = [[atom.rho(group, g) for atom in tensor_type.atoms] for g in list_elements(group)]
        characters = [math.prod(float(np.trace(matrix)) for matrix in row) for row in factors]
        rank = round(sum(characters) / len(characters))
        block = np.random.default_rng(0).standard_normal((n, min(n, rank + 4)))
        for _ in range(2):  # the second average removes the rounding of the first
            block = sum((_act(row, block, shape) for row in factors), np.zeros_like(block)) / len(factors)
            block = np.linalg.svd(block, full_matrices=False)[0][:, :rank] if rank else block[:, :0]
        error = residual(constraints(group, tensor_type), block)
        return Solution(error, 0.0, np.inf, self.name, basis=block)


def list_elements(group: Group) -> list[Element]:
    """All elements of a finite group, with their parts if it is a direct product."""
    factors = [group.factor(part).elements for part in range(len(group.part_dims))]
    return [group_element(group, parts) for parts in itertools.product(*factors)]


def _act(factors: list[Array], X: Array, shape: tuple[int, ...]) -> Array:
    tensor = X.reshape(*shape, X.shape[1])
    for axis, matrix in enumerate(factors):
        tensor = np.moveaxis(np.tensordot(matrix, tensor, axes=(1, axis)), 0, axis)
    return np.ascontiguousarray(tensor).reshape(X.shape)


REYNOLDS = Reynolds()
