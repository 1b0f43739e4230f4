r"""The regularizer of several groups as one symmetric operator.

With :math:`R_k = \frac12 |w - P_k w|^2` and strengths :math:`\lambda_k`,

.. math:: \sum_k \lambda_k R_k = \tfrac12\, w^T K w, \qquad K = \sum_k \lambda_k (1 - P_k), \qquad \nabla = K w .

K is the same small matrix on every copy of a tensor type, however many groups there are. Most of it is zero or diagonal: it falls
into connected components of coordinates, a single coordinate needs only a multiplication, and what remains are small blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from softsym.groups import Group
from softsym.native import Blocks, SmallMatrices
from softsym.regularize.stacked import Stacked
from softsym.reps import Rep, TensorType
from softsym.spaces import Packed, PackedBlock, invariants, positions

Array = NDArray[np.float64]
LARGE = 1_000


@dataclass(frozen=True)
class Mixing:
    """Components of equal size m of one type, on all of its copies.

    Args:
        index: Flat positions, shape (components, copies, m).
        complements: 1 - P_k on each component for each group, shape (groups, components, m, m).
    """

    index: NDArray[np.int64]
    complements: Array


@dataclass(frozen=True)
class Diagonal:
    """Coordinates of one type that no group mixes with others.

    Args:
        index: Flat positions, shape (copies, m).
        complements: 1 - P_k on each coordinate for each group, shape (groups, m).
    """

    index: NDArray[np.int64]
    complements: Array


@dataclass(frozen=True)
class Constants:
    """What K is for given strengths.

    Args:
        diagonal: Its diagonal where no coordinates mix, zero elsewhere, shape (size,).
        index: Positions of all that mix.
        matrices: K on each component, shape (components, m, m), for each kind of mixing.
        blocks: The same for compiled code, where that can run.
    """

    diagonal: Tensor
    index: Tensor
    matrices: list[Tensor]
    blocks: Blocks | None


class JointOperator:
    """K = sum_k lambda_k (1 - P_k) on the flat vector of all parameters.

    Types of up to :data:`LARGE` coordinates take part in the joint matrices. Larger ones (tensors of rank eight and more) would need
    huge matrices; on them every group's own block projector is applied.
    """

    def __init__(self, stacked: Stacked, groups: Sequence[Group]) -> None:
        self.size = stacked.size
        self.diagonals: list[Diagonal] = []
        self.mixings: list[Mixing] = []
        large: dict[TensorType, NDArray[np.int64]] = {}
        for kind, index in _positions(stacked, tuple(groups)).items():
            if index.shape[1] > LARGE:
                large[kind] = index
                self.diagonals.append(Diagonal(index, np.ones((len(groups), index.shape[1]))))
            else:
                self._add_type(index, [_projector(group, kind) for group in groups])
        self.large = [_large_projector(group, large, self.size) for group in groups] if large else []
        mixed = [m.index.ravel() for m in self.mixings]
        self.index = np.concatenate(mixed) if mixed else np.zeros(0, dtype=np.int64)
        self._constants: Constants | None = None
        self._made_for: Any = None

    def _add_type(self, index: NDArray[np.int64], projectors: list[Any]) -> None:
        pattern = csr_array(sum(abs(P) for P in projectors))
        _, labels = connected_components(pattern, directed=False)
        components = [np.flatnonzero(labels == c) for c in range(labels.max() + 1)]
        single = np.array([c[0] for c in components if len(c) == 1], dtype=np.int64)
        if len(single):
            values = np.array([1 - P.diagonal()[single] for P in projectors])
            self.diagonals.append(Diagonal(index[:, single], values))
        for size in sorted({len(c) for c in components} - {1}):
            same = np.array([c for c in components if len(c) == size])
            blocks = [[np.eye(size) - P[c][:, c].toarray() for c in same] for P in projectors]
            self.mixings.append(Mixing(np.moveaxis(index[:, same], 0, 1), np.array(blocks)))

    def apply(self, x: Tensor, strengths: Sequence[float]) -> Tensor:
        """K x for a flat vector x (size,), in the precision of x whatever autocast says."""
        if not torch.is_autocast_enabled(x.device.type):
            return self._apply(x, tuple(strengths))
        with torch.autocast(x.device.type, enabled=False):
            return self._apply(x, tuple(strengths))

    def _apply(self, x: Tensor, strengths: tuple[float, ...]) -> Tensor:
        constants = self._for(x, strengths)
        out = x * constants.diagonal
        if constants.blocks is not None and Blocks.usable(x.dtype):
            constants.blocks.run(x, out)
        elif self.mixings:
            rows = x.index_select(0, constants.index)
            sizes = [m.index.size for m in self.mixings]
            pieces = [
                torch.bmm(piece.view(mixing.index.shape), K).view(-1)
                for piece, mixing, K in zip(rows.split(sizes), self.mixings, constants.matrices, strict=True)
            ]
            out.scatter_(0, constants.index, torch.cat(pieces) if len(pieces) > 1 else pieces[0])
        for projector, strength in zip(self.large, strengths, strict=False):
            out.sub_(projector.project(x[None])[0], alpha=strength)
        return out

    def _for(self, x: Tensor, strengths: tuple[float, ...]) -> Constants:
        """The constants for given strengths, dtype and device, made anew when one of them changes."""
        wanted = (strengths, x.dtype, x.device)
        if self._constants is None or self._made_for != wanted:
            weights = np.array(strengths)
            diagonal = np.zeros(self.size)
            for part in self.diagonals:
                diagonal[part.index] = weights @ part.complements
            matrices = [np.tensordot(weights, m.complements, axes=1) for m in self.mixings]
            self._constants = Constants(
                torch.tensor(diagonal, dtype=x.dtype, device=x.device),
                torch.tensor(self.index, device=x.device),
                [torch.tensor(K, dtype=x.dtype, device=x.device) for K in matrices],
                self._blocks(matrices, x),
            )
            self._made_for = wanted
        return self._constants

    def _blocks(self, matrices: list[Array], x: Tensor) -> Blocks | None:
        if x.device.type != "cpu" or not self.mixings or not Blocks.usable(x.dtype, self.size):
            return None
        found = []
        for mixing, K in zip(self.mixings, matrices, strict=True):
            _, copies, m = mixing.index.shape
            for index, small in zip(mixing.index, torch.tensor(K), strict=True):
                found.append(SmallMatrices(copies, m, m, small, index, index))
        return Blocks(found, x.dtype, self.size)


def _positions(stacked: Stacked, groups: tuple[Group, ...]) -> dict[TensorType, NDArray[np.int64]]:
    found: dict[TensorType, list[NDArray[np.int64]]] = {}
    for m, offset in zip(stacked.maps, stacked.offsets, strict=True):
        for kind, index in positions(m.rep_out, m.rep_in, groups).items():
            found.setdefault(kind, []).append(index + offset)
    return {kind: np.concatenate(parts) for kind, parts in found.items()}


def _blocks(group: Group, kind: TensorType) -> tuple[PackedBlock, ...]:
    """The invariants of one type under one group, in the blocks that this group keeps apart."""
    return invariants(Rep(((1, kind),)), group).packed.blocks


def _projector(group: Group, kind: TensorType) -> Any:
    """The projector of one type as a sparse matrix (n, n), without its rounding dust."""
    n = kind.size(group)
    P = np.zeros((n, n))
    for block in _blocks(group, kind):
        small = block.matrix @ block.matrix.T
        for index in block.index:
            P[np.ix_(index, index)] = small
    return csr_array(np.where(np.abs(P) > 1e-13, P, 0.0))


def _large_projector(group: Group, kinds: dict[TensorType, NDArray[np.int64]], size: int) -> Packed:
    """The projector of one group on all copies of the given types, zero elsewhere."""
    blocks = []
    for kind, index in kinds.items():
        for block in _blocks(group, kind):
            blocks.append(PackedBlock(index[:, block.index].reshape(-1, block.size), block.factor))
    return Packed(size, tuple(blocks))
