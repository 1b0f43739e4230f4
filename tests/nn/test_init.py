"""Initial weights: their laws, and their covariances measured."""

import pytest
import torch

import softsym as ss
from softsym.errors import InputError
from softsym.nn import init
from softsym.nn.linear import free_linear
from tests.nn.networks import normal

SPACE = ss.equivariant_maps("2S + 2V", "S + V", "O(3)")


@pytest.mark.parametrize(("rows", "columns"), [(5, 5), (9, 4), (4, 9), (1, 7)])
def test_orthogonal(rows, columns):
    W = init.orthogonal(rows, columns, torch.Generator().manual_seed(0)).double()
    gram = W @ W.T if rows <= columns else W.T @ W
    assert torch.allclose(gram, torch.eye(min(rows, columns)).double(), atol=1e-6)


def test_biases_fill_their_range():
    b = init.bias(4000, torch.Generator().manual_seed(0)) * 4000**0.5
    assert 0 <= b.min() < 0.01
    assert 0.99 < b.max() <= 1
    assert abs(b.mean() - 0.5) < 0.02
    assert init.bias(1, torch.Generator().manual_seed(0)) <= 1


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
    found = init.soften(W, SPACE, name)
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
    assert torch.allclose(init.soften(W, SPACE, "half-soft-code"), expected, atol=1e-14)


def test_the_weight_passed_in_stays_as_it_was():
    W = normal(*SPACE.shape)
    before = W.clone()
    init.soften(W, SPACE, "soft")
    assert torch.equal(W, before)


def test_unknown_name():
    with pytest.raises(
        InputError,
        match=r"unknown initialisation 'hard'; pass one of standard, soft, half-soft, half-soft-code",
    ):
        init.soften(normal(*SPACE.shape), SPACE, "hard")
