r"""Sums of base kernels in torch: :math:`f(x) = \sum_i k(x, x_i)\, v_i`, the twin of :meth:`softsym.inference.Kernel.function`."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor, nn

from softsym.inference import Kernel
from softsym.inference.kernels.monomials import count, monomials, terms
from softsym.typing import Array

NEAR = 1e-24
"""Squared distances below count as this one, so that the root has a gradient."""


class KernelSum(nn.Module):
    """The sum over rows, kernel by kernel.

    Args:
        kernel: The base kernel.
        rows: The rows (n, d).
        values: One row of numbers for each of them, shape (n, c).

    Example:
        >>> rows, values = np.eye(2), np.array([[1.0], [2.0]])
        >>> KernelSum(Kernel("rbf", 1.0), rows, values)(torch.eye(2, dtype=torch.float64))[0] # 1 + 2 exp(-1/2)
        tensor([2.2131], dtype=torch.float64)
    """

    rows: Tensor
    values: Tensor

    def __init__(self, kernel: Kernel, rows: Array, values: Array) -> None:
        super().__init__()
        self.kernel = kernel
        self.register_buffer("rows", torch.from_numpy(np.ascontiguousarray(rows)))
        self.register_buffer("values", torch.from_numpy(np.ascontiguousarray(values)))

    def forward(self, x: Tensor) -> Tensor:
        """Maps (..., d) to (..., c)."""
        d = x.shape[-1]
        inner = x @ self.rows.T / d
        left, right = x.square().sum(-1, keepdim=True) / d, self.rows.square().sum(-1) / d
        return kernel_values(self.kernel, inner, left, right) @ self.values

    def extra_repr(self) -> str:
        """Shown by print(module)."""
        return f"{self.kernel}, {len(self.rows)} rows"


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


def kernel_values(kernel: Kernel, inner: Tensor, left: Tensor, right: Tensor) -> Tensor:
    """As :meth:`softsym.inference.Kernel.of`: from inner products and squared lengths, all divided by the number of columns."""
    if kernel.family == "polynomial":
        return (1.0 + inner) ** kernel.parameter
    distance = left + right - 2.0 * inner
    if kernel.family == "matern":
        z = distance.clamp_min(NEAR).sqrt() * (math.sqrt(5.0) / kernel.parameter)
        return (1.0 + z + z.square() / 3.0) * (-z).exp()
    smooth = (distance.clamp_min(0.0) * (-0.5 / kernel.parameter**2)).exp()
    if kernel.family == "rbf":
        return smooth
    return 0.5 * (smooth + 1.0 + inner) if kernel.family == "rbf+linear" else smooth * (1.0 + inner)
