"""The fused bilinear step against ordinary operations: values and all gradients."""

import pytest
import torch

from softsym.nn.bilinear_step import FusedBilinear
from tests.nn.networks import normal
from tests.nn.test_bilinear import CASES, layer_of, terms_of

every = pytest.mark.parametrize(("rep", "G"), CASES)


def gradients(layer, x, fused):
    """Output and gradients of input and weights, for one random direction of the output."""
    x = x.clone().requires_grad_()
    layer.zero_grad()
    out = layer.train()(x) if fused else layer.plain(x)
    out.backward(normal(*out.shape, seed=7).to(out))
    weights = [p.grad for p in layer.parameters() if p.numel()]
    return [out.detach(), x.grad, *(g for g in weights if g is not None)]


@every
@pytest.mark.parametrize("batch", [1, 5, 33])
def test_values_and_gradients(rep, G, batch):
    layer = layer_of(rep, G)
    x = normal(batch, layer.size, seed=batch, dtype=torch.float64)
    if not terms_of(layer):
        assert torch.equal(layer(x), x)
        return
    fused, plain = gradients(layer, x, True), gradients(layer, x, False)
    assert len(fused) == len(plain)
    for a, b in zip(fused, plain, strict=True):
        assert torch.allclose(a, b, atol=1e-10, rtol=1e-10)


@every
def test_values_and_gradients_in_single_precision(rep, G):
    layer = layer_of(rep, G).float()
    x = normal(6, layer.size)
    if terms_of(layer):
        for a, b in zip(gradients(layer, x, True), gradients(layer, x, False), strict=True):
            assert a.dtype == torch.float32
            assert float((a - b).norm() / b.norm()) < 1e-5


@pytest.mark.parametrize(("rep", "G"), [case for case in CASES if layer_of(*case).size <= 20])
def test_against_finite_differences(rep, G):
    layer = layer_of(rep, G)
    if not terms_of(layer):
        return
    x = normal(2, layer.size, dtype=torch.float64).requires_grad_()
    weights = (layer.scale_weight, layer.inner_weight, *layer.mixed_weights)
    assert torch.autograd.gradcheck(
        lambda *inputs: FusedBilinear.apply(layer.plan, *inputs), (x, *weights), fast_mode=True
    )


def test_the_plain_way_has_second_derivatives():
    layer = layer_of("2S + V + T(2)", "O(2)").eval()
    x = normal(2, layer.size, dtype=torch.float64).requires_grad_()
    assert torch.autograd.gradgradcheck(layer, (x,))


def test_the_fused_step_runs_unless_derivatives_are_wanted_in_evaluation(monkeypatch):
    layer = layer_of("2S + V + T(2)", "O(2)")
    x = normal(2, layer.size, dtype=torch.float64)
    monkeypatch.setattr(layer, "plain", lambda x: pytest.fail("the plain way"))
    layer.train()(x)
    with pytest.raises(pytest.fail.Exception, match="the plain way"):
        layer.eval()(x)
    with torch.no_grad():
        layer.eval()(x)


def test_a_batch_may_be_used_twice():
    """The step must not write into its inputs or into what it returned."""
    layer = layer_of("2S + V + T(2)", "O(2)")
    x = normal(3, layer.size, dtype=torch.float64)
    before = x.clone()
    first = layer(x)
    kept = first.detach().clone()
    second = layer(first)
    second.sum().backward()
    assert torch.equal(x, before)
    assert torch.equal(first.detach(), kept)
    assert torch.equal(layer(x).detach(), kept)


def test_frozen_weights_and_inputs_without_gradients():
    layer = layer_of("2S + V + T(2)", "O(2)")
    layer.scale_weight.requires_grad_(False)
    x = normal(3, layer.size, dtype=torch.float64)
    layer(x).sum().backward()
    assert layer.scale_weight.grad is None
    assert layer.inner_weight.grad is not None
    for p in layer.parameters():
        p.requires_grad_(False)
    x.requires_grad_()
    layer(x).sum().backward()
    assert x.grad.shape == x.shape
