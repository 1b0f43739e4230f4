r"""Linear layers whose weights are built from equivariant spaces.

A constrained weight is parametrised by its coordinates in the orthonormal basis of its space, :math:`\mathrm{vec}\,W = Q\,\theta`: fewer
parameters than training a full matrix and projecting it in every forward pass, the same set of functions, and faster (the
projection needs a gather and a scatter, the coordinates only the scatter). The basis is never formed: a few small products fill the map.
Basis vectors are scaled by :math:`\sqrt{\mathrm{size}/\mathrm{rank}}`, so that their entries are of order one and a step of Adam moves the
entries of W about as far as it would move those of a full matrix.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn

from softsym.groups import Group
from softsym.nn import init
from softsym.nn.native.combine import Combine, can_combine
from softsym.reps import Rep
from softsym.spaces import EquivariantSpace, equivariant_maps, invariants


class Coordinates(nn.Module):
    """A tensor in an equivariant space, given by its coordinates.

    Args:
        space: The space.
        value: Initial value; its projection is taken.
    """

    index: Tensor

    def __init__(self, space: EquivariantSpace, value: Tensor) -> None:
        super().__init__()
        self.shape = space.shape
        blocks = space.packed.blocks
        self.sizes = [block.copies * block.rank for block in blocks]
        self.scales = [math.sqrt(block.size / block.rank) for block in blocks]
        theta = torch.as_tensor(space.coefficients(value.double())).to(value.dtype)
        pieces = theta.split(self.sizes) if blocks else ()
        parts = [piece / scale for piece, scale in zip(pieces, self.scales, strict=True)]
        self.theta = nn.Parameter(torch.cat(parts) if parts else theta)
        self.register_buffer("index", torch.tensor(space.packed.index), persistent=False)
        # Where every vector of a block is equivariant its coordinates are the entries themselves.
        self._exact = [
            None if b.rank == b.size else torch.tensor(scale * b.matrix.T)
            for b, scale in zip(blocks, self.scales, strict=True)
        ]
        for k, matrix in enumerate(self._exact):
            rounded = None if matrix is None else matrix.to(value.dtype)
            self.register_buffer(f"basis{k}", rounded, persistent=False)

    def square_norm(self) -> Tensor:
        """The squared Frobenius norm of the tensor."""
        pieces = self.theta.split(self.sizes) if self.sizes else ()
        squares = [scale**2 * piece.square().sum() for piece, scale in zip(pieces, self.scales, strict=True)]
        return torch.stack(squares).sum() if squares else self.theta.sum()

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Coordinates:
        """Moves or converts the module; a basis once rounded to float32 is taken afresh from float64."""
        super()._apply(fn, recurse)
        for k, matrix in enumerate(self._exact):
            if matrix is not None:
                setattr(self, f"basis{k}", matrix.to(self.theta.device, self.theta.dtype))
        return self

    def forward(self) -> Tensor:
        """The tensor."""
        if not self.sizes:
            return self.theta.new_zeros(self.shape)
        parts: list[Tensor] = []
        for k, mine in enumerate(self.theta.split(self.sizes)):
            basis = getattr(self, f"basis{k}")
            parts.append(mine if basis is None else (mine.view(-1, basis.shape[0]) @ basis).view(-1))
        size = math.prod(self.shape)
        rows = torch.cat(parts) if len(parts) > 1 else parts[0]
        return rows.new_zeros(size).scatter(0, self.index, rows).view(self.shape)


class EquivariantLinear(nn.Module):
    """x -> W x + b with W and b in the equivariant spaces of a group.

    Args:
        rep_in: Representation of the input.
        rep_out: Representation of the output.
        group: The group.
        generator: Source of the initial weights.
    """

    def __init__(
        self, rep_in: Rep, rep_out: Rep, group: Group, generator: torch.Generator | None = None
    ) -> None:
        super().__init__()
        maps, biases = equivariant_maps(rep_in, rep_out, group), invariants(rep_out, group)
        self.weight_coordinates = Coordinates(maps, init.orthogonal(maps.shape[0], maps.shape[1], generator))
        self.bias_coordinates = Coordinates(biases, init.bias(biases.size, generator))

    def map(self) -> tuple[Tensor, Tensor]:
        """Weight (n_out, n_in) and bias (n_out,)."""
        thetas = self.weight_coordinates.theta, self.bias_coordinates.theta
        if can_combine(self, *thetas):
            found: tuple[Tensor, Tensor] = Combine.apply(self, *thetas)
            return found
        return self.weight_coordinates(), self.bias_coordinates()

    def forward(self, x: Tensor) -> Tensor:
        """W x + b for x (..., n_in)."""
        return nn.functional.linear(x, *self.map())


class SumLinear(nn.Module):
    """The sum of two linear layers, as one matrix product: an equivariant part plus a softer one."""

    def __init__(self, first: nn.Module, second: nn.Module) -> None:
        super().__init__()
        self.first, self.second = first, second

    def map(self) -> tuple[Tensor, Tensor]:
        """Weight (n_out, n_in) and bias (n_out,)."""
        (W1, b1), (W2, b2) = weights_of(self.first), weights_of(self.second)
        return W1 + W2, b1 + b2

    def forward(self, x: Tensor) -> Tensor:
        """(W1 + W2) x + b1 + b2 for x (..., n_in)."""
        return nn.functional.linear(x, *self.map())


def free_linear(n_in: int, n_out: int, generator: torch.Generator | None = None) -> nn.Linear:
    """An ordinary linear layer with the paper's initial weights."""
    layer = nn.Linear(n_in, n_out)
    with torch.no_grad():
        layer.weight.copy_(init.orthogonal(n_out, n_in, generator))
        layer.bias.copy_(init.bias(n_out, generator))
    return layer


def weights_of(layer: nn.Module) -> tuple[Tensor, Tensor]:
    """Weight and bias of any linear layer of this room."""
    if isinstance(layer, nn.Linear):
        return layer.weight, layer.bias
    found: tuple[Tensor, Tensor] = layer.map()  # type: ignore[operator]
    return found


@torch.no_grad()
def baked(layer: nn.Module) -> nn.Linear:
    """An ordinary linear layer with the same map."""
    weight, bias = weights_of(layer)
    plain = nn.Linear(weight.shape[1], weight.shape[0], device=weight.device, dtype=weight.dtype)
    plain.weight.copy_(weight)
    plain.bias.copy_(bias)
    return plain
