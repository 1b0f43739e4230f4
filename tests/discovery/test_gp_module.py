"""Sums of kernels in torch give what their NumPy twins give; every way to make a kernel equivariant has its module."""

import numpy as np
import pytest
import torch
from softsym.discovery.gp_module import AtOneSize, MonomialSum, Powers, kernel_sum, process_module
from softsym.inference.kernels.base import GRID, Kernel

import softsym as ss
from softsym.discovery.fit_data import Rows, Shape
from softsym.discovery.models.gp import fit_gp
from softsym.discovery.module import KernelSum

RNG = np.random.default_rng(0)
X = RNG.standard_normal((60, 6))
CROSS = np.cross(X[:, :3], X[:, 3:])
OUTER = np.einsum("ni,nj->nij", X[:, :3], CROSS).reshape(60, 9)
CASES = {
    "averaged": ("2V", "V", ["SO(3)", "O(2)@z"], CROSS),
    "tensors": ("2V", "T(2) + V", ["SO(3)"], np.hstack([OUTER, CROSS])),
    "at one size": ("2V", "V", ["Scaling(3)"], X[:, :3] * np.abs(X[:, 3:]).max(1, keepdims=True)),
    "turned, at one size": ("2V", "T(2)", ["SO(3) | Scaling(3)"], OUTER),
    "polynomial": ("2V", "S", ["SL(3)"], X[:, :1]),
    "without candidates": ("6S", "3S", [], CROSS),
    "constant outputs": ("2V", "V", ["SO(3)"], np.zeros((60, 3))),
}


@pytest.mark.parametrize("case", CASES)
def test_it_predicts_what_the_process_predicts(case: str) -> None:
    rep_in, rep_out, groups, Y = CASES[case]
    shape = Shape.of(ss.rep(rep_in), ss.rep(rep_out), [ss.group(name) for name in groups])
    model = fit_gp(Rows(X[:50], Y[:50]), shape)
    module = process_module(model.gp)
    predicted = model.predict(X)
    assert np.allclose(
        module(torch.from_numpy(X)).numpy(), predicted, atol=1e-8 * (1 + np.abs(predicted).max())
    )
    inside = [type(part) for part in module.modules()]
    assert (AtOneSize in inside) == ("one size" in case)
    assert (Powers in inside) == (case == "polynomial")


ROWS, VALUES, NEW = (RNG.standard_normal((40, 3)), RNG.standard_normal((40, 2)), RNG.standard_normal((7, 3)))


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
