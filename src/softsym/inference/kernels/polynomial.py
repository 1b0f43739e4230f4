r"""Polynomial kernels projected onto equivariant maps, for any group.

The coefficients of the polynomial kernel of degree q are projected onto the equivariant maps of :mod:`softsym.spaces`,
:math:`\sum_p \binom{q}{p} d^{-p}\, P_p (x^{\otimes p} \otimes x'^{\otimes p})`. For compact groups it is the averaged kernel.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from softsym.errors import InputError
from softsym.groups import Group
from softsym.inference.kernels.base import Kernel
from softsym.inference.kernels.equivariant import EquivariantKernel
from softsym.inference.kernels.kernel_blocks import Block
from softsym.reps import Rep, TensorType
from softsym.spaces import equivariant_maps
from softsym.typing import Array

LARGEST_MAP = 20_000
"""Numbers of a map beyond which the polynomial's degree is lowered."""


class Polynomial(EquivariantKernel):
    """The polynomial kernel of degree at most three, projected onto equivariant maps."""

    def __init__(self, group: Group, rep_in: Rep, rep_out: Rep) -> None:
        super().__init__(group, rep_in)
        self.rep_out, d = rep_out, rep_in.size(group)
        sizes = [rep_out.size(group) * d**p for p in (1, 2, 3)]
        self.degree = sum(size <= LARGEST_MAP for size in sizes)
        if not self.degree:
            raise InputError(
                f"{group.name} is not compact, and {rep_in} is too large for its polynomial maps"
            )

    def grams(
        self, kernels: Sequence[Kernel], blocks: Sequence[Block], left: Array, right: Array | None = None
    ) -> list[list[Array]]:
        """See the base class."""
        return [
            [self._gram(int(kernel.parameter), block, left, right) for block in blocks] for kernel in kernels
        ]

    def function(
        self, kernel: Kernel, blocks: Sequence[Block], X: Array, values: Sequence[Array]
    ) -> Callable[[Array], list[Array]]:
        """See the base class. A polynomial is its coefficients."""
        terms = self._terms(kernel, blocks, X, values)

        def products(new: Array) -> list[Array]:
            out = [
                np.zeros((block.size * len(new), value.shape[1]))
                for block, value in zip(blocks, values, strict=True)
            ]
            for b, _, maps, inside in terms:
                out[b] += _features(maps, blocks[b], new) @ inside
            return out

        return products

    def coefficients(
        self, kernel: Kernel, blocks: Sequence[Block], X: Array, values: Sequence[Array], outputs: int
    ) -> list[Array]:
        """The same function as polynomials of new rows: for every power p the coefficients (d^p, outputs) of p-fold products."""
        out = [np.zeros((X.shape[1] ** p, outputs)) for p in range(int(kernel.parameter) + 1)]
        for b, p, maps, inside in self._terms(kernel, blocks, X, values):
            block = blocks[b]
            within = block.basis @ block.basis.T
            out[p][:, block.columns] += np.einsum("ts,sik,kc->ict", within, maps, inside, optimize=True)
        return out

    def _terms(
        self, kernel: Kernel, blocks: Sequence[Block], X: Array, values: Sequence[Array]
    ) -> list[tuple[int, int, Array, Array]]:
        """For every power and block that has maps: which block and power, its maps, and their weights (dim, c)."""
        degree = int(kernel.parameter)
        terms: list[tuple[int, int, Array, Array]] = []
        for p in range(degree + 1):
            size = math.comb(degree, p) * X.shape[1] ** -float(p)
            for b, (block, value) in enumerate(zip(blocks, values, strict=True)):
                maps = _maps(self.rep_in, block.type, self.group, p)
                if maps.size:
                    terms.append((b, p, maps, size * (_features(maps, block, X).T @ value)))
        return terms

    def _gram(self, degree: int, block: Block, left: Array, right: Array | None) -> Array:
        total = np.zeros((block.size * len(left), block.size * len(left if right is None else right)))
        for p in range(degree + 1):
            maps = _maps(self.rep_in, block.type, self.group, p)
            if not maps.size:
                continue
            a = _features(maps, block, left)
            b = a if right is None else _features(maps, block, right)
            total += math.comb(degree, p) * left.shape[1] ** -float(p) * (a @ b.T)
        return total

    def allows(self, kernel: Kernel) -> bool:
        """Polynomials up to the largest degree only."""
        return kernel.family == "polynomial" and kernel.parameter <= self.degree

    @property
    def method(self) -> str:
        """See the base class."""
        return f"polynomial maps of degree {self.degree}"


@functools.lru_cache(maxsize=64)
def _maps(rep_in: Rep, type_: TensorType, group: Group, p: int) -> Array:
    """An orthonormal basis of equivariant maps from p-fold products of inputs to one type, shape (size, d^p, dim)."""
    copies = [kind for count, kind in rep_in for _ in range(count)]
    kinds, order = [TensorType()], np.zeros(1, dtype=np.intp)
    for _ in range(p):
        order = _interleaved(
            [kind.size(group) for kind in kinds], [kind.size(group) for kind in copies], order
        )
        kinds = [a * b for a in kinds for b in copies]
    space = equivariant_maps(Rep(tuple((1, kind) for kind in kinds)), Rep(((1, type_),)), group)
    maps = np.empty((*space.shape, space.dim))
    maps[:, order] = space.basis().reshape(*space.shape, -1)
    return maps


def _interleaved(left: list[int], right: list[int], order: NDArray[np.intp]) -> NDArray[np.intp]:
    """Where a representation's product, copy by copy, lies in the Kronecker product of the coordinates."""
    width = sum(right)
    pieces, a = [], 0
    for m in left:
        b = 0
        for n in right:
            pieces.append((order[a : a + m, None] * width + np.arange(b, b + n)).ravel())
            b += n
        a += m
    return np.concatenate(pieces)


def _features(maps: Array, block: Block, X: Array) -> Array:
    """Values of all maps at all rows in the block's coordinates, shape (b n, dim)."""
    power = np.ones((len(X), 1))
    while power.shape[1] < maps.shape[1]:
        power = np.einsum("ni,nj->nij", power, X).reshape(len(X), -1)
    values = np.einsum("sb,sik,ni->bnk", block.basis, maps, power, optimize=True)
    return np.asarray(values.reshape(block.size * len(X), -1))
