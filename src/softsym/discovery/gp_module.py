"""A Gaussian process in torch: the mean of its posterior, one sum over rows for each kernel of its mixture.

To be replaced by the ``module`` of the Gaussian-process engine itself.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from softsym.discovery.module import KernelSum, Scaled, Sum
from softsym.gp.features import scaling_power
from softsym.inference import SoftEquivariantGP
from softsym.inference.kernels import EquivariantKernel, Kernel, UnconstrainedKernel
from softsym.inference.kernels.averaged import Averaged
from softsym.inference.kernels.canonicalised import LEAST_SIZE, Canonicalised
from softsym.inference.kernels.kernel_blocks import Block
from softsym.inference.kernels.monomials import count, monomials, terms
from softsym.inference.kernels.polynomial import Polynomial
from softsym.typing import Array


class MonomialSum(nn.Module):
    """The same for a polynomial kernel, whose sum is one coefficient for every monomial.

    Args:
        degree: The polynomial's.
        rows: The rows (n, d).
        values: One row of numbers for each of them, shape (n, c).
    """

    which: Tensor
    coefficients: Tensor

    def __init__(self, degree: int, rows: Array, values: Array) -> None:
        super().__init__()
        which, size = terms(rows.shape[1], degree)
        coefficients = size[:, None] * (monomials(rows, degree).T @ values)
        self.register_buffer("which", torch.from_numpy(np.ascontiguousarray(which.T)))
        self.register_buffer("coefficients", torch.from_numpy(coefficients))

    def forward(self, x: Tensor) -> Tensor:
        """Maps (..., d) to (..., c)."""
        padded = torch.cat([torch.ones_like(x[..., :1]), x / math.sqrt(x.shape[-1])], dim=-1)
        factors = padded[..., self.which[0]]
        for k in range(1, len(self.which)):
            factors = factors * padded[..., self.which[k]]
        return factors @ self.coefficients


def kernel_sum(kernel: Kernel, rows: Array, values: Array) -> nn.Module:
    """Whichever of the two is smaller."""
    degree = int(kernel.parameter)
    is_short = kernel.family == "polynomial" and kernel.parameter == degree
    if is_short and count(rows.shape[1], degree) < len(rows):
        return MonomialSum(degree, rows, values)
    return KernelSum(kernel, rows, values)


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


def process_module(gp: SoftEquivariantGP) -> nn.Module:
    """The posterior mean as a module."""
    inside = gp.process_
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
