r"""The projectors of several groups on all regularised parameters, and the symmetric operator of the penalty.

The parameters, one after the other, are a vector w. All layers together hold copies of a few tensor types, and the projector :math:`P_k`
of a group is the same small matrix on every copy of a type. With :math:`R_k = \frac12 |w - P_k w|^2` and strengths :math:`\lambda_k`,

.. math:: \sum_k \lambda_k R_k = \tfrac12\, w^T K w, \qquad K = \sum_k \lambda_k (1 - P_k), \qquad \nabla = K w .

Most of K is zero or diagonal: it falls into connected components of coordinates, a single coordinate needs only a multiplication, and
the rest are small blocks. The dimensionless penalty divides by :math:`|w|^2`. The minimiser of
:math:`|w - w_0|^2 / (2t) + \sum_k \lambda_k R_k(w)` is

.. math:: w = (1 + t K)^{-1} w_0 = w_0 - U \frac{t d}{1 + t d} U^T w_0, \qquad K = U d\, U^T ,

whether the projectors commute or not. K is diagonalised once for given strengths, on small blocks; any step length after that costs two
small products, in compiled code (:class:`softsym.native.Resolvent`) where that can run. The intersection of all equivariant spaces
(d = 0) is not changed.

Reference:
    Proximal Algorithms (Parikh and Boyd, 2014), https://doi.org/10.1561/2400000003
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from torch import Tensor, nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.maps import TensorMap, layer_of
from softsym.native import Blocks, Quadratic, Resolvent, SmallMatrices, SmallSpectra, full_precision
from softsym.reps import Rep, TensorType
from softsym.spaces import OrbitBasis, Packed, PackedBlock, invariants
from softsym.typing import Array, Index

LARGEST_TYPE = 2_500
LARGEST_BLOCK = 1_000


def _has_memory(tensor: Tensor) -> bool:
    """Whether every entry of a tensor lies inside its storage; torch itself reads and writes beyond its end."""
    axes = zip(tensor.shape, tensor.stride(), strict=True)
    last = tensor.storage_offset() + sum((size - 1) * stride for size, stride in axes)
    return not tensor.numel() or tensor.untyped_storage().nbytes() >= (last + 1) * tensor.element_size()


@dataclass(frozen=True)
class StackedParameters:
    """Named parameters with their maps, one after the other in a flat vector."""

    names: tuple[str, ...]  # names in the model
    parameters: tuple[nn.Parameter, ...]  # the parameters themselves
    maps: tuple[TensorMap, ...]  # the map that each parameter is
    layers: tuple[str, ...]  # the layer that holds each parameter
    shapes: tuple[torch.Size, ...]  # the shape of each parameter, as spaces and compiled code were prepared for it

    @staticmethod
    def from_model(model: nn.Module, maps: Mapping[str, TensorMap]) -> StackedParameters:
        """The parameters of a model that have representations."""
        parameters = tuple(model.get_parameter(name) for name in maps)
        layers = tuple(layer_of(model, name) for name in maps)
        shapes = tuple(parameter.shape for parameter in parameters)
        return StackedParameters(tuple(maps), parameters, tuple(maps.values()), layers, shapes)

    def check(self) -> tuple[nn.Parameter, ...]:
        """The parameters; refuses those whose data were exchanged for others that do not fit."""
        device = self.parameters[0].device
        for name, p, shape in zip(self.names, self.parameters, self.shapes, strict=True):
            if p.shape != shape:
                raise InputError(
                    f"{name} had shape {tuple(shape)} when the regularizer was made and has {tuple(p.shape)} now; "
                    "make a new EquivarianceRegularizer"
                )
            if p.layout is not torch.strided or not p.is_floating_point():
                raise InputError(f"{name} holds {p.layout} {p.dtype}; only dense real numbers are regularised")
            if p.device != device:
                raise InputError(f"{name} is on {p.device}, {self.names[0]} on {device}; move the model to one")
            if not torch.compiler.is_compiling() and not _has_memory(p):
                raise InputError(f"the memory of {name} was released or made smaller")
        return self.parameters

    @property
    def sizes(self) -> list[int]:
        """Number of entries of each parameter."""
        return [math.prod(shape) for shape in self.shapes]

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
        return flatten(self.check())

    def split(self, flat: Tensor) -> list[Tensor]:
        """A flat vector as tensors of the parameters' shapes (views)."""
        return [piece.view(shape) for piece, shape in zip(flat.split(self.sizes), self.shapes, strict=True)]

    def positions(self, groups: Sequence[Group]) -> dict[TensorType, Index]:
        """Flat positions (copies, size) of each tensor type in all parameters."""
        parts: dict[TensorType, list[Index]] = {}
        for tensor_map, offset in zip(self.maps, self.offsets, strict=True):
            for tensor_type, index in tensor_map.positions(groups).items():
                parts.setdefault(tensor_type, []).append(index + offset)
        return {tensor_type: np.concatenate(indices) for tensor_type, indices in parts.items()}

    def sum_by_layer(self, values: Sequence[float]) -> dict[str, float]:
        """Sums of one number for each parameter over the parameters of each layer."""
        sums = dict.fromkeys(self.layers, 0.0)
        for layer, value in zip(self.layers, values, strict=True):
            sums[layer] += value
        return sums


