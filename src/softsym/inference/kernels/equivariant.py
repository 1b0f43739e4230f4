"""Equivariant kernels, matrix-valued kernels whose functions have a symmetry exactly; and the unconstrained kernel."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np

from softsym.groups import Group
from softsym.inference.kernels.base import CHUNK, Kernel, slices, squares
from softsym.inference.kernels.kernel_blocks import Block
from softsym.reps import Rep
from softsym.typing import Array

DIAGONAL_ROWS = 16
"""Rows whose covariances are computed together."""


class EquivariantKernel(ABC):
    """Makes a kernel equivariant to one group.

    Args:
        group: The group.
        rep_in: How inputs transform.
    """

    is_projection = True
    """Whether it is the part of k I that has the symmetry, so that the difference is a kernel too."""

    def __init__(self, group: Group, rep_in: Rep) -> None:
        self.group, self.rep_in = group, rep_in

    @abstractmethod
    def grams(
        self, kernels: Sequence[Kernel], blocks: Sequence[Block], left: Array, right: Array | None = None
    ) -> list[list[Array]]:
        """Gram matrices (b n, b m) of every kernel (outer list) and block; ``right`` is ``left`` if not given."""

    def function(
        self, kernel: Kernel, blocks: Sequence[Block], X: Array, values: Sequence[Array]
    ) -> Callable[[Array], list[Array]]:
        """The function that takes new rows (m, d) to the product of every block's Gram matrix with its values, (b m, c).

        Args:
            kernel: The base kernel.
            blocks: Parts of the outputs.
            X: Rows (n, d).
            values: For every block, (b n, c), coordinate by coordinate.
        """
        step = max(1, CHUNK // max(1, len(X) * max(block.size for block in blocks) ** 2))

        def products(new: Array) -> list[Array]:
            out = [
                np.empty((block.size, len(new), value.shape[1]))
                for block, value in zip(blocks, values, strict=True)
            ]
            for rows in slices(len(new), step):
                grams = self.grams([kernel], blocks, new[rows], X)[0]
                for gram, value, product in zip(grams, values, out, strict=True):
                    product[:, rows] = (gram @ value).reshape(len(product), -1, value.shape[1])
            return [product.reshape(-1, product.shape[2]) for product in out]

        return products

    def diagonal(self, kernel: Kernel, block: Block, X: Array) -> Array:
        """Prior covariances (n, b, b) of the block's coordinates at each row (n, d)."""
        pieces = []
        for rows in slices(len(X), DIAGONAL_ROWS):
            gram = self.grams([kernel], [block], X[rows], X[rows])[0][0]
            n = len(gram) // block.size
            pieces.append(np.einsum("ambm->mab", gram.reshape(block.size, n, block.size, n)))
        return np.concatenate(pieces)

    def complements(self, grams: Sequence[Array], unconstrained: Sequence[Array], X: Array) -> list[Array]:
        """Gram matrices of the functions that do not have the symmetry, for every block.

        Args:
            grams: Of those that have it, (b n, b n).
            unconstrained: Of all functions.
            X: Inputs (n, d).
        """
        if not self.is_projection:
            return list(unconstrained)
        return [whole - gram for gram, whole in zip(grams, unconstrained, strict=True)]

    def allows(self, kernel: Kernel) -> bool:
        """Whether this base kernel can be made equivariant."""
        return True

    @property
    @abstractmethod
    def method(self) -> str:
        """How it is done, for tables."""


class UnconstrainedKernel(EquivariantKernel):
    """k I: no symmetry at all.

    Args:
        group: Any group.
        rep_in: How inputs transform.
        stretch: Factors of the input columns, shape (d,): without a symmetry each column may have its own scale.
    """

    def __init__(self, group: Group, rep_in: Rep, stretch: Array | None = None) -> None:
        super().__init__(group, rep_in)
        self.stretch = stretch
        self.is_projection = stretch is None

    def grams(
        self, kernels: Sequence[Kernel], blocks: Sequence[Block], left: Array, right: Array | None = None
    ) -> list[list[Array]]:
        """See the base class."""
        return [
            [repeated(gram, block.size) for block in blocks]
            for gram in (self.gram(kernel, left, right) for kernel in kernels)
        ]

    def function(
        self, kernel: Kernel, blocks: Sequence[Block], X: Array, values: Sequence[Array]
    ) -> Callable[[Array], list[Array]]:
        """See the base class. Every coordinate is a right-hand side of the same matrix."""
        sums = kernel.function(*self.expanded(blocks, X, values))
        stretch = 1.0 if self.stretch is None else self.stretch
        return lambda new: split_coordinates(sums(new * stretch), blocks)

    def expanded(self, blocks: Sequence[Block], X: Array, values: Sequence[Array]) -> tuple[Array, Array]:
        """Stretched rows (n, d) and their numbers (n, sum of b c) with which the base kernel alone gives the same function."""
        wide = [
            value.reshape(block.size, len(X), -1).transpose(1, 0, 2).reshape(len(X), -1)
            for block, value in zip(blocks, values, strict=True)
        ]
        return X * (1.0 if self.stretch is None else self.stretch), np.concatenate(wide, axis=1)

    def diagonal(self, kernel: Kernel, block: Block, X: Array) -> Array:
        """See the base class."""
        size = squares(X if self.stretch is None else X * self.stretch)
        return np.asarray(kernel.of(size, size, size)[:, None, None] * np.eye(block.size))

    def gram(self, kernel: Kernel, left: Array, right: Array | None = None) -> Array:
        """The Gram matrix (n, m) of one coordinate."""
        right = left if right is None else right
        if self.stretch is not None:
            left, right = left * self.stretch, right * self.stretch
        return kernel.gram(left, right)

    @property
    def method(self) -> str:
        """See the base class."""
        return "unconstrained" if self.stretch is None else "unconstrained, columns scaled separately"


def split_coordinates(wide: Array, blocks: Sequence[Block]) -> list[Array]:
    """Numbers (n, sum of b c), coordinates and copies of all blocks next to each other, as (b n, c) for every block."""
    ends = np.cumsum([block.size * len(block.columns) for block in blocks])
    return [
        part.reshape(len(part), block.size, -1).transpose(1, 0, 2).reshape(block.size * len(part), -1)
        for block, part in zip(blocks, np.split(wide, ends[:-1], axis=1), strict=True)
    ]


def repeated(gram: Array, b: int) -> Array:
    """The Kronecker product I (x) K of a Gram matrix: the same kernel for each of b independent coordinates."""
    return np.asarray(np.kron(np.eye(b), gram), dtype=np.float64)
