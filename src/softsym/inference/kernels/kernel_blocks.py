r"""Blocks: outputs split into parts that no candidate mixes.

Copies of a type transform alike, so they are right-hand sides of one linear system. A type splits further into the subspaces that
every candidate maps to itself: T(2) under O(3) into its trace, its antisymmetric and its symmetric traceless part. They are the
eigenspaces of a random matrix that commutes with the group,

.. math:: M = \frac{1}{|F|} \sum_{g \in F} \rho(g)\, S\, \rho(g)^T, \qquad S = S^T \text{ random.}
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from softsym.errors import InputError
from softsym.groups import Group, join_groups
from softsym.groups.finite_subgroup import FiniteSubgroup, finite_subgroup
from softsym.reps import Rep, TensorType
from softsym.reps.atoms import group_element
from softsym.typing import Array

NEGLIGIBLE = 1e-20
"""Share of the outputs' squares below which a block is zero."""


@dataclass(frozen=True, eq=False)
class Block:
    """Coordinates of the outputs that are treated together.

    Args:
        type: The tensor type.
        columns: Output columns of every copy, shape (copies, size of the type).
        basis: Orthonormal coordinates within the type, shape (size, b).
    """

    type: TensorType
    columns: NDArray[np.intp]
    basis: Array

    @property
    def size(self) -> int:
        """Number b of coordinates."""
        return self.basis.shape[1]

    def read(self, Y: Array) -> Array:
        """Outputs (n, outputs) in the block's coordinates, shape (b n, copies), coordinate by coordinate."""
        inside = Y[:, self.columns] @ self.basis
        return inside.transpose(2, 0, 1).reshape(-1, len(self.columns))

    def add_to(self, Y: Array, values: Array) -> None:
        """Adds values (b n, copies) to the outputs (n, outputs) they belong to."""
        inside = values.reshape(self.size, len(Y), -1).transpose(1, 2, 0)
        Y[:, self.columns] += inside @ self.basis.T

    def variances(self, variance: Array) -> Array:
        """Variances of the type's coordinates (n, size) from covariances of the block's (n, b, b)."""
        return np.einsum("sa,nab,sb->ns", self.basis, variance, self.basis)

    def rho(self, group: Group, subgroup: FiniteSubgroup) -> Array:
        """Matrices of the set's elements on the block, shape (q, b, b)."""
        whole = self.type.rho(group, group_element(group, subgroup.parts))
        return np.asarray(self.basis.T @ whole @ self.basis)


def output_blocks(rep_out: Rep, groups: Sequence[Group]) -> list[Block]:
    """The blocks of a representation that no group mixes.

    Example:
        >>> import softsym as ss
        >>> [block.size for block in output_blocks(ss.rep("2T(2)"), [ss.O(3)])]
        [1, 3, 5]
    """
    whole = join_groups(groups)
    columns: dict[TensorType, list[range]] = {}
    for segment in rep_out.segments(whole):
        starts = range(segment.start, segment.stop, segment.size)
        columns.setdefault(segment.type, []).extend(range(start, start + segment.size) for start in starts)
    try:
        subgroup = finite_subgroup(whole) if whole.is_orthogonal else None
    except InputError:
        subgroup = None
    blocks = []
    for type_, ranges in columns.items():
        index = np.array(ranges, dtype=np.intp)
        size = index.shape[1]
        bases = [np.eye(size)] if subgroup is None or size == 1 else _split(type_, whole, subgroup)
        blocks += [Block(type_, index, basis) for basis in bases]
    return blocks


def nonzero_blocks(rep_out: Rep, groups: Sequence[Group], Y: Array) -> list[Block]:
    """The blocks in which outputs (n, outputs) are not zero."""
    total = float(np.sum(Y**2))
    return [
        block
        for block in output_blocks(rep_out, groups)
        if float(np.sum(block.read(Y) ** 2)) > NEGLIGIBLE * total
    ]


def _split(type_: TensorType, group: Group, subgroup: FiniteSubgroup) -> list[Array]:
    rho = type_.rho(group, group_element(group, subgroup.parts))
    S = np.random.default_rng(0).standard_normal((rho.shape[-1],) * 2)
    commuting = np.mean(rho @ (S + S.T) @ rho.swapaxes(1, 2), axis=0)
    values, vectors = np.linalg.eigh(commuting)
    cuts = np.flatnonzero(np.diff(values) > 1e-8 * np.abs(values).max()) + 1
    return sorted(np.split(vectors, cuts, axis=1), key=lambda basis: basis.shape[1])