def flatten(parameters: Sequence[Tensor]) -> Tensor:
    """A copy of all parameters as one vector, in single precision or more: squares and long steps leave the range of half precision."""
    flat = torch.cat([p.detach().reshape(-1) for p in parameters])
    return flat.to(precision(flat))


def precision(values: Tensor) -> torch.dtype:
    """Single precision, or double if values have it."""
    return torch.float64 if values.dtype == torch.float64 else torch.float32


def projector(group: Group, positions: Mapping[TensorType, Index], size: int) -> Packed:
    """The orthogonal projector of a group on a vector that holds copies of tensor types."""
    indices: dict[bytes, list[Index]] = {}
    factors: dict[bytes, Array | OrbitBasis] = {}
    for tensor_type, index in positions.items():
        for block in _blocks(group, tensor_type):  # types that share a basis become one block
            factors.setdefault(block.key, block.factor)
            indices.setdefault(block.key, []).append(index[:, block.index].reshape(-1, block.size))
    return Packed(size, tuple(PackedBlock(np.concatenate(indices[key]), factors[key]) for key in factors))


def _blocks(group: Group, tensor_type: TensorType) -> tuple[PackedBlock, ...]:
    """The blocks of a group's projector on one copy of a type."""
    return invariants(Rep(((1, tensor_type),)), group).packed.blocks


def _dense_projector(group: Group, tensor_type: TensorType) -> Any:
    """The projector on one copy of a type as a sparse matrix (n, n), entries of rounding error removed."""
    n = tensor_type.size(group)
    P = np.zeros((n, n))
    for block in _blocks(group, tensor_type):
        small = block.matrix @ block.matrix.T
        for index in block.index:
            P[np.ix_(index, index)] = small
    return csr_array(np.where(np.abs(P) > 1e-13, P, 0.0))


@dataclass(frozen=True)
class Mixing:
    """Components of equal size m of one type, on all of its copies; of size one: coordinates that no group mixes with others."""

    index: Index  # flat positions, shape (components, copies, m)
    complements: Array  # 1 - P_k on each component for each group, shape (groups, components, m, m)


