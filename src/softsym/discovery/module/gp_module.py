"""A Gaussian process in torch: the mean of its posterior, one sum over rows for each kernel of its mixture."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from softsym.discovery.models.gp_model import GaussianProcess
from softsym.discovery.module.kernel_sums import kernel_sum
from softsym.discovery.module.scaled import Scaled
from softsym.gp.features import scaling_power
from softsym.inference.kernels import EquivariantKernel, Kernel, UnconstrainedKernel
from softsym.inference.kernels.averaged import Averaged
from softsym.inference.kernels.canonicalised import LEAST_SIZE, Canonicalised
from softsym.inference.kernels.kernel_blocks import Block
from softsym.inference.kernels.polynomial import Polynomial
from softsym.typing import Array


class Sum(nn.Module):
    """The sum of modules that map the same inputs, weighted if weights are given.

    Args:
        parts: The modules.
        weights: One number for each of them.
    """

    def __init__(self, parts: Sequence[nn.Module], weights: Sequence[float] | None = None) -> None:
        super().__init__()
        self.parts = nn.ModuleList(parts)
        self.weights = [1.0] * len(parts) if weights is None else [float(weight) for weight in weights]

    def forward(self, x: Tensor) -> Tensor:
        """Maps (..., inputs) to (..., outputs)."""
        total = self.weights[0] * self.parts[0](x)
        for weight, part in zip(self.weights[1:], list(self.parts)[1:], strict=True):
            total = total + weight * part(x)
        return total


class Constant(nn.Module):
    """Zero, whatever the input: a process whose outputs do not vary.

    Args:
        outputs: How many.
    """

    def __init__(self, outputs: int) -> None:
        super().__init__()
        self.outputs = outputs

    def forward(self, x: Tensor) -> Tensor:
        """Maps (..., inputs) to (..., outputs)."""
        return x.new_zeros((*x.shape[:-1], self.outputs))


class Stretched(nn.Module):
    """A function of columns in other units.

    Args:
        inner: The function.
        stretch: What columns are multiplied by, shape (d,).
    """

    stretch: Tensor

    def __init__(self, inner: nn.Module, stretch: Array) -> None:
        super().__init__()
        self.inner = inner
        self.register_buffer("stretch", torch.from_numpy(stretch))

    def forward(self, x: Tensor) -> Tensor:
        """Maps (..., d) to (..., outputs)."""
        out: Tensor = self.inner(x * self.stretch)
        return out


class AtOneSize(nn.Module):
    """A function of inputs divided by their size, whose outputs grow as they do.

    Args:
        inner: The function of inputs of size one.
        powers_in: By which power of the size every input grows.
        powers_out: The same of every output.
    """

    powers_in: Tensor
    powers_out: Tensor
    tells: Tensor

    def __init__(self, inner: nn.Module, powers_in: Array, powers_out: Array) -> None:
        super().__init__()
        self.inner = inner
        self.first = float(powers_in[np.flatnonzero(powers_in)[0]])
        is_first = powers_in == self.first
        for name, numbers in (
            ("powers_in", powers_in),
            ("powers_out", powers_out),
            ("tells", is_first / is_first.sum()),
        ):
            self.register_buffer(name, torch.from_numpy(np.asarray(numbers, dtype=np.float64)))

    def forward(self, x: Tensor) -> Tensor:
        """Maps (..., d) to (..., outputs)."""
        square = (x.square() * self.tells).sum(-1, keepdim=True).clamp_min(LEAST_SIZE**2)
        size = square ** (0.5 / self.first)
        out: Tensor = self.inner(x / size**self.powers_in)
        return out * size**self.powers_out


class Powers(nn.Module):
    """Polynomials by their coefficients.

    Args:
        coefficients: For every power p those of p-fold products of inputs, shape (d^p, outputs).
    """

    def __init__(self, coefficients: Sequence[Array]) -> None:
        super().__init__()
        for p, numbers in enumerate(coefficients):
            self.register_buffer(f"coefficients_{p}", torch.from_numpy(np.ascontiguousarray(numbers)))
        self.degree = len(coefficients) - 1

    def forward(self, x: Tensor) -> Tensor:
        """Maps (..., d) to (..., outputs)."""
        products = torch.ones_like(x[..., :1])
        total = products @ self.get_buffer("coefficients_0")
        for p in range(1, self.degree + 1):
            products = (products.unsqueeze(-1) * x.unsqueeze(-2)).flatten(-2)
            total = total + products @ self.get_buffer(f"coefficients_{p}")
        return total


def process_module(model: GaussianProcess) -> nn.Module:
    """The posterior mean as a module.

    Args:
        model: A fitted Gaussian process.
    """
    gp, inside = model.gp, model.gp.process_
    outputs = inside.Y.shape[1]
    parts = []
    for component, units in zip(inside.components, inside.units, strict=True) if inside.blocks else ():
        values = [component.weight / unit * alpha for unit, alpha in zip(units, inside.alphas, strict=True)]
        parts.append(
            _component(component.candidate, component.kernel, inside.blocks, inside.X, values, outputs)
        )
    return Scaled(Sum(parts) if parts else Constant(outputs), gp.scale_in_, gp.scale_out_)


def _component(
    candidate: EquivariantKernel,
    kernel: Kernel,
    blocks: Sequence[Block],
    X: Array,
    values: Sequence[Array],
    outputs: int,
) -> nn.Module:
    """What one kernel adds to predictions of all outputs."""
    if isinstance(candidate, Canonicalised):
        size, unit = candidate.canonicalise(X)
        powers = _output_powers(blocks, outputs)
        grown = [
            np.tile(size ** scaling_power(b.type), b.size)[:, None] * v
            for b, v in zip(blocks, values, strict=True)
        ]
        inner = _component(candidate.inner, kernel, blocks, unit, grown, outputs)
        return AtOneSize(inner, candidate.powers(X.shape[1]).astype(np.float64), powers)
    if isinstance(candidate, Polynomial):
        return Powers(candidate.coefficients(kernel, blocks, X, values, outputs))
    assert isinstance(candidate, Averaged | UnconstrainedKernel)
    rows, wide = candidate.expanded(blocks, X, values)
    sums = kernel_sum(kernel, rows, wide @ _placement_matrix(blocks, outputs))
    stretch = candidate.stretch if isinstance(candidate, UnconstrainedKernel) else None
    return sums if stretch is None else Stretched(sums, stretch)


def _placement_matrix(blocks: Sequence[Block], outputs: int) -> Array:
    """Matrix (sum of b c, outputs) that places coordinates and copies of all blocks, concatenated, in the outputs."""
    rows = []
    for block in blocks:
        place = np.zeros((block.size, len(block.columns), outputs))
        for copy, columns in enumerate(block.columns):
            place[:, copy, columns] = block.basis.T
        rows.append(place.reshape(-1, outputs))
    return np.concatenate(rows)


def _output_powers(blocks: Sequence[Block], outputs: int) -> Array:
    powers = np.zeros(outputs)
    for block in blocks:
        powers[block.columns] = scaling_power(block.type)
    return powers
