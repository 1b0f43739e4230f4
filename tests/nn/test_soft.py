"""SoftMLP: free, and equivariant as soon as its weights are."""

import pytest
import torch

import softsym as ss
from softsym.maps import TensorMap
from tests.nn.networks import AXES, gap, normal, variation

ROUTE = ("2S + 3V", "S + V + T(2)")


def projected(net: ss.nn.SoftMLP, G: str) -> ss.nn.SoftMLP:
    ss.EquivarianceRegularizer(net, [G]).project_(G)
    with torch.no_grad():
        for block in net.blocks:
            block.gated.soft.zero_()
    return net


@pytest.mark.parametrize("G", [*AXES, "O(3)", "O(2)@x | O(2)@z"])
def test_projected_it_is_equivariant(G):
    net = ss.nn.SoftMLP(*ROUTE, AXES, width=60, layers=3).double()
    x = normal(10, 11, dtype=torch.float64)
    assert gap(net, *ROUTE, G, x) > 1e-2
    projected(net, G)
    assert gap(net, *ROUTE, G, x) < 1e-10
    assert gap(net.eval(), *ROUTE, G, x) < 1e-10
    assert gap(net.float(), *ROUTE, G, x.float()) < 1e-5
    assert variation(net(x.float()).detach()) > 1e-3


@pytest.mark.parametrize(
    ("groups", "G"),
    [
        (["SL(2)", "Scaling(2)"], "SL(2)"),
        (["SL(2)", "Scaling(2)"], "Scaling(2)"),
        (["SO(3)", "Scaling(3)"], "SO(3)"),
        (["SO(3)", "Scaling(3)"], "Scaling(3)"),
        (["SO(3)", "Scaling(3)"], "SO(3) | Scaling(3)"),
        (["SL(2)@z", "O(2)@x"], "SL(2)@z"),
        (["SO(2)", "D(3)"], "SO(2)"),
        (["S(4)", "O(4)"], "S(4)"),
        (["Z(4)", "S(4)"], "Z(4)"),
        (["Z(4)", "S(4)"], "S(4)"),
        (["SE(2)"], "SE(2)"),
        (["Lorentz()", "O(4)"], "Lorentz()"),
    ],
)
def test_projected_it_is_equivariant_to_any_candidate(groups, G):
    route = ("2S + 3V", "S + V + V'")
    net = projected(ss.nn.SoftMLP(*route, groups, width=50, layers=3).double(), G)
    x = normal(10, ss.rep(route[0]).size(G), dtype=torch.float64)
    assert gap(net, *route, G, x) < 1e-10
    assert variation(net(x).detach()[:, :1]) > 1e-4


def test_soft_gates_alone_break_the_symmetry():
    net = projected(ss.nn.SoftMLP(*ROUTE, AXES, width=60, layers=3).double(), "O(3)")
    with torch.no_grad():
        net.blocks[0].gated.soft.fill_(0.5)
    assert gap(net, *ROUTE, "O(3)", normal(10, 11, dtype=torch.float64)) > 1e-3


def test_published_number_of_parameters():
    net = ss.nn.SoftMLP("5S + 5V", "T(2)", AXES, width=128, round_up=True)
    assert ss.nn.count_parameters(net) == 164_959
    assert net.hidden[0] == ss.rep("54S + 18V + 6T(2) + 2T(3)")


def test_representations_name_every_linear_parameter():
    net = ss.nn.SoftMLP(*ROUTE, AXES, width=60, layers=3)
    found = net.representations()
    linear = {name for name, _ in net.named_parameters() if ".linear." in name or name.startswith("last")}
    assert set(found) == linear
    for name, one in found.items():
        assert net.get_parameter(name).shape == one.shape("O(3)")
    assert str(found["blocks.0.linear.weight"]).startswith("2S + 3V -> ")
    assert found["last.bias"] == TensorMap.vector(net.rep_out)


def test_largest_group_is_the_join_or_a_choice():
    assert ss.nn.SoftMLP(*ROUTE, AXES, width=20, layers=2).group.lie_algebra.shape == (3, 3, 3)
    assert ss.nn.SoftMLP(*ROUTE, AXES, width=20, layers=2, largest="O(3)").group == ss.O(3)


def test_prior_is_the_decay_of_the_soft_gates():
    net = ss.nn.SoftMLP(*ROUTE, AXES, width=40, layers=3)
    assert net.prior().item() == pytest.approx(2 * 40 * 1e-6, rel=1e-5)
    with torch.no_grad():
        net.blocks[1].gated.soft.fill_(2.0)
    assert net.prior().item() == pytest.approx(40 * 4.0 + 40 * 1e-6, rel=1e-5)


@pytest.mark.parametrize(
    ("init", "outside"), [("soft", 1e-3), ("half-soft", 0.5), ("half-soft-code", 0.25), ("equivariant", 0.0)]
)
def test_softer_starts_shrink_what_is_not_equivariant(init, outside):
    start = {i: ss.nn.SoftMLP(*ROUTE, AXES, width=60, layers=3, init=i, seed=3) for i in ("standard", init)}
    found = {i: ss.EquivarianceRegularizer(net, ["O(3)"]).totals()["O(3)"] for i, net in start.items()}
    assert found[init] == pytest.approx(outside * found["standard"], rel=1e-3)
    space = ss.equivariant_maps("2S + 3V", net_rep(start[init]), "O(3)")
    inside = [space.project(net.blocks[0].linear.weight.detach()) for net in start.values()]
    assert torch.allclose(*inside, atol=1e-5)


def net_rep(net: ss.nn.SoftMLP) -> ss.Rep:
    return net.representations()["blocks.0.linear.bias"].factors[0]


def test_unknown_start():
    with pytest.raises(ValueError, match=r"unknown initialisation 'softer'; pass one of standard, soft, half-soft"):
        ss.nn.SoftMLP(*ROUTE, AXES, width=20, init="softer")


def test_an_equivariant_start_has_every_symmetry_and_closed_gates():
    groups = ["O(2)@x", "O(2)@z"]
    net = ss.nn.SoftMLP("2S + 2V", "T(2)", groups, width=30, init="equivariant", seed=3).double()
    x = torch.randn(20, 8, generator=torch.Generator().manual_seed(0)).double()
    for group in ("O(3)", *groups):
        assert ss.equivariance_error(net, x, "2S + 2V", "T(2)", group) < 1e-6
    usual = ss.nn.SoftMLP("2S + 2V", "T(2)", groups, width=30, seed=3)
    for block, other in zip(net.blocks, usual.blocks, strict=True):
        assert not block.gated.soft.any()
        assert not block.gated.soft.requires_grad
        torch.testing.assert_close(block.bilinear.scale_weight.float(), 0.3 * other.bilinear.scale_weight)
