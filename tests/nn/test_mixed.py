"""MixedEMLP: exact for the exact groups, soft for the others."""

import pytest
import torch

import softsym as ss
from tests.catalogue import GROUPS, each
from tests.nn.networks import gap, normal, variation

REP_IN, REP_OUT = "2S + 2V", "S + V"
EXACT = {name: G for name, G in GROUPS.items() if G.dim <= 6 and len(G.part_dims) == 1}


def louder(net: ss.nn.MixedEMLP, factor: float = 1e3) -> ss.nn.MixedEMLP:
    """The softer part, at the size of the other."""
    with torch.no_grad():
        for layer in (*(block.linear for block in net.blocks), net.last):
            for p in layer.second.parameters():
                p.mul_(factor)
    return net


@each(EXACT)
def test_equivariant_to_the_exact_group(G):
    soft = ss.O(G.dim)
    net = louder(ss.nn.MixedEMLP(REP_IN, REP_OUT, G, soft, width=40, layers=3, seed=1))
    x = 2 * normal(12, 2 + 2 * G.dim)
    assert gap(net, REP_IN, REP_OUT, G, x) < 1e-5
    assert gap(net.double().eval(), REP_IN, REP_OUT, G, x.double()) < 1e-10
    y = net(x.double()).detach()
    assert variation(y[:, :1]) > 1e-3
    assert variation(y[:, 1:]) > 1e-3


@pytest.mark.parametrize(
    ("exact", "soft"),
    [
        ("O(2)@z", "O(2)@x"),
        ("O(2)@z", ["O(2)@x", "O(2)@y"]),
        ("SO(2)@z", "O(3)"),
        ("C(4)", "SO(2)"),
        ("SO(3)", "Scaling(3)"),
        ("SO(2)@z", "SL(2)@z"),
    ],
)
def test_breaks_the_soft_groups_when_the_softer_part_is_scaled_up(exact, soft):
    net = ss.nn.MixedEMLP("2S + 3V", REP_OUT, exact, soft, width=60, layers=3).double()
    x = normal(12, ss.rep("2S + 3V").size(exact), dtype=torch.float64)
    softer = [soft] if isinstance(soft, str) else soft
    start = {G: gap(net, "2S + 3V", REP_OUT, G, x) for G in softer}
    louder(net)
    for G in softer:
        later = gap(net, "2S + 3V", REP_OUT, G, x)
        assert later > 1e-3
        assert later > 2 * start[G]
    assert gap(net, "2S + 3V", REP_OUT, exact, x) < 1e-10


def test_without_the_softer_part_all_groups_are_exact():
    net = louder(ss.nn.MixedEMLP(REP_IN, REP_OUT, "O(2)@z", "O(2)@x", width=40, layers=3), 0.0).double()
    x = normal(8, 8, dtype=torch.float64)
    for G in ("O(2)@z", "O(2)@x", "O(3)"):
        assert gap(net, REP_IN, REP_OUT, G, x) < 1e-10


def test_several_exact_groups():
    net = louder(ss.nn.MixedEMLP(REP_IN, REP_OUT, ["C(4)@z", "C(4)@x"], "O(3)", width=40, layers=3)).double()
    x = normal(8, 8, dtype=torch.float64)
    for G in ("C(4)@z", "C(4)@x", "C(4)@z | C(4)@x"):
        assert gap(net, REP_IN, REP_OUT, G, x) < 1e-10
    assert gap(net, REP_IN, REP_OUT, "O(3)", x) > 1e-2


def test_no_soft_group_is_a_plain_equivariant_network():
    net = ss.nn.MixedEMLP(REP_IN, REP_OUT, "O(3)", width=40, layers=3).double()
    assert gap(net, REP_IN, REP_OUT, "O(3)", normal(8, 8, dtype=torch.float64)) < 1e-10


def test_prior_by_hand():
    net = ss.nn.MixedEMLP(REP_IN, REP_OUT, "O(2)@z", "O(2)@x", width=40, layers=3, joint_decay=0.25, exact_decay=3.0)
    expected = 0.0
    for layer in (net.blocks[0].linear, net.blocks[1].linear, net.last):
        W1, W2 = layer.first.weight.free.detach(), layer.second.weight.free.detach()
        expected += 0.25 * float(W1.square().sum()) + 3.0 * float(W2.square().sum())
    assert net.prior().item() == pytest.approx(expected, rel=1e-5)
    net.prior().backward()
    weight = net.last.second.weight.free
    assert torch.allclose(weight.grad, 6.0 * weight.detach())
    assert net.last.second.bias.free.grad is None  # biases are free


def test_largest_group_is_a_choice():
    net = louder(ss.nn.MixedEMLP(REP_IN, REP_OUT, "SO(2)@z", "SO(2)@x", width=40, layers=3, largest="O(3)")).double()
    assert net.group == ss.O(3)
    assert gap(net, REP_IN, REP_OUT, "SO(2)@z", normal(8, 8, dtype=torch.float64)) < 1e-10


def test_whole_rounds_of_the_published_code():
    net = ss.nn.MixedEMLP("V", "V", "O(2)@z", "O(2)@x", width=128, layers=2, round_up=True)
    assert net.hidden == (ss.rep("54S + 18V + 6T(2) + 2T(3)"),)