class JointOperator:
    """K = sum_k lambda_k (1 - P_k) on the flat vector of all parameters.

    Types of up to :data:`LARGEST_TYPE` coordinates of which no more than :data:`LARGEST_BLOCK` mix with each other take part in the
    joint matrices. Others (tensors of rank eight and more) would need huge ones; on them every group's own projector is applied.
    """

    def __init__(
        self, stacked: StackedParameters, groups: Sequence[Group], positions: Mapping[TensorType, Index] | None = None
    ) -> None:
        self.sizes, self.offsets = stacked.sizes, stacked.offsets
        self.diagonals: list[Mixing] = []
        self.mixings: list[Mixing] = []
        large: dict[TensorType, Index] = {}
        for tensor_type, index in (positions or stacked.positions(groups)).items():
            n = index.shape[1]
            if n > LARGEST_TYPE or not self._add_type(tensor_type, index, groups):
                large[tensor_type] = index
                self.diagonals.append(Mixing(index.T[:, :, None], np.ones((len(groups), n, 1, 1))))
        self.large = LargeTypes(large, groups) if large else None
        mixed = [m.index.ravel() for m in self.mixings]
        self.index = np.concatenate(mixed) if mixed else np.zeros(0, dtype=np.int64)
        self._constants: tuple[Any, tuple[Tensor, Tensor, list[Tensor]]] | None = None
        self._quadratic: tuple[Any, Quadratic] | None = None

    def _add_type(self, tensor_type: TensorType, index: Index, groups: Sequence[Group]) -> bool:
        """Adds a type, unless too many of its coordinates mix."""
        projectors = [_dense_projector(group, tensor_type) for group in groups]
        pattern = csr_array(sum(abs(P) for P in projectors))
        _, labels = connected_components(pattern, directed=False)
        if np.bincount(labels).max() > LARGEST_BLOCK:
            return False
        components = np.split(np.argsort(labels, kind="stable"), np.cumsum(np.bincount(labels))[:-1])
        for size in sorted({len(c) for c in components}):
            same = np.array([c for c in components if len(c) == size])
            blocks = [np.eye(size) - P.toarray()[same[:, :, None], same[:, None]] for P in projectors]
            mixing = Mixing(np.moveaxis(index[:, same], 0, 1), np.array(blocks))
            (self.diagonals if size == 1 else self.mixings).append(mixing)
        return True

    def products(
        self, parameters: Sequence[Tensor], strengths: Sequence[float]
    ) -> tuple[list[Tensor], Tensor | float, Tensor | float]:
        """K w, w . K w and w . w of the vector w of all parameters; K w in new tensors of their shapes."""
        if self.can_run_compiled(parameters):
            return self._compile(parameters[0].dtype, tuple(strengths)).quadratic(parameters)
        w = flatten(parameters)
        flat = self.apply(w, strengths)
        pieces = zip(flat.split(self.sizes), parameters, strict=True)
        Kw = [piece.reshape(p.shape).to(p.dtype, copy=True) for piece, p in pieces]
        return Kw, torch.dot(w, flat), torch.dot(w, w)

    def apply(self, x: Tensor, strengths: Sequence[float]) -> Tensor:
        """K x for a flat vector x (size,), in the precision of x whatever autocast says."""
        with full_precision(x):
            diagonal, index, matrices = self._prepare(x, tuple(strengths))
            out = x * diagonal
            if self.mixings:
                rows = x.index_select(0, index).split([m.index.size for m in self.mixings])
                parts = zip(rows, self.mixings, matrices, strict=True)
                pieces = [torch.bmm(piece.view(mixing.index.shape), K).view(-1) for piece, mixing, K in parts]
                out.scatter_(0, index, torch.cat(pieces))
            if self.large is not None:
                where = self.large.index.to(x.device)
                out.index_add_(0, where, self.large.project(x[where], strengths), alpha=-1)
        return out

    def _prepare(self, x: Tensor, strengths: tuple[float, ...]) -> tuple[Tensor, Tensor, list[Tensor]]:
        """K in the dtype and on the device of x: diagonal (size,), positions of all that mix, matrices on components of each mixing."""
        key = (strengths, x.dtype, x.device)
        if self._constants is None or self._constants[0] != key:
            diagonal, matrices = self.weight(strengths)
            index = torch.tensor(self.index, device=x.device)
            self._constants = key, (torch.tensor(diagonal).to(x), index, [torch.tensor(K).to(x) for K in matrices])
        return self._constants[1]

    def weight(self, strengths: tuple[float, ...]) -> tuple[Array, list[Array]]:
        """K: its diagonal where no coordinates mix, zero elsewhere, and its matrix on each component."""
        weights = np.array(strengths)
        diagonal = np.zeros(sum(self.sizes))
        for part in self.diagonals:
            diagonal[part.index] = np.tensordot(weights, part.complements, axes=1)
        return diagonal, [np.tensordot(weights, m.complements, axes=1) for m in self.mixings]

    def can_run_compiled(self, parameters: Sequence[Tensor]) -> bool:
        """Whether compiled code can take these tensors as they are; types too large for joint matrices are left to torch."""
        return self.large is None and all(p.is_contiguous() for p in parameters) and Blocks.usable(parameters)

    def _compile(self, dtype: torch.dtype, strengths: tuple[float, ...]) -> Quadratic:
        """K for compiled code, prepared anew when strengths or dtype change."""
        if self._quadratic is None or self._quadratic[0] != (strengths, dtype):
            diagonal, matrices = self.weight(strengths)
            blocks = [
                SmallMatrices(index, small, k)
                for mixing, K in zip(self.mixings, matrices, strict=True)
                for k, local in self.split_positions(mixing.index)
                for index, small in zip(local, torch.tensor(K), strict=True)
            ]
            quadratic = Quadratic(torch.tensor(diagonal).split(self.sizes), blocks, dtype)
            self._quadratic = (strengths, dtype), quadratic
        return self._quadratic[1]

    def split_positions(self, index: Index) -> Iterator[tuple[int, Index]]:
        """Flat positions (components, copies, m) as positions within each parameter, with the parameter's number."""
        owners = np.searchsorted(self.offsets, index[0, :, 0], side="right") - 1
        for k in np.unique(owners):
            yield int(k), index[:, owners == k] - self.offsets[k]


