"""Linear layers built from equivariant spaces."""

import pytest
import torch
from torch import nn

import softsym as ss
from softsym.nn import EquivariantLinear
from softsym.nn.linear import Confined, SumLinear, baked, free_linear
from tests.nn.networks import gap, normal
from tests.twin import equivariance_gap

CASES = [
    ("2S + 2V", "S + T(2)", "O(3)"),
    ("V + S", "T(1,1) + V'", "SL(2)"),
    ("V", "T(2) + S", "S(4)"),
    ("2V", "V", "O(2)@z"),
    ("V[0]*V[1]", "V[1]", "SO(2) * S(3)"),
    ("V", "T(2)", "SO(3) | Scaling(3)"),
    ("V", "V", "Trivial(3)"),
]
every = pytest.mark.parametrize(("rep_in", "rep_out", "G"), CASES)


def layer_of(rep_in: str, rep_out: str, G: str, seed: int = 0) -> EquivariantLinear:
    generator = torch.Generator().manual_seed(seed)
    return EquivariantLinear(ss.rep(rep_in), ss.rep(rep_out), ss.group(G), generator)


@every
def test_maps_are_equivariant(rep_in, rep_out, G):
    layer = layer_of(rep_in, rep_out, G).double()
    W, b = (value.detach().numpy() for value in layer.map())
    group = ss.group(G)
    assert equivariance_gap(W, ss.rep(rep_in), ss.rep(rep_out), group) < 1e-12
    assert equivariance_gap(b, None, ss.rep(rep_out), group) < 1e-12
    assert gap(layer, rep_in, rep_out, G, normal(6, W.shape[1], dtype=torch.float64)) < 1e-12


@every
def test_as_many_parameters_as_a_free_layer(rep_in, rep_out, G):
    layer, group = layer_of(rep_in, rep_out, G), ss.group(G)
    n_in, n_out = ss.rep(rep_in).size(group), ss.rep(rep_out).size(group)
    assert [p.shape for p in layer.parameters()] == [(n_out, n_in), (n_out,)]


@every
def test_starts_as_the_projection_of_the_standard_start(rep_in, rep_out, G):
    layer = layer_of(rep_in, rep_out, G, seed=3)
    space = ss.equivariant_maps(rep_in, rep_out, G)
    free = free_linear(space.shape[1], space.shape[0], torch.Generator().manual_seed(3))
    W, b = layer.map()
    assert torch.allclose(W, space.project(free.weight.detach()), atol=1e-6)
    assert torch.allclose(b, ss.invariants(rep_out, G).project(free.bias.detach()), atol=1e-6)


@every
def test_projects_values_and_gradients(rep_in, rep_out, G):
    space = ss.equivariant_maps(rep_in, rep_out, G)
    W, direction = (normal(*space.shape, seed=seed, dtype=torch.float64) for seed in (0, 1))
    confined = Confined(space, W)
    value = confined()
    assert torch.allclose(value, space.project(W), atol=1e-12)
    (value * direction).sum().backward()
    assert torch.allclose(confined.free.grad, space.project(direction), atol=1e-12)


def test_double_takes_the_basis_afresh():
    """A basis rounded to float32 and widened again would be off by 1e-8."""
    direct = layer_of("2S + 2V", "T(2)", "O(3)").double()
    once = layer_of("2S + 2V", "T(2)", "O(3)").float().double().float().double()
    for layer in (direct, once):
        W = layer.map()[0].detach()
        assert float(ss.equivariant_maps("2S + 2V", "T(2)", "O(3)").distance(W)) < 1e-14


def test_sum_and_baked():
    first, second = layer_of("2V", "V + S", "O(3)"), free_linear(6, 4, torch.Generator().manual_seed(1))
    both = SumLinear(first, second)
    x = normal(5, 6)
    assert torch.allclose(both(x), first(x) + second(x), atol=1e-6)
    plain = baked(both)
    assert type(plain) is nn.Linear
    assert torch.equal(plain(x), both(x))
    assert baked(both.double()).weight.dtype == torch.float64
    before = second.weight.detach().clone()
    with torch.no_grad():
        baked(second).weight.zero_()
    assert torch.equal(second.weight, before)


def test_a_network_that_can_only_be_zero_still_trains():
    """No map leads from scalars and vectors to T(2) under scalings: the output is zero, its gradient too."""
    net = ss.nn.EMLP("S + V", "T(2)", "Scaling(3)", hidden="3S + 2V", layers=2)
    out = net(normal(4, 4))
    assert not out.any()
    (out - 1).square().mean().backward()
