"""Invariants of permutation actions, exactly: no floating point, millions of coordinates.

If every generator permutes the coordinates, a vector is invariant iff it is constant on orbits, and orbits are the connected
components of the graph that joins each coordinate to where the generators send it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from softsym.groups import Group
from softsym.groups.elements import images
from softsym.reps import TensorType
from softsym.reps.atoms import discrete_elements
from softsym.spaces.limits import Cost
from softsym.spaces.solution import OrbitBasis, Solution
from softsym.spaces.solvers.solver import Applies, Solver
from softsym.typing import Index


class Orbits(Solver):
    """Orbits of the coordinates under a group of permutations; exact, so a tolerance makes no difference."""

    name = "orbits"

    def applies(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Applies:
        """To groups that permute coordinates."""
        if not group.lie and tensor_type.is_permutation(group):
            return Applies("well", "every generator permutes the coordinates")
        return Applies(
            "not", f"needs a group that permutes coordinates; {group.name} on {tensor_type} does not"
        )

    def cost(self, group: Group, tensor_type: TensorType) -> Cost:
        """A graph with an edge for each coordinate and generator, and a matrix of each tensor index."""
        edges = tensor_type.size(group) * (len(group.discrete) + 1)
        matrices = 2 * max((size**2 for size in tensor_type.shape(group)), default=0)
        return Cost(5 * edges + matrices, 100 * edges + matrices)

    def solve(self, group: Group, tensor_type: TensorType, tol: float | None = None) -> Solution:
        """One normalised indicator vector for each orbit."""
        shape, n = tensor_type.shape(group), tensor_type.size(group)
        targets = [
            _image_of_each(shape, [images(atom.rho(group, h)) for atom in tensor_type.atoms])
            for h in discrete_elements(group)
        ]
        return Solution(0.0, 0.0, np.inf, self.name, basis=OrbitBasis(_components(n, targets)))


def _image_of_each(shape: tuple[int, ...], moved: list[NDArray[np.intp]]) -> Index:
    """Flat index of the image of every flat index, when each tensor index is permuted on its own."""
    flat = np.zeros(1, dtype=np.int64)
    for size, row in zip(shape, moved, strict=True):
        flat = (flat[:, None] * size + row[None, :]).ravel()
    return flat


def _components(n: int, targets: list[Index]) -> Index:
    """Component of each node, numbered by first appearance."""
    if not targets:
        return np.arange(n)
    rows = np.tile(np.arange(n), len(targets))
    graph = coo_array((np.ones(len(rows), dtype=np.int8), (rows, np.concatenate(targets))), shape=(n, n))
    _, labels = connected_components(graph, directed=False)
    _, first = np.unique(labels, return_index=True)
    rank_of = np.empty(len(first), dtype=np.int64)
    rank_of[np.argsort(first)] = np.arange(len(first))
    return np.asarray(rank_of[labels], dtype=np.int64)


SOLVER = Orbits()
