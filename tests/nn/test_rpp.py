"""RPP: an EMLP plus a free path."""

import copy

import pytest
import torch

import softsym as ss
from tests.nn.networks import gap, normal

ROUTE = ("2S + 3V", "S + T(2)")


def without_free_path(net: ss.nn.RPP) -> ss.nn.RPP:
    net = copy.deepcopy(net)
    with torch.no_grad():
        for block in net.blocks:
            block.gated.soft.zero_()
        for layer in (*(block.linear for block in net.blocks), net.last):
            layer.second.weight.zero_()
            layer.second.bias.zero_()
    return net


def with_same_coordinates(net: ss.nn.RPP) -> ss.nn.EMLP:
    twin = ss.nn.EMLP(*ROUTE, net.group, width=40, layers=3, seed=5)
    kept = {name.replace(".first.", "."): value for name, value in net.state_dict().items()}
    wanted = twin.state_dict().keys()
    twin.load_state_dict({name: value for name, value in kept.items() if name in wanted})
    return twin


@pytest.mark.parametrize("G", ["O(3)", "SO(2)@z", "SL(2)", "S(3)"])
def test_without_its_free_path_it_is_an_emlp(G):
    net = ss.nn.RPP(*ROUTE, G, width=40, layers=3)
    exact = without_free_path(net)
    twin = with_same_coordinates(exact)
    x = normal(8, ss.rep(ROUTE[0]).size(G))
    assert torch.equal(exact(x), twin(x))
    assert torch.equal(exact.eval()(x), twin.eval()(x))
    assert gap(exact.double(), *ROUTE, G, x.double()) < 1e-10
    assert not torch.allclose(net(x), twin(x), atol=1e-6)


def test_starts_nearly_equivariant_and_can_leave():
    net = ss.nn.RPP(*ROUTE, "O(3)", width=40, layers=3).double()
    x = normal(8, 11, dtype=torch.float64)
    assert 1e-6 < gap(net, *ROUTE, "O(3)", x) < 0.1
    with torch.no_grad():
        for layer in (*(block.linear for block in net.blocks), net.last):
            layer.second.weight.mul_(1e3)
    assert gap(net, *ROUTE, "O(3)", x) > 0.1


def test_the_free_path_starts_at_a_thousandth():
    net = ss.nn.RPP(*ROUTE, "O(3)", width=40, layers=3)
    free = net.blocks[0].linear.second
    gram = free.weight.T @ free.weight if free.weight.shape[0] > free.weight.shape[1] else None
    assert torch.allclose(gram, 1e-6 * torch.eye(11), atol=1e-12)
    assert free.bias.min() >= 0
    assert free.bias.max() <= 1e-3 / free.bias.numel() ** 0.5


def test_prior_by_hand():
    net = ss.nn.RPP(*ROUTE, "O(3)", width=40, layers=3, equivariant_decay=0.5, residual_decay=7.0)
    expected = sum(float(block.gated.soft.detach().square().sum()) for block in net.blocks)
    for layer in (net.blocks[0].linear, net.blocks[1].linear, net.last):
        W1, W2 = layer.first.weight.free, layer.second.weight
        expected += 0.5 * float(W1.detach().square().sum()) + 7.0 * float(W2.detach().square().sum())
    assert net.prior().item() == pytest.approx(expected, rel=1e-5)
    net.prior().backward()
    assert torch.allclose(net.last.second.weight.grad, 14.0 * net.last.second.weight.detach())
    assert net.last.second.bias.grad is None  # biases are free
    assert net.blocks[0].bilinear.scale_weight.grad is None
    assert torch.allclose(net.blocks[0].gated.soft.grad, torch.full((40,), 2e-3))


def test_decay_of_the_published_code():
    net = ss.nn.RPP(*ROUTE, "O(3)", width=40, layers=2)
    assert (net.equivariant_decay, net.residual_decay) == (1e-5, 1.0)


def test_whole_rounds_of_the_published_code():
    net = ss.nn.RPP("V", "V", "O(3)", width=128, layers=2, round_up=True)
    assert net.hidden == (ss.rep("54S + 18V + 6T(2) + 2T(3)"),)
