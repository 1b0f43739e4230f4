"""Any device: the same code where there is no memory behind tensors, and in half precision."""

import pytest
import torch

import softsym as ss
from softsym.native import full_precision, is_mixed
from softsym.nn import EMLP, MLP, RPP, MixedEMLP, SoftMLP
from softsym.regularize import EquivarianceRegularizer
from tests.training.small import train

AXES = ["O(2)@x", "O(2)@z"]
NETWORKS = {
    "soft": lambda: SoftMLP("2V", "V", AXES, 16),
    "emlp": lambda: EMLP("2V", "V", "O(3)", 16),
    "mlp": lambda: MLP("2V", "V", "O(3)", 16),
    "rpp": lambda: RPP("2V", "V", "O(3)", 16),
    "mixed": lambda: MixedEMLP("2V", "V", "O(3)", AXES, 16),
}


def test_who_is_in_mixed_precision():
    x = torch.ones(2)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert is_mixed(x)
        assert not is_mixed(x.to("meta"))
        with full_precision(x):
            assert not is_mixed(x)
    assert not is_mixed(x)


@pytest.mark.parametrize("make", NETWORKS.values(), ids=list(NETWORKS))
def test_networks_go_forwards_and_backwards_on_another_device(make):
    """Nothing computes on a device of its own choice: on ``meta`` an operation with a tensor of the CPU fails."""
    net = make().to("meta")
    y = net(torch.empty(5, 6, device="meta"))
    assert (y.shape, y.device.type) == ((5, 3), "meta")
    y.sum().backward()
    assert all(p.grad is not None and p.grad.device.type == "meta" for p in net.parameters())


def test_projections_and_penalties_are_where_the_weights_are():
    W = torch.empty(3, 3, device="meta")
    assert ss.equivariant_maps("V", "V", "O(3)").project(W).device.type == "meta"
    chain = torch.nn.Sequential(torch.nn.Linear(6, 9), torch.nn.ReLU(), torch.nn.Linear(9, 3)).to("meta")
    for net, options in ((SoftMLP("2V", "V", AXES, 16).to("meta"), {}), (chain, {"rep_in": "2V", "rep_out": "V"})):
        per = EquivarianceRegularizer(net, AXES, strength=1.0, **options)
        assert per().device.type == "meta"
        per().backward()
        per.prox_(0.1)


@pytest.mark.parametrize("model", ["per", "mlp", "rpp"])
def test_half_precision_trains_as_double_does(model):
    half, double = (train(model, epochs=6, precision=precision) for precision in ("bf16-mixed", "64-true"))
    assert half.history[-1]["loss"] < half.history[0]["loss"]
    assert half.history[-1]["loss"] == pytest.approx(double.history[-1]["loss"], rel=0.02)
    assert {p.dtype for p in half.model.parameters()} == {torch.float32}
