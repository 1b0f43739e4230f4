"""Tensor types too large for joint matrices: every group's own projector is applied to their coordinates alone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from softsym.groups import Group
from softsym.native.precision import full_precision
from softsym.reps import Rep, TensorType
from softsym.spaces import Packed, PackedBlock, invariants


class LargeTypes:
    """sum_k lambda_k P_k on all coordinates of some types, gathered from the parameters that hold them.

    Args:
        kinds: Flat positions of each type, (copies, size).
        groups: The groups.
        offsets: Where each parameter starts in the flat vector.
    """

    def __init__(
        self, kinds: Mapping[TensorType, NDArray[np.int64]], groups: Sequence[Group], offsets: Sequence[int]
    ) -> None:
        self.index = torch.from_numpy(np.sort(np.concatenate([index.ravel() for index in kinds.values()])))
        self._projectors = [self._projector(group, kinds) for group in groups]
        owners = torch.searchsorted(torch.tensor(offsets), self.index, right=True) - 1
        self._parts = [
            (k, self.index[owners == k] - offsets[k])
            for k in range(len(offsets))
            if bool((owners == k).any())
        ]

    def _projector(self, group: Group, kinds: Mapping[TensorType, NDArray[np.int64]]) -> Packed:
        """P of one group, on the gathered coordinates."""
        blocks = []
        for kind, index in kinds.items():
            gathered = np.searchsorted(self.index.numpy(), index)
            for block in invariants(Rep(((1, kind),)), group).packed.blocks:
                blocks.append(PackedBlock(gathered[:, block.index].reshape(-1, block.size), block.factor))
        return Packed(len(self.index), tuple(blocks))

    def inside(self, gathered: Tensor, strengths: Sequence[float]) -> Tensor:
        """sum_k lambda_k P_k x for gathered coordinates x."""
        out = torch.zeros_like(gathered)
        for projector, strength in zip(self._projectors, strengths, strict=True):
            out.add_(projector.project(gathered[None])[0], alpha=strength)
        return out

    def subtract_(
        self, out: Sequence[Tensor], parameters: Sequence[Tensor], strengths: Sequence[float]
    ) -> Tensor:
        """Takes sum_k lambda_k P_k w from tensors like the parameters, all contiguous and on the CPU; returns its product with w."""
        gathered = self.gathered(parameters)
        with full_precision(gathered):
            moved = self.inside(gathered, strengths)
        for (k, where), part in self._split(moved):
            out[k].view(-1).index_add_(0, where, part, alpha=-1)
        return torch.dot(gathered, moved)

    def gathered(self, parameters: Sequence[Tensor]) -> Tensor:
        """The coordinates of these types, from contiguous parameters on the CPU."""
        return torch.cat([parameters[k].detach().view(-1)[where] for k, where in self._parts])

    def put_(self, parameters: Sequence[Tensor], gathered: Tensor) -> None:
        """The way back."""
        for (k, where), part in self._split(gathered):
            parameters[k].detach().view(-1)[where] = part

    def _split(self, gathered: Tensor) -> Iterator[tuple[tuple[int, Tensor], Tensor]]:
        """Each parameter's number, the places in it, and what belongs there."""
        return zip(self._parts, gathered.split([len(where) for _, where in self._parts]), strict=True)
