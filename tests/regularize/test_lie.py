"""The Jacobian penalty."""

import numpy as np
import pytest
import torch

import softsym as ss
from softsym.errors import InputError
from softsym.regularize import JacobianPenalty

X = torch.randn(7, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)


def test_it_is_the_limit_of_small_turns():
    def f(x):
        return torch.sin(x[:, :3]) * x[:, 3:]

    G = ss.SO(3)
    expected = 0.0
    for A in G.lie_algebra:
        g = torch.matrix_exp(torch.tensor(1e-5 * A / np.linalg.norm(A, 2)))
        moved = torch.cat([X[:, :3] @ g.T, X[:, 3:] @ g.T], 1)
        expected += ((f(moved) - f(X) @ g.T) / 1e-5).square().sum(-1).mean() / 3
    assert float(JacobianPenalty("2V", "V", G)(f, X)) == pytest.approx(float(expected), rel=1e-3)


def test_equivariant_functions_have_none_and_it_can_be_learned_from():
    penalty = JacobianPenalty("2V", "V", "SO(3)")
    assert float(penalty(lambda x: torch.linalg.cross(x[:, :3], x[:, 3:]), X)) < 1e-20
    net = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Tanh(), torch.nn.Linear(8, 3)).double()
    penalty(net, X).backward()
    assert all(
        weight.grad is not None and weight.grad.abs().sum() > 0 for weight in list(net.parameters())[:3]
    )


def test_products_of_groups_and_groups_without_turns():
    product = ss.group("SO(3) * S(2)")
    assert float(JacobianPenalty("V", "V", product)(lambda x: 2 * x, X)) < 1e-20
    with pytest.raises(InputError, match=r"S\(3\) has no continuous part"):
        JacobianPenalty("V", "V", "S(3)")
