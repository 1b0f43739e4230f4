"""EMLP: exactly equivariant to its group, and to no larger one."""

import pytest
import torch

import softsym as ss
from tests.catalogue import GROUPS, each
from tests.nn.networks import gap, normal, variation

REP_IN = "2S + 2V"
ROUTE = {True: "S + V", False: "S + V + T(2)"}


def outputs(G: ss.Group) -> str:
    return ROUTE[G.dim > 10]


@each(GROUPS)
def test_equivariant_to_its_group(G):
    net = ss.nn.EMLP(REP_IN, outputs(G), G, width=40, layers=3, seed=1)
    x = 2 * normal(12, ss.rep(REP_IN).size(G))
    assert gap(net, REP_IN, outputs(G), G, x) < 1e-5
    assert gap(net.eval(), REP_IN, outputs(G), G, x) < 1e-5
    assert gap(net.double(), REP_IN, outputs(G), G, x.double()) < 1e-10
    y = net(x.double()).detach()
    assert variation(y[:, :1]) > 1e-3  # not a constant: the output depends on the input
    assert variation(y[:, 1 : 1 + G.dim]) > 1e-3


@pytest.mark.parametrize("name", ["O(3)", "SO(2)@z", "SL(2)", "S(3)", "Lorentz()", "SO(2) * S(3)"])
def test_equivariant_after_training_steps_in_its_full_depth(name):
    G = ss.group(name)
    net = ss.nn.EMLP("2V + S", "V + T(2)", G, width=80, seed=2).double()
    n = ss.rep("2V + S").size(G)
    x, y = normal(16, n, dtype=torch.float64), normal(16, G.dim + G.dim**2, seed=1, dtype=torch.float64)
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-2)
    for _ in range(5):
        optimizer.zero_grad()
        (net(x) - y).square().mean().backward()
        optimizer.step()
    assert gap(net, "2V + S", "V + T(2)", G, x) < 1e-10
    assert variation(net(x).detach()) > 1e-3


@pytest.mark.parametrize("name", ["SL(2)", "O(2)@z", "SO(3) | Scaling(3)"])
def test_equivariant_with_duals_and_hidden_representations_of_every_order(name):
    G = ss.group(name)
    hidden = "2V + 3S + V' + V'*V + T(1,1) + 2S + T(2) + T(0,2)"
    net = ss.nn.EMLP("V + V' + S", "T(1,1) + V' + S", G, hidden=hidden, layers=3).double()
    x = normal(10, 2 * G.dim + 1, dtype=torch.float64)
    assert gap(net, "V + V' + S", "T(1,1) + V' + S", G, x) < 1e-10
    assert variation(net(x).detach()) > 1e-3


@pytest.mark.parametrize("name", ["O(3)", "O(2)", "O(2)@z", "SO(3)", "S(3)"])
@pytest.mark.parametrize("hidden", [None, "6S + 4V + 4pV + 2pS + 2T(2) + Sym0(2) + pT(2)"])
def test_pseudovectors_and_symmetric_tensors(name, hidden):
    G, source, target = ss.group(name), "2V + pV + Sym(2)", "V + pV + pS + Sym0(2)"
    net = ss.nn.EMLP(source, target, G, hidden=hidden, width=60, layers=3).double()
    x = normal(10, ss.rep(source).size(G), dtype=torch.float64)
    assert gap(net, source, target, G, x) < 1e-10
    assert variation(net(x).detach()[:, : 2 * G.dim]) > 1e-3


@pytest.mark.parametrize(
    ("own", "larger"),
    [
        ("SO(2)@z", "O(3)"),
        ("O(2)@z", "O(3)"),
        ("O(2)@z", "O(2)@x"),
        ("SO(2)@z", "O(2)@z"),
        ("SO(3)", "O(3)"),
        ("SO(3)", "Scaling(3)"),
        ("S(3)", "O(3)"),
        ("C(4)", "SO(2)"),
        ("Z(5)", "S(5)"),
        ("SO(2)", "SL(2)"),
        ("Trivial(3)", "C(4)@z"),
    ],
)
def test_not_equivariant_to_more(own, larger):
    net = ss.nn.EMLP("2S + 3V", "S + V", own, width=60, layers=3).double()
    x = normal(12, ss.rep("2S + 3V").size(own), dtype=torch.float64)
    assert gap(net, "2S + 3V", "S + V", own, x) < 1e-10
    assert gap(net, "2S + 3V", "S + V", larger, x) > 1e-4


def test_a_network_of_the_trivial_group_is_free():
    net = ss.nn.EMLP("V", "V", "Trivial(3)", hidden="8S", layers=2)
    for layer in (net.blocks[0].linear, net.last):
        assert torch.equal(layer.map()[0], layer.weight.free)


def test_text_and_values_build_the_same_network():
    text = ss.nn.EMLP("S + V", "T(2)", "O(3)", hidden="4S + 2V", layers=3)
    values = ss.nn.EMLP(ss.Scalar + ss.Vector, ss.T(2), ss.O(3), hidden=4 * ss.Scalar + 2 * ss.Vector, layers=3)
    listed = ss.nn.EMLP("S + V", "T(2)", "O(3)", hidden=["4S + 2V", ss.rep("4S + 2V")], layers=3)
    for p, q, r in zip(text.parameters(), values.parameters(), listed.parameters(), strict=True):
        assert torch.equal(p, q)
        assert torch.equal(p, r)