class LargeTypes:
    """sum_k lambda_k P_k on the coordinates of types too large for joint matrices, gathered from all parameters."""

    def __init__(self, positions: Mapping[TensorType, Index], groups: Sequence[Group]) -> None:
        index = np.sort(np.concatenate([where.ravel() for where in positions.values()]))
        gathered = {kind: np.searchsorted(index, where) for kind, where in positions.items()}
        self.index = torch.from_numpy(index)
        self._projectors = [projector(group, gathered, len(index)) for group in groups]

    def project(self, gathered: Tensor, strengths: Sequence[float]) -> Tensor:
        """sum_k lambda_k P_k x for gathered coordinates x."""
        out = torch.zeros_like(gathered)
        for P, strength in zip(self._projectors, strengths, strict=True):
            out.add_(P.project(gathered[None])[0], alpha=strength)
        return out


MOST_ITERATIONS = 200


class Penalty(torch.autograd.Function):
    """1/2 w^T K w of the parameters' concatenation w, divided by |w|^2 if relative."""

    @staticmethod
    def forward(
        ctx: Any, operator: JointOperator, strengths: Sequence[float], relative: bool, *parameters: Tensor
    ) -> Tensor:
        """The value, a scalar."""
        value, ctx.gradient = value_and_gradient(operator, strengths, relative, parameters)
        ctx.arguments = operator, strengths, relative
        ctx.save_for_backward(*parameters)
        return value

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, ...]:
        """K w, handed over without a copy, so that other gradients are added to it in place; a second backward computes it again."""
        gradient, ctx.gradient = ctx.gradient, None
        if gradient is None:
            operator, strengths, relative = ctx.arguments
            _, gradient = value_and_gradient(operator, strengths, relative, ctx.saved_tensors)
        if grad.device.type != "cpu" or grad.item() != 1:  # reading the number would synchronise a GPU
            torch._foreach_mul_(gradient, grad)
        return None, None, None, *gradient


def value_and_gradient(
    operator: JointOperator, strengths: Sequence[float], relative: bool, parameters: Sequence[Tensor]
) -> tuple[Tensor, list[Tensor]]:
    """The penalty and its gradient, in new tensors."""
    gradient, form, square = operator.products(parameters, strengths)
    dtype = precision(gradient[0])
    value = torch.as_tensor(0.5 * form, dtype=dtype)
    if relative:
        norm = torch.as_tensor(square + torch.finfo(dtype).tiny, dtype=dtype)  # all weights may be zero
        value = value / norm
        torch._foreach_sub_(gradient, torch._foreach_mul(list(parameters), 2 * value))
        torch._foreach_div_(gradient, norm)
    return value, gradient


