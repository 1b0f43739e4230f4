"""Sums of kernels in torch give what their NumPy twins give, and have gradients everywhere."""

import numpy as np
import pytest
import torch

from softsym.discovery.module.kernel_sums import KernelSum, MonomialSum, kernel_sum
from softsym.inference.kernels.base import GRID, Kernel

RNG = np.random.default_rng(0)
ROWS, VALUES, NEW = (
    RNG.standard_normal((40, 3)),
    RNG.standard_normal((40, 2)),
    RNG.standard_normal((7, 3)),
)


@pytest.mark.parametrize("kernel", GRID, ids=str)
def test_the_numpy_twin_is_met(kernel: Kernel) -> None:
    module = kernel_sum(kernel, ROWS, VALUES)
    assert np.allclose(module(torch.from_numpy(NEW)).numpy(), kernel.gram(NEW, ROWS) @ VALUES, atol=1e-10)


def test_a_polynomial_with_fewer_monomials_than_rows_keeps_its_coefficients() -> None:
    assert isinstance(kernel_sum(Kernel("polynomial", 2), ROWS, VALUES), MonomialSum)
    assert isinstance(kernel_sum(Kernel("polynomial", 2), ROWS[:5], VALUES[:5]), KernelSum)


def test_gradients_are_finite_at_the_rows_themselves() -> None:
    x = torch.from_numpy(ROWS).requires_grad_()
    kernel_sum(Kernel("matern", 1.0), ROWS, VALUES)(x).sum().backward()
    assert x.grad is not None
    assert x.grad.isfinite().all()
