"""The orthogonal projection of tensors onto equivariant spaces, block by block."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from weakref import WeakValueDictionary

import torch
from torch import Tensor

from softsym.native.blocks import Blocks, SmallMatrices
from softsym.typing import Index

LARGEST = 512  # entries of a block; in larger ones two thin products are cheaper than a square one
_numbers = itertools.count()
_known: WeakValueDictionary[int, Projection] = WeakValueDictionary()


@dataclass(frozen=True, eq=False)
class Subspace:
    """Blocks of equal size in one of several tensors.

    Args:
        tensor: Which tensor.
        index: Flat positions, (copies, size).
        factor: Orthonormal columns (size, rank) that span each block's subspace; None where that is everything.
    """

    tensor: int
    index: Index
    factor: Tensor | None


class Projection:
    """The nearest tensors with every block in its subspace, and zero outside all blocks; copies of a layer share it.

    Args:
        subspaces: The blocks; no two hold the same place.
    """

    def __init__(self, subspaces: Sequence[Subspace]) -> None:
        self.subspaces = tuple(subspaces)
        self.fits = all(part.index.shape[1] <= LARGEST for part in self.subspaces)
        self._blocks: dict[torch.dtype, Blocks] = {}
        self.number = next(_numbers)  # operators of torch take numbers and tensors, no objects
        _known[self.number] = self

    @staticmethod
    def numbered(number: int) -> Projection:
        """The projection of a number."""
        return _known[number]

    def run(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """The projections of tensors of one kind of numbers, in compiled code."""
        dtype = tensors[0].dtype
        if dtype not in self._blocks:
            self._blocks[dtype] = Blocks([_matrices(part, dtype) for part in self.subspaces], dtype)
        outs = [torch.zeros_like(tensor, memory_format=torch.contiguous_format) for tensor in tensors]
        self._blocks[dtype].run([tensor.contiguous() for tensor in tensors], outs)
        return outs

    def __deepcopy__(self, memo: Any) -> Projection:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Projection, (self.subspaces,)


def _matrices(part: Subspace, dtype: torch.dtype) -> SmallMatrices:
    copies, size = part.index.shape
    F = None if part.factor is None else part.factor.to(dtype)
    return SmallMatrices(
        copies, size, size, None if F is None else F @ F.T, part.index, part.index, part.tensor
    )
