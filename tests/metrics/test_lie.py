"""Lie derivatives against finite motions."""

import numpy as np
import pytest
import torch
from scipy.linalg import expm

import softsym as ss
from softsym.errors import InputError
from softsym.metrics import act, lie_derivative_error
from tests.catalogue import SMALL, each

CONTINUOUS = {text: G for text, G in SMALL.items() if G.lie and len(G.part_dims) == 1}


def draw(n, size, seed=0):
    return torch.tensor(np.random.default_rng(seed).standard_normal((n, size)))


@each(CONTINUOUS)
def test_agrees_with_finite_motions(G):
    rep_in, rep_out = ss.rep("S + 2V'"), ss.rep("V + S + T(1,1)")
    x = draw(5, rep_in.size(G))
    W = draw(rep_out.size(G), rep_in.size(G), 1)

    def f(x):
        return torch.tanh(x @ W.T) + 0.1

    found = lie_derivative_error(f, x, rep_in, rep_out, G)
    t = 1e-5
    for A, value in zip(G.lie_algebra, found.per_generator, strict=True):
        A = A / np.linalg.norm(A, 2)

        def transformed(t, A=A):
            return act(rep_out, G, [expm(-t * A)[None]], f(act(rep_in, G, [expm(t * A)[None]], x)[0]))[0]

        derivative = (transformed(t) - transformed(-t)) / (2 * t)
        assert np.isclose(value, float((derivative.norm(dim=1) / f(x).norm(dim=1)).mean()), rtol=1e-5, atol=1e-8)
    assert np.isclose(float(found), np.mean(found.per_generator))


@pytest.mark.parametrize("text", ["SO(3) * Z(2)", "SO(2) * S(3)"])
def test_products_move_part_by_part(text):
    G = ss.group(text)
    x = draw(4, ss.rep("V[0]*V[1] + V[0]").size(G))
    assert lie_derivative_error(lambda x: x, x, "V[0]*V[1] + V[0]", "V[0]*V[1] + V[0]", G).mean < 1e-12
    assert lie_derivative_error(torch.tanh, x, "V[0]*V[1] + V[0]", "V[0]*V[1] + V[0]", G).mean > 1e-2


def test_scaling_a_generator_changes_nothing():
    A = ss.SO(3).lie_algebra
    x = draw(10, 3)
    one, ten = (
        lie_derivative_error(torch.abs, x, "V", "V", ss.Group.from_generators(lie_algebra=s * A, name="mine"))
        for s in (1, 10)
    )
    assert np.allclose(one.per_generator, ten.per_generator)


def test_networks_in_training_mode_are_measured_and_left_as_they_were():
    x = draw(6, 8)
    exact = ss.nn.EMLP("2S + 2V", "V", "SO(3)", width=24, layers=3).double()
    free = ss.nn.SoftMLP("2S + 2V", "V", "SO(3)", width=24, layers=3).double()
    assert lie_derivative_error(exact, x, "2S + 2V", "V", "SO(3)").mean < 1e-10
    assert lie_derivative_error(free, x, "2S + 2V", "V", "SO(3)").mean > 1e-3
    assert exact.training
    assert free.training
    assert all(p.grad is None for p in free.parameters())


def test_normalisation():
    x = draw(5, 3)
    assert lie_derivative_error(lambda x: 0 * x, x, "V", "V", "SO(3)").mean == 0
    assert lie_derivative_error(
        lambda x: 0 * x + 1, x, "V", "V", "SO(3)", normalize="none"
    ).per_generator == pytest.approx([2**0.5] * 3)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"G": "S(3)"}, r"S\(3\) has no continuous part; use equivariance_error"),
        ({"x": np.zeros((2, 3))}, r"needs a torch tensor, got `x` as ndarray; pass torch.as_tensor\(x\)"),
        ({"x": torch.zeros(2, 4)}, r"`rep_in` has size 3, got `x` of shape \(2, 4\)"),
        ({"x": torch.zeros(0, 3)}, "`x` has no samples"),
        ({"rep_out": "S"}, "`rep_out` has size 1"),
        ({"normalize": "sum"}, "pass 'output' or 'none'"),
    ],
)
def test_refuses(options, message):
    given = {"f": torch.abs, "x": torch.zeros(2, 3), "rep_in": "V", "rep_out": "V", "G": "SO(3)"} | options
    with pytest.raises(InputError, match=message):
        lie_derivative_error(**given)
