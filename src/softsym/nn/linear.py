r"""Linear layers whose weights are built from equivariant spaces.

A constrained weight is trained as a full matrix that is projected in every forward pass, :math:`\mathrm{vec}\,W = P\,w`. Its coordinates
in a basis of the space, :math:`Q\,\theta`, would be fewer numbers and reach the same functions; but Adam, which scales the step of every
number by itself, learns better with the entries of a matrix than with coordinates (on the paper's inertia task an RPP that was trained by
coordinates ended at three times the error). Neither P nor Q is formed: a few small products work on the blocks of the space.

Initial weights are orthogonal, initial biases uniform in :math:`[0, 1/\sqrt{n_{out}}]`. For networks that are only softly equivariant more
starts exist, with P the projector of the largest group: *soft* draws from :math:`N(0, s^2 P + \epsilon s^2 I)` and *half-soft* from
:math:`N(0, s^2 P + l\, s^2 (I - P))`, between an exactly equivariant start (l = 0) and an unconstrained one (l = 1). *Equivariant* is
l = 0: the network begins with every symmetry and leaves those that the data break.

Reference:
    Regularizing Towards Soft Equivariance Under Mixed Symmetries (Kim et al., 2023), https://arxiv.org/abs/2306.00356
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.native import Projection, Subspace, project
from softsym.reps import Rep
from softsym.spaces import EquivariantSpace, equivariant_maps, invariants

RESIDUAL_START = 1e-3  # what the softer part of a sum is multiplied by at first
OUTSIDE = {"standard": 1.0, "soft": 1e-3**0.5, "half-soft": 0.5**0.5, "half-soft-code": 0.5, "equivariant": 0.0}
"""What each initialisation multiplies the part of a weight outside of the equivariant space by."""


class Confined(nn.Module):
    """A tensor in an equivariant space: the projection of a free one."""

    index: Tensor

    def __init__(self, space: EquivariantSpace, value: Tensor) -> None:
        super().__init__()
        self.shape = space.shape
        self.free = nn.Parameter(value.clone())
        blocks = space.packed.blocks
        self.blocks = [(block.copies, block.size) for block in blocks]
        self.sizes = [copies * size for copies, size in self.blocks]
        self.register_buffer("index", torch.tensor(space.packed.index), persistent=False)
        # Where every vector of a block is equivariant it is kept as it is.
        self._exact = [None if b.rank == b.size else torch.tensor(b.matrix) for b in blocks]
        for k, matrix in enumerate(self._exact):
            rounded = None if matrix is None else matrix.to(value.dtype)
            self.register_buffer(f"factor{k}", rounded, persistent=False)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Confined:
        """Moves or converts the module; a factor once rounded to float32 is taken afresh from float64."""
        super()._apply(fn, recurse)
        for k, matrix in enumerate(self._exact):
            if matrix is not None:
                setattr(self, f"factor{k}", matrix.to(self.free.device, self.free.dtype))
        return self

    def subspaces(self, tensor: int) -> list[Subspace]:
        """The blocks, for compiled code that knows the free tensor by a number."""
        parts = zip(self.index.split(self.sizes), self.blocks, self._exact, strict=True)
        return [Subspace(tensor, piece.view(shape).numpy(), F) for piece, shape, F in parts]

    def forward(self) -> Tensor:
        """The tensor."""
        rows = self.free.reshape(-1).index_select(0, self.index)
        parts: list[Tensor] = []
        for k, mine in enumerate(rows.split(self.sizes)):
            F = getattr(self, f"factor{k}")  # orthonormal columns (size, rank); None where every vector is equivariant
            parts.append(mine if F is None else (mine.view(self.blocks[k]) @ F @ F.T).view(-1))
        projected = torch.cat(parts) if parts else rows
        return projected.new_zeros(self.free.numel()).scatter(0, self.index, projected).view(self.shape)


class EquivariantLinear(nn.Module):
    """x -> W x + b with W and b in the equivariant spaces of a group.

    Args:
        rep_in: Representation of the input.
        rep_out: Representation of the output.
        group: The group.
        generator: Source of the initial weights.
    """

    def __init__(self, rep_in: Rep, rep_out: Rep, group: Group, generator: torch.Generator | None = None) -> None:
        super().__init__()
        maps, biases = equivariant_maps(rep_in, rep_out, group), invariants(rep_out, group)
        self.weight = Confined(maps, orthogonal_weight(maps.shape[0], maps.shape[1], generator))
        self.bias = Confined(biases, uniform_bias(biases.size, generator))
        self._projection = Projection([*self.weight.subspaces(0), *self.bias.subspaces(1)])

    def map(self) -> tuple[Tensor, Tensor]:
        """Weight (n_out, n_in) and bias (n_out,)."""
        projected = project(self._projection, (self.weight.free, self.bias.free))
        return (self.weight(), self.bias()) if projected is None else (projected[0], projected[1])

    def forward(self, x: Tensor) -> Tensor:
        """W x + b for x (..., n_in)."""
        return nn.functional.linear(x, *self.map())


class SumLinear(nn.Module):
    """The sum of two linear layers, as one matrix product: an equivariant part plus a softer one, small at first."""

    def __init__(self, first: nn.Module, second: nn.Module) -> None:
        super().__init__()
        self.first, self.second = first, second
        for parameter in second.parameters():
            parameter.data.mul_(RESIDUAL_START)

    def map(self) -> tuple[Tensor, Tensor]:
        """Weight (n_out, n_in) and bias (n_out,)."""
        (W1, b1), (W2, b2) = get_weights(self.first), get_weights(self.second)
        return W1 + W2, b1 + b2

    def forward(self, x: Tensor) -> Tensor:
        """(W1 + W2) x + b1 + b2 for x (..., n_in)."""
        return nn.functional.linear(x, *self.map())


def orthogonal_weight(rows: int, columns: int, generator: torch.Generator | None = None) -> Tensor:
    """A random matrix with orthonormal rows or columns, whichever are fewer."""
    weight = torch.empty(rows, columns)
    nn.init.orthogonal_(weight, generator=generator)
    return weight


def uniform_bias(size: int, generator: torch.Generator | None = None) -> Tensor:
    """Uniform in [0, 1 / sqrt(size)]."""
    return torch.rand(size, generator=generator) / math.sqrt(size)


@torch.no_grad()
def soften(weight: Tensor, space: EquivariantSpace, init: str) -> Tensor:
    """Makes another start of a standard one by scaling the part of the weight outside the equivariant space."""
    if init not in OUTSIDE:
        raise InputError(f"unknown initialisation {init!r}; pass one of {', '.join(OUTSIDE)}")
    inside: Tensor = space.project(weight)
    return inside + OUTSIDE[init] * (weight - inside)


def free_linear(n_in: int, n_out: int, generator: torch.Generator | None = None) -> nn.Linear:
    """An ordinary linear layer with the paper's initial weights."""
    layer = nn.Linear(n_in, n_out)
    with torch.no_grad():
        layer.weight.copy_(orthogonal_weight(n_out, n_in, generator))
        layer.bias.copy_(uniform_bias(n_out, generator))
    return layer


def get_weights(layer: nn.Module) -> tuple[Tensor, Tensor]:
    """Weight and bias of any linear layer of this subpackage."""
    if isinstance(layer, nn.Linear):
        return layer.weight, layer.bias
    return layer.map()  # type: ignore[operator]


@torch.no_grad()
def bake_linear(layer: nn.Module) -> nn.Linear:
    """An ordinary linear layer with the same map."""
    weight, bias = get_weights(layer)
    plain = nn.Linear(weight.shape[1], weight.shape[0], device=weight.device, dtype=weight.dtype)
    plain.load_state_dict({"weight": weight, "bias": bias})
    return plain
