"""Constants of the nonlinear layers: never below what is found, and not far off."""

import numpy as np
import pytest
import torch

import softsym as ss
from softsym.metrics import equivariance_errors
from softsym.metrics.lipschitz import (
    SWISH_SLOPE,
    bilinear_norm,
    gate_constants,
    multilinear_norm,
    operator_norm,
)
from softsym.nn import Bilinear, Gated, gated_rep
from tests.metrics.test_bound import on_ball


def test_norms_of_matrices():
    assert operator_norm(np.diag([1.0, -3.0])) == 3.0
    assert operator_norm(np.zeros((0, 4))) == 0.0


def test_the_slope_of_swish():
    x = torch.linspace(-10, 10, 20_001, dtype=torch.float64, requires_grad=True)
    (slope,) = torch.autograd.grad(torch.nn.functional.silu(x).sum(), x)
    assert SWISH_SLOPE - 1e-4 < float(slope.max()) <= SWISH_SLOPE


@pytest.mark.parametrize(
    ("rep", "group"),
    [
        ("3S + 2V", "O(3)"),
        ("2S + 2V + 2T(2)", "SO(3)"),
        ("2S + V + V' + 2T(1,1)", "SL(2)"),
        ("2V + T(2)", "S(3)"),
    ],
)
def test_the_norm_of_a_bilinear_layer_is_an_upper_bound_and_not_far_off(rep, group):
    rep, G = ss.rep(rep), ss.group(group)
    layer = Bilinear(rep, G, torch.Generator().manual_seed(1)).double().eval()
    n = rep.size(G)
    eye = torch.eye(n, dtype=torch.float64)
    single = (layer(eye) - eye) / 0.1  # B(e_i, e_i)
    pairs = (eye[:, None] + eye).reshape(-1, n)
    double = ((layer(pairs) - pairs) / 0.1).reshape(n, n, n)
    symmetric = ((double - single[:, None] - single) / 2).detach().numpy()  # the symmetric part of the form
    u, best = np.random.default_rng(0).standard_normal((50, n)), 0.0
    for _ in range(100):
        u /= np.linalg.norm(u, axis=1, keepdims=True)
        value = np.einsum("ijk,ni,nj->nk", symmetric, u, u)
        best = max(best, np.linalg.norm(value, axis=1).max())
        u = np.einsum("ijk,nj,nk->ni", symmetric, u, value) + u
    assert best <= bilinear_norm(layer) <= 10 * best


def test_the_norm_of_a_form_without_terms_is_zero():
    assert bilinear_norm(Bilinear(ss.rep("3S"), ss.O(3))) == 0
    assert multilinear_norm(np.ones((2, 3, 4))) == pytest.approx(24**0.5)


@pytest.mark.parametrize("soft", [0.0, 0.3, -2.0])
@pytest.mark.parametrize(
    ("text", "largest", "group"),
    [("2S + 2V", "O(3)", "O(2)@z"), ("S + 2V", "S(3)", "S(3)"), ("2V + S", "S(3)", "O(3)")],
)
def test_constants_of_gates(text, largest, group, soft):
    rep, largest, group = ss.rep(text), ss.group(largest), ss.group(group)
    layer = Gated(rep, largest, soft=True).double().eval()
    rng = np.random.default_rng(0)
    with torch.no_grad():
        layer.soft.copy_(soft * torch.tensor(rng.uniform(0.5, 1, layer.size)))
    whole = gated_rep(rep, largest)
    radius = 3.0
    x, y = (on_ball(2000, whole.size(largest), radius, seed) for seed in (0, 3))
    y[1000:] = x[1000:] + 1e-3 * y[1000:]
    y *= (radius / y.norm(dim=1, keepdim=True)).clamp_max(1.0)
    c = gate_constants(layer, rep, largest, group, radius)
    with torch.no_grad():
        assert float((layer(x).norm(dim=1) / x.norm(dim=1)).max()) <= c.growth
        assert float(((layer(x) - layer(y)).norm(dim=1) / (x - y).norm(dim=1)).max()) <= c.lipschitz
    found = equivariance_errors(layer, x, whole, rep, group, 10, "none").max()
    assert found <= 2 * c.broken * radius + 1e-12
    assert (c.broken > 0) == (found > 1e-9)
