"""The fused gate against ordinary operations: values and all gradients."""

import pytest
import torch

from softsym.nn.gating_step import FusedGate
from tests.nn.networks import normal
from tests.nn.test_gating import CASES, layer_of


@pytest.mark.parametrize(("rep", "G"), CASES)
@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("batch", [1, 7])
def test_values_and_gradients(rep, G, soft, batch):
    layer = layer_of(rep, G, soft).train()
    results = []
    for way in (layer, layer.plain):
        x = normal(batch, layer.gates + layer.size, dtype=torch.float64).requires_grad_()
        layer.zero_grad()
        out = way(x)
        out.backward(normal(*out.shape, seed=4, dtype=torch.float64))
        results.append([out.detach(), x.grad, *(p.grad for p in layer.parameters())])
    for a, b in zip(*results, strict=True):
        assert torch.allclose(a, b, atol=1e-12)


@pytest.mark.parametrize(("rep", "G"), CASES)
def test_against_finite_differences(rep, G):
    layer = layer_of(rep, G, soft=True)
    x = normal(2, layer.gates + layer.size, dtype=torch.float64).requires_grad_()
    weight = normal(layer.size, seed=1, dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradcheck(lambda x, w: FusedGate.apply(x, w, layer.gates, layer.runs), (x, weight))


def test_large_values_do_not_overflow():
    layer = layer_of("2S + V", "O(3)", soft=True).float()
    x = torch.tensor([[1e4, -1e4, 1e4, -1e4, 1e4, -1e4]]).requires_grad_()
    out = layer(x)
    out.sum().backward()
    assert torch.isfinite(out).all()
    assert torch.isfinite(x.grad).all()
