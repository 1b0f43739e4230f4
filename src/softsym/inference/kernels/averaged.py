r"""Kernels averaged over a finite subgroup F, for compact groups.

.. math:: K_G(x, x') = \frac{1}{|F|} \sum_{g \in F} k(x, \rho_{in}(g) x')\, \rho_{out}(g) .

F is a group, so that :math:`K_G` is exactly symmetric and positive, and k I is the sum of :math:`K_G` and a complementary kernel.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from softsym.groups import Group
from softsym.groups.finite_subgroup import FiniteSubgroup
from softsym.inference.kernels.base import CHUNK, Kernel, slices, squares
from softsym.inference.kernels.equivariant import EquivariantKernel, split_coordinates
from softsym.inference.kernels.kernel_blocks import Block
from softsym.metrics.transform import act
from softsym.reps import Rep
from softsym.typing import Array

TILE = 128
"""Rows of a tile that fits into a core's cache."""


class Averaged(EquivariantKernel):
    """A kernel averaged over a finite subgroup."""

    def __init__(self, group: Group, rep_in: Rep, subgroup: FiniteSubgroup) -> None:
        super().__init__(group, rep_in)
        self.subgroup = subgroup

    @functools.cached_property
    def _inverse_pairs(self) -> tuple[NDArray[np.intp], Array]:
        """One element of each pair (g, g^-1), and 1 or 2 for how many it stands for."""
        flat = np.concatenate([part.reshape(len(part), -1) for part in self.subgroup.parts], axis=1)
        back = np.concatenate(
            [part.swapaxes(1, 2).reshape(len(part), -1) for part in self.subgroup.parts], axis=1
        )
        distance = squares(flat)[:, None] + squares(back)[None] - 2 * flat @ back.T / flat.shape[1]
        inverse = distance.argmin(axis=0)
        index = np.arange(len(inverse))
        first = index <= inverse
        return index[first], np.where(inverse == index, 1.0, 2.0)[first]

    def grams(
        self, kernels: Sequence[Kernel], blocks: Sequence[Block], left: Array, right: Array | None = None
    ) -> list[list[Array]]:
        """See the base class."""
        symmetric = right is None
        which, weight = (
            self._inverse_pairs if symmetric else (np.arange(len(self.subgroup)), np.ones(len(self.subgroup)))
        )
        other = left if right is None else right
        n, m, d = len(left), len(other), left.shape[1]
        rhos = [(block.rho(self.group, self.subgroup)[which] * weight[:, None, None]) for block in blocks]
        rhos = [rho.reshape(len(which), -1) / len(self.subgroup) for rho in rhos]
        out = [[np.empty((block.size, n, block.size, m)) for block in blocks] for _ in kernels]
        lengths, other_lengths = squares(left), squares(other)
        transformed = (
            act(self.rep_in, self.group, [part[which] for part in self.subgroup.parts], other).swapaxes(1, 2)
            / d
        )
        step = max(1, CHUNK // max(1, len(which) * m))
        for rows in slices(n, step):
            inner = left[rows] @ transformed
            for grams, kernel in zip(out, kernels, strict=True):
                values = kernel.of(inner, lengths[rows, None], other_lengths).reshape(len(which), -1)
                for gram, rho, block in zip(grams, rhos, blocks, strict=True):
                    b = block.size
                    gram[:, rows] = (rho.T @ values).reshape(b, b, -1, m).transpose(0, 2, 1, 3)
        flat = [
            [gram.reshape(b.size * n, b.size * m) for gram, b in zip(grams, blocks, strict=True)]
            for grams in out
        ]
        for square in itertools.chain.from_iterable(flat) if symmetric else ():
            _symmetrise(square)
        return flat

    def function(
        self, kernel: Kernel, blocks: Sequence[Block], X: Array, values: Sequence[Array]
    ) -> Callable[[Array], list[Array]]:
        """See the base class. Rows are transformed by all elements, their values with them; the kernel is then unconstrained."""
        sums = kernel.function(*self.expanded(blocks, X, values))
        return lambda new: split_coordinates(sums(new), blocks)

    def expanded(self, blocks: Sequence[Block], X: Array, values: Sequence[Array]) -> tuple[Array, Array]:
        """Rows (q n, d) and their numbers (q n, sum of b c) with which the base kernel alone gives the same function."""
        q, n = len(self.subgroup), len(X)
        transformed = act(self.rep_in, self.group, self.subgroup.parts, X).reshape(q * n, -1)
        wide = [
            np.einsum("gab,bnc->gnac", self._rho(block), value.reshape(block.size, n, -1), optimize=True).reshape(q * n, -1)
            for block, value in zip(blocks, values, strict=True)
        ]  # fmt: skip
        return transformed, np.concatenate(wide, axis=1)

    def diagonal(self, kernel: Kernel, block: Block, X: Array) -> Array:
        """See the base class."""
        transformed = act(self.rep_in, self.group, self.subgroup.parts, X)
        size = squares(X)
        inner = np.einsum("gni,ni->gn", transformed, X) / X.shape[1]
        return np.asarray(
            np.einsum("gn,gab->nab", kernel.of(inner, size, size), self._rho(block), optimize=True)
        )

    def _rho(self, block: Block) -> Array:
        """Matrices of the elements on the block, as shares of the average, shape (q, b, b)."""
        return np.asarray(block.rho(self.group, self.subgroup) / len(self.subgroup))

    @property
    def method(self) -> str:
        """See the base class."""
        return f"averaged over {len(self.subgroup)} elements"


def _symmetrise(square: Array) -> None:
    """Takes the symmetric part of a matrix in place, tile by tile: a transpose of the whole would run through memory column by column."""
    tiles = slices(len(square), TILE)
    for k, rows in enumerate(tiles):
        for columns in tiles[: k + 1]:
            part = (square[rows, columns] + square[columns, rows].T) / 2
            square[rows, columns] = part
            square[columns, rows] = part.T
