"""Linear layers built from equivariant spaces, and initial weights with their covariances measured."""

import pytest
import torch
from torch import nn

import softsym as ss
from softsym.errors import InputError
from softsym.nn import EquivariantLinear
from softsym.nn.linear import Confined, SumLinear, bake_linear, free_linear, orthogonal_weight, soften, uniform_bias
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
SPACE = ss.equivariant_maps("2S + 2V", "S + V", "O(3)")
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


def test_sum_and_bake_linear():
    first, second = layer_of("2V", "V + S", "O(3)"), free_linear(6, 4, torch.Generator().manual_seed(1))
    both = SumLinear(first, second)
    x = normal(5, 6)
    assert torch.allclose(both(x), first(x) + second(x), atol=1e-6)
    plain = bake_linear(both)
    assert type(plain) is nn.Linear
    assert torch.equal(plain(x), both(x))
    assert bake_linear(both.double()).weight.dtype == torch.float64
    before = second.weight.detach().clone()
    with torch.no_grad():
        bake_linear(second).weight.zero_()
    assert torch.equal(second.weight, before)


def test_a_network_that_can_only_be_zero_still_trains():
    """No map leads from scalars and vectors to T(2) under scalings: the output is zero, its gradient too."""
    net = ss.nn.EMLP("S + V", "T(2)", "Scaling(3)", hidden="3S + 2V", layers=2)
    out = net(normal(4, 4))
    assert not out.any()
    (out - 1).square().mean().backward()


@pytest.mark.parametrize(("rows", "columns"), [(5, 5), (9, 4), (4, 9), (1, 7)])
def test_orthogonal(rows, columns):
    W = orthogonal_weight(rows, columns, torch.Generator().manual_seed(0)).double()
    gram = W @ W.T if rows <= columns else W.T @ W
    assert torch.allclose(gram, torch.eye(min(rows, columns)).double(), atol=1e-6)


def test_biases_fill_their_range():
    b = uniform_bias(4000, torch.Generator().manual_seed(0)) * 4000**0.5
    assert 0 <= b.min() < 0.01
    assert 0.99 < b.max() <= 1
    assert abs(b.mean() - 0.5) < 0.02
    assert uniform_bias(1, torch.Generator().manual_seed(0)) <= 1


def test_seeded():
    draw = [free_linear(4, 6, torch.Generator().manual_seed(seed)) for seed in (1, 1, 2)]
    assert torch.equal(draw[0].weight, draw[1].weight)
    assert torch.equal(draw[0].bias, draw[1].bias)
    assert not torch.allclose(draw[0].weight, draw[2].weight)


def test_networks_start_with_these():
    net = ss.nn.MLP("5S + 5V", "T(2)", "O(3)", width=30)
    W = net.layers[0].weight.double()
    assert torch.allclose(W.T @ W, torch.eye(20).double(), atol=1e-6)
    assert net.layers[0].bias.min() >= 0
    assert net.layers[0].bias.max() <= 30**-0.5


@pytest.mark.parametrize(
    ("name", "outside"),
    [("standard", 1.0), ("soft", 1e-3), ("half-soft", 0.5), ("half-soft-code", 0.25), ("equivariant", 0.0)],
)
def test_covariances(name, outside):
    """Variance one inside the equivariant space and the given one outside."""
    W = normal(20_000, *SPACE.shape, dtype=torch.float64)
    found = soften(W, SPACE, name)
    inside = SPACE.project(found)
    rest = found - inside
    assert abs(inside.square().sum((1, 2)).mean() / SPACE.dim - 1) < 0.03
    assert rest.square().sum((1, 2)).mean() / (SPACE.size - SPACE.dim) == pytest.approx(outside, rel=0.03)
    assert abs((inside * rest).sum((1, 2))).max() < 1e-10
    cross = torch.einsum("nij,nij->n", SPACE.project(W), inside).mean() / SPACE.dim
    assert cross == pytest.approx(1.0, rel=0.03)


def test_half_soft_of_the_code_is_half_the_projection_plus_half_the_weight():
    W = normal(*SPACE.shape, dtype=torch.float64)
    expected = 0.5 * SPACE.project(W) + 0.5 * W
    assert torch.allclose(soften(W, SPACE, "half-soft-code"), expected, atol=1e-14)


def test_the_weight_passed_in_stays_as_it_was():
    W = normal(*SPACE.shape)
    before = W.clone()
    soften(W, SPACE, "soft")
    assert torch.equal(W, before)


def test_unknown_name():
    with pytest.raises(
        InputError, match=r"unknown initialisation 'hard'; pass one of standard, soft, half-soft, half-soft-code"
    ):
        soften(normal(*SPACE.shape), SPACE, "hard")
