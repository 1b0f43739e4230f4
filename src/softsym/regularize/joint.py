r"""The regularizer of several groups as one symmetric operator.

With :math:`R_k = \frac12 |w - P_k w|^2` and strengths :math:`\lambda_k`,

.. math:: \sum_k \lambda_k R_k = \tfrac12\, w^T K w, \qquad K = \sum_k \lambda_k (1 - P_k), \qquad \nabla = K w .

K is the same small matrix on every copy of a tensor type, however many groups there are. Most of it is zero or diagonal: it falls
into connected components of coordinates, a single coordinate needs only a multiplication, and what remains are small blocks.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from torch import Tensor

from softsym.groups import Group
from softsym.native import Blocks, Quadratic, SmallMatrices
from softsym.native.precision import full_precision, is_mixed
from softsym.regularize.large import LargeTypes
from softsym.regularize.stacked import Stacked
from softsym.reps import Rep, TensorType
from softsym.spaces import invariants

Array = NDArray[np.float64]
LARGEST_TYPE = 2_500
LARGEST_BLOCK = 1_000


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
    """

    diagonal: Tensor
    index: Tensor
    matrices: list[Tensor]


class JointOperator:
    """K = sum_k lambda_k (1 - P_k) on the flat vector of all parameters.

    Types of up to :data:`LARGEST_TYPE` coordinates of which no more than :data:`LARGEST_BLOCK` mix with each other take part in the
    joint matrices. Others (tensors of rank eight and more) would need huge ones; on them every group's own projector is applied.
    """

    def __init__(self, stacked: Stacked, groups: Sequence[Group]) -> None:
        self.sizes, self.offsets = stacked.sizes, stacked.offsets
        self.diagonals: list[Diagonal] = []
        self.mixings: list[Mixing] = []
        large: dict[TensorType, NDArray[np.int64]] = {}
        for kind, index in _positions(stacked, tuple(groups)).items():
            n = index.shape[1]
            if n > LARGEST_TYPE or not self._add_type(index, [_projector(group, kind) for group in groups]):
                large[kind] = index
                self.diagonals.append(Diagonal(index, np.ones((len(groups), n))))
        self.large = LargeTypes(large, groups, self.offsets) if large else None
        mixed = [m.index.ravel() for m in self.mixings]
        self.index = np.concatenate(mixed) if mixed else np.zeros(0, dtype=np.int64)
        self._constants: Constants | None = None
        self._made_for: Any = None
        self._quadratic: Quadratic | None = None
        self._written_for: Any = None

    def _add_type(self, index: NDArray[np.int64], projectors: list[Any]) -> bool:
        """Adds a type, unless too many of its coordinates mix."""
        pattern = csr_array(sum(abs(P) for P in projectors))
        _, labels = connected_components(pattern, directed=False)
        if np.bincount(labels).max() > LARGEST_BLOCK:
            return False
        components = np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1])
        single = np.array([c[0] for c in components if len(c) == 1], dtype=np.int64)
        if len(single):
            values = np.array([1 - P.diagonal()[single] for P in projectors])
            self.diagonals.append(Diagonal(index[:, single], values))
        for size in sorted({len(c) for c in components} - {1}):
            same = np.array([c for c in components if len(c) == size])
            blocks = [[np.eye(size) - P[c][:, c].toarray() for c in same] for P in projectors]
            self.mixings.append(Mixing(np.moveaxis(index[:, same], 0, 1), np.array(blocks)))
        return True

    def products(
        self, parameters: Sequence[Tensor], strengths: Sequence[float]
    ) -> tuple[list[Tensor], Tensor | float, Tensor | float]:
        """K w, w . K w and w . w of the vector w of all parameters; K w in tensors of their shapes, each with memory of its own."""
        if self.can_run_compiled(parameters):
            Kw, form, square = self._compiled(parameters[0].dtype, tuple(strengths)).run(parameters)
            if self.large is not None:
                form -= self.large.subtract_(Kw, parameters, strengths).item()
            return Kw, form, square
        w = torch.cat([p.reshape(-1) for p in parameters])
        flat = self.apply(w, strengths)
        pieces = [
            piece.reshape(p.shape).clone()
            for piece, p in zip(flat.split(self.sizes), parameters, strict=True)
        ]
        return pieces, torch.dot(w, flat), torch.dot(w, w)

    def apply(self, x: Tensor, strengths: Sequence[float]) -> Tensor:
        """K x for a flat vector x (size,), in the precision of x whatever autocast says."""
        if not is_mixed(x):
            return self._apply(x, tuple(strengths))
        with full_precision(x):
            return self._apply(x, tuple(strengths))

    def _apply(self, x: Tensor, strengths: tuple[float, ...]) -> Tensor:
        constants = self._for(x, strengths)
        out = x * constants.diagonal
        if self.mixings:
            rows = x.index_select(0, constants.index)
            sizes = [m.index.size for m in self.mixings]
            pieces = [
                torch.bmm(piece.view(mixing.index.shape), K).view(-1)
                for piece, mixing, K in zip(rows.split(sizes), self.mixings, constants.matrices, strict=True)
            ]
            out.scatter_(0, constants.index, torch.cat(pieces) if len(pieces) > 1 else pieces[0])
        if self.large is not None:
            index = self.large.index.to(x.device)
            out.index_add_(0, index, self.large.inside(x[index], strengths), alpha=-1)
        return out

    def _for(self, x: Tensor, strengths: tuple[float, ...]) -> Constants:
        """The constants for given strengths, dtype and device, made anew when one of them changes."""
        wanted = (strengths, x.dtype, x.device)
        if self._constants is None or self._made_for != wanted:
            diagonal, matrices = self.weighted(strengths)
            self._constants = Constants(
                torch.tensor(diagonal, dtype=x.dtype, device=x.device),
                torch.tensor(self.index, device=x.device),
                [torch.tensor(K, dtype=x.dtype, device=x.device) for K in matrices],
            )
            self._made_for = wanted
        return self._constants

    def weighted(self, strengths: tuple[float, ...]) -> tuple[Array, list[Array]]:
        """K: its diagonal where no coordinates mix, zero elsewhere, and its matrix on each component."""
        weights = np.array(strengths)
        diagonal = np.zeros(sum(self.sizes))
        for part in self.diagonals:
            diagonal[part.index] = weights @ part.complements
        return diagonal, [np.tensordot(weights, m.complements, axes=1) for m in self.mixings]

    def can_run_compiled(self, parameters: Sequence[Tensor]) -> bool:
        """Whether compiled code can take these tensors as they are."""
        dtype = parameters[0].dtype
        return Blocks.usable(dtype, max(self.sizes)) and all(
            p.is_cpu and p.dtype == dtype and p.is_contiguous() for p in parameters
        )

    def _compiled(self, dtype: torch.dtype, strengths: tuple[float, ...]) -> Quadratic:
        """The same operator for compiled code, made anew when strengths or dtype change."""
        if self._quadratic is None or self._written_for != (strengths, dtype):
            diagonal, matrices = self.weighted(strengths)
            blocks = [
                SmallMatrices(len(index), len(small), len(small), small, index, index, k)
                for mixing, K in zip(self.mixings, matrices, strict=True)
                for k, where in self.in_parameters(mixing.index)
                for index, small in zip(where, torch.tensor(K), strict=True)
            ]
            self._quadratic = Quadratic(torch.tensor(diagonal).split(self.sizes), blocks, dtype)
            self._written_for = strengths, dtype
        return self._quadratic

    def in_parameters(self, index: NDArray[np.int64]) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Flat positions (components, copies, m) as positions within each parameter that has some of the copies, with its number."""
        owners = np.searchsorted(self.offsets, index[0, :, 0], side="right") - 1
        for k in np.unique(owners):
            yield int(k), index[:, owners == k] - self.offsets[k]


def _positions(stacked: Stacked, groups: tuple[Group, ...]) -> dict[TensorType, NDArray[np.int64]]:
    found: dict[TensorType, list[NDArray[np.int64]]] = {}
    for one, offset in zip(stacked.maps, stacked.offsets, strict=True):
        for kind, index in one.positions(groups).items():
            found.setdefault(kind, []).append(index + offset)
    return {kind: np.concatenate(parts) for kind, parts in found.items()}


def _projector(group: Group, kind: TensorType) -> Any:
    """The projector of one type as a sparse matrix (n, n), without its rounding dust."""
    n = kind.size(group)
    P = np.zeros((n, n))
    for block in invariants(Rep(((1, kind),)), group).packed.blocks:
        small = block.matrix @ block.matrix.T
        for index in block.index:
            P[np.ix_(index, index)] = small
    return csr_array(np.where(np.abs(P) > 1e-13, P, 0.0))
