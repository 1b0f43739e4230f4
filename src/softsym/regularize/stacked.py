"""All regularised parameters as one flat vector.

The spaces of all layers share a few tensor types, so working on the concatenation of all parameters turns dozens of small
products per layer into one product per type for the whole network.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from softsym.groups import Group
from softsym.maps import TensorMap, layer_of
from softsym.spaces import EquivariantSpace, OrbitBasis, Packed, PackedBlock


@dataclass(frozen=True)
class Stacked:
    """Named parameters with their maps, one after the other.

    Args:
        names: Names in the model.
        parameters: The parameters themselves.
        maps: What each one is.
        holders: The layer that holds each one.
    """

    names: tuple[str, ...]
    parameters: tuple[nn.Parameter, ...]
    maps: tuple[TensorMap, ...]
    holders: tuple[str, ...]

    @staticmethod
    def of(model: nn.Module, maps: Mapping[str, TensorMap]) -> Stacked:
        """The parameters of a model that have representations."""
        parameters = tuple(model.get_parameter(name) for name in maps)
        holders = tuple(layer_of(model, name) for name in maps)
        return Stacked(tuple(maps), parameters, tuple(maps.values()), holders)

    @property
    def sizes(self) -> list[int]:
        """Number of entries of each parameter."""
        return [p.numel() for p in self.parameters]

    @property
    def offsets(self) -> list[int]:
        """Where each parameter starts in the flat vector."""
        return [0, *itertools.accumulate(self.sizes)][:-1]

    @property
    def size(self) -> int:
        """Length of the flat vector."""
        return sum(self.sizes)

    def flat(self) -> Tensor:
        """The flat vector (a copy)."""
        return torch.cat([p.detach().reshape(-1) for p in self.parameters])

    def split(self, flat: Tensor) -> list[Tensor]:
        """A flat vector as tensors of the parameters' shapes (views)."""
        pieces = flat.split(self.sizes)
        return [piece.view(p.shape) for piece, p in zip(pieces, self.parameters, strict=True)]

    def spaces(self, group: Group) -> list[EquivariantSpace]:
        """The equivariant space of each parameter."""
        return [one.space(group) for one in self.maps]

    def packed(self, group: Group) -> Packed:
        """The projector of a group on the flat vector: blocks of the same type in all parameters together."""
        indices: dict[bytes, list[NDArray[np.int64]]] = {}
        factors: dict[bytes, NDArray[np.float64] | OrbitBasis] = {}
        for space, offset in zip(self.spaces(group), self.offsets, strict=True):
            for block in space.packed.blocks:
                factors.setdefault(block.key, block.factor)
                indices.setdefault(block.key, []).append(block.index + offset)
        blocks = tuple(PackedBlock(np.concatenate(indices[key]), factors[key]) for key in factors)
        return Packed(self.size, blocks)

    def layers(self) -> list[str]:
        """The layers, each once, in order."""
        return list(dict.fromkeys(self.holders))

    def by_layer(self, values: Sequence[float]) -> dict[str, float]:
        """Sums over the parameters of each layer."""
        sums = dict.fromkeys(self.layers(), 0.0)
        for layer, value in zip(self.holders, values, strict=True):
            sums[layer] += value
        return sums