class Proximal:
    """(1 + t K)^-1 on all parameters, for given strengths and any step t."""

    def __init__(self, operator: JointOperator, strengths: tuple[float, ...]) -> None:
        self._operator, self._large, self._strengths = operator, operator.large, strengths
        self._diagonal, matrices = operator.weight(strengths)
        self._eigen = []
        for K in matrices:
            values, vectors = np.linalg.eigh(K)
            is_rounding = values <= 1e-12 * max(sum(strengths), 1e-300)
            self._eigen.append((np.where(is_rounding, 0.0, values), vectors))
        self._resolvents: dict[torch.dtype, Resolvent] = {}
        self._constants: dict[Any, tuple[Tensor, list[tuple[Tensor, Tensor, Tensor]]]] = {}

    def apply_(self, parameters: Sequence[Tensor], step: float) -> None:
        """Replaces the parameters by the minimiser."""
        if self._operator.can_run_compiled(parameters):
            self._resolvent(parameters[0].dtype).run_(parameters, step)
            return
        flat = self(flatten(parameters), step)
        for parameter, piece in zip(parameters, flat.split(self._operator.sizes), strict=True):
            parameter.copy_(piece.view(parameter.shape))

    def __call__(self, w: Tensor, step: float) -> Tensor:
        """The minimiser for a flat vector w (size,), in torch operations."""
        diagonal, spectra = self._prepare(w)
        out = w / (1 + step * diagonal)
        for index, values, vectors in spectra:
            shrink = step * values / (1 + step * values)
            rows = w[index]
            out[index] = rows - torch.bmm(torch.bmm(rows, vectors) * shrink, vectors.mT)
        if self._large is not None:
            index = self._large.index.to(w.device)
            out[index] = self._solve_large(w[index], step)
        return out

    def _prepare(self, w: Tensor) -> tuple[Tensor, list[tuple[Tensor, Tensor, Tensor]]]:
        """K in the dtype and on the device of w: diagonal (size,); positions, eigenvalues and eigenvectors of each mixing."""
        if (w.dtype, w.device) not in self._constants:
            spectra = []
            for mixing, (values, vectors) in zip(self._operator.mixings, self._eigen, strict=True):
                index = torch.tensor(mixing.index, device=w.device)
                spectra.append((index, torch.tensor(values[:, None]).to(w), torch.tensor(vectors).to(w)))
            self._constants[w.dtype, w.device] = torch.tensor(self._diagonal).to(w), spectra
        return self._constants[w.dtype, w.device]

    def _resolvent(self, dtype: torch.dtype) -> Resolvent:
        """The eigendecomposition for compiled code."""
        if dtype not in self._resolvents:
            spectra = [
                SmallSpectra(where, values, vectors, k)
                for mixing, (values, vectors) in zip(self._operator.mixings, self._eigen, strict=True)
                for k, where in self._operator.split_positions(mixing.index)
            ]
            diagonals = torch.tensor(self._diagonal).split(self._operator.sizes)
            self._resolvents[dtype] = Resolvent(diagonals, spectra, dtype)
        return self._resolvents[dtype]

    def _solve_large(self, x: Tensor, step: float) -> Tensor:
        """The minimiser on coordinates of types too large to be diagonalised, by conjugate gradients."""
        assert self._large is not None
        scale = 1 + step * sum(self._strengths)
        solution = torch.zeros_like(x)
        residual, direction = x.clone(), x.clone()
        square = torch.dot(residual, residual)
        tolerance = square * torch.finfo(x.dtype).eps ** 2
        for _ in range(MOST_ITERATIONS):
            if square <= tolerance:
                break
            image = scale * direction - step * self._large.project(direction, self._strengths)
            length = square / torch.dot(direction, image)
            solution += length * direction
            residual -= length * image
            square, before = torch.dot(residual, residual), square
            direction = residual + (square / before) * direction
        return solution
