r"""Kernels of inputs canonicalised by their size, for groups that hold all positive multiples of the identity.

With s(x) the size of x, :math:`\rho_{out}(s)\, K(x / s, x' / s')\, \rho_{out}(s')`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from softsym.gp.features import scaling_power
from softsym.groups import Group
from softsym.inference.kernels.base import Kernel
from softsym.inference.kernels.equivariant import EquivariantKernel, UnconstrainedKernel
from softsym.inference.kernels.kernel_blocks import Block
from softsym.reps import Rep
from softsym.typing import Array, Index

LEAST_SIZE = 1e-12
"""Inputs are not divided by less."""


class Canonicalised(EquivariantKernel):
    """A kernel of inputs divided by their size: all positive multiples of the identity and whatever the inner kernel has."""

    is_projection = False

    def __init__(self, group: Group, rep_in: Rep, inner: EquivariantKernel) -> None:
        super().__init__(group, rep_in)
        self.inner = inner

    def grams(
        self, kernels: Sequence[Kernel], blocks: Sequence[Block], left: Array, right: Array | None = None
    ) -> list[list[Array]]:
        """See the base class."""
        size, unit = self.canonicalise(left)
        other_size, other = (size, None) if right is None else self.canonicalise(right)
        grams = self.inner.grams(kernels, blocks, unit, other)
        for block, position in zip(blocks, range(len(blocks)), strict=True):
            power = scaling_power(block.type)
            rows, columns = (np.tile(one**power, block.size) for one in (size, other_size))
            for row in grams:
                row[position] *= rows[:, None] * columns
        return grams

    def function(
        self, kernel: Kernel, blocks: Sequence[Block], X: Array, values: Sequence[Array]
    ) -> Callable[[Array], list[Array]]:
        """See the base class."""
        size, unit = self.canonicalise(X)
        sums = self.inner.function(kernel, blocks, unit, _scale_up(values, blocks, size))

        def products(new: Array) -> list[Array]:
            size, unit = self.canonicalise(new)
            return _scale_up(sums(unit), blocks, size)

        return products

    def complements(self, grams: Sequence[Array], unconstrained: Sequence[Array], X: Array) -> list[Array]:
        """Functions that change along orbits: those with the symmetry times smooth functions of log s that are zero on average."""
        height = np.log(self.canonicalise(X)[0])
        height = (height - height.mean()) / max(float(height.std()), 1e-12)
        along = np.exp(-((height[:, None] - height) ** 2) / 2)
        along = along - along.mean(axis=0) - along.mean(axis=1)[:, None] + along.mean()
        return [gram * np.tile(along, (len(gram) // len(X),) * 2) for gram in grams]

    def canonicalise(self, X: Array) -> tuple[Array, Array]:
        """The size (n,) of every input, in units of a typical one, and the inputs divided by it."""
        powers = self.powers(X.shape[1])
        first = int(powers[np.flatnonzero(powers)[0]])
        size = np.maximum(np.sqrt((X[:, powers == first] ** 2).mean(1)), LEAST_SIZE) ** (1.0 / first)
        return size, X / size[:, None] ** powers

    def powers(self, columns: int) -> Index:
        """By which power of its size every column of an input grows, shape (columns,); the size is that of columns of the first power."""
        powers = np.zeros(columns, dtype=np.int64)
        for segment in self.rep_in.segments(self.group):
            powers[segment.start : segment.stop] = scaling_power(segment.type)
        return powers

    @property
    def method(self) -> str:
        """See the base class."""
        inner = "" if isinstance(self.inner, UnconstrainedKernel) else f", {self.inner.method}"
        return f"inputs divided by their size{inner}"


def _scale_up(values: Sequence[Array], blocks: Sequence[Block], size: Array) -> list[Array]:
    """Values (b n, c) of every block, multiplied as its type grows with the sizes (n,) of rows."""
    return [
        np.tile(size ** scaling_power(block.type), block.size)[:, None] * value
        for block, value in zip(blocks, values, strict=True)
    ]
