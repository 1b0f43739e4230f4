"""The pure functions of hidden layers: derivatives. Their values have oracles in the tests of the layers."""

import pytest
import torch

from softsym.nn.bilinear import bilinear
from softsym.nn.gate import gate
from softsym.nn.network import hidden_layer
from tests.nn import test_bilinear, test_gate
from tests.nn.networks import normal

SMALL = [case for case in test_bilinear.CASES if test_bilinear.layer_of(*case).size <= 20]


@pytest.mark.parametrize(("rep", "G"), SMALL)
def test_bilinear_against_finite_differences(rep, G):
    layer = test_bilinear.layer_of(rep, G)
    x = normal(2, layer.size, dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(lambda *inputs: bilinear(layer.plan, *inputs), (x, *layer.weights), fast_mode=True)


@pytest.mark.parametrize(("rep", "G"), test_gate.CASES)
def test_gates_against_finite_differences(rep, G):
    layer = test_gate.layer_of(rep, G, soft=True)
    x = normal(2, layer.gates + layer.size, dtype=torch.float64).requires_grad_()
    weight = normal(layer.size, seed=1, dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(lambda x, w: gate(layer.plan, x, w), (x, weight))


def test_second_derivatives():
    layer = test_bilinear.layer_of("2S + V + T(2)", "O(2)")
    x = normal(2, layer.size, dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradgradcheck(layer, (x,))


def test_large_values_do_not_overflow():
    layer = test_gate.layer_of("2S + V", "O(3)", soft=True).float()
    x = torch.tensor([[1e4, -1e4, 1e4, -1e4, 1e4, -1e4]]).requires_grad_()
    out = layer(x)
    out.sum().backward()
    assert torch.isfinite(out).all()
    assert torch.isfinite(x.grad).all()


def test_a_layer_is_the_gates_of_the_bilinear_layer():
    layer, gated = test_bilinear.layer_of("3S + V", "O(3)"), test_gate.layer_of("2S + V", "O(3)", soft=True)
    x = normal(4, layer.size, dtype=torch.float64)
    whole = hidden_layer(layer.plan, gated.plan, x, gated.weight, *layer.weights)
    assert torch.equal(whole, gated(layer(x)))
