"""Distances of layers to equivariance."""

import numpy as np
import pytest
import torch

import softsym as ss
from softsym.errors import InputError
from softsym.maps import TensorMap, incoming, outgoing
from softsym.metrics import layer_distances, weight_parts


def test_a_soft_network_agrees_with_its_spaces():
    net = ss.nn.SoftMLP("2S + 2V", "V", ["O(2)@z", "O(3)"], width=16, layers=3)
    found = layer_distances(net, "O(2)@z")
    assert list(found) == list(net.representations())
    for name, one in net.representations().items():
        value = net.get_parameter(name).detach().double().numpy()
        rest = one.space("O(2)@z").residual(value)
        assert found[name] == pytest.approx(np.linalg.norm(rest) / np.linalg.norm(value))
    assert found == pytest.approx(layer_distances(net, "O(2)@z", net.representations()))


def test_networks_built_of_several_parts_count_what_they_add_up_to():
    exact = ss.nn.EMLP("2S + 2V", "V", "O(3)", width=16, layers=3).double()
    assert max(layer_distances(exact, "O(3)").values()) < 1e-12
    mixed = ss.nn.MixedEMLP("2S + 2V", "V", ["O(2)@z"], ["O(2)@x"], width=16, layers=3).double()
    assert max(layer_distances(mixed, "O(2)@z").values()) < 1e-12
    assert max(layer_distances(mixed, "O(2)@x").values()) > 1e-4
    small = layer_distances(ss.nn.RPP("2S + 2V", "S + V", "O(3)", width=16, layers=3), "O(3)")
    assert 1e-6 < max(small.values()) < 0.1


def test_any_module_or_parameters_by_name():
    reps = {"weight": TensorMap.linear("V", "V"), "bias": TensorMap.vector("V")}
    parameters = {"weight": np.diag([1.0, 2.0, 3.0]), "bias": torch.zeros(3)}
    found = layer_distances(parameters, "O(3)", reps)
    assert found == pytest.approx({"weight": (2 / 14) ** 0.5, "bias": 0.0})
    module = torch.nn.Linear(3, 3).double()
    module.load_state_dict({name: torch.as_tensor(value, dtype=torch.float64) for name, value in parameters.items()})
    assert layer_distances(module, "O(3)", reps) == pytest.approx(found)


def test_refuses():
    with pytest.raises(InputError, match="Linear does not say what its parameters are; pass `representations`"):
        layer_distances(torch.nn.Linear(3, 3), "O(3)")
    with pytest.raises(InputError, match=r"names 'w', which is not among the parameters \['weight', 'bias'\]"):
        layer_distances(torch.nn.Linear(3, 3), "O(3)", {"w": TensorMap.linear("V", "V")})


def test_a_kernel_of_a_convolution():
    """A kernel that is the same in all directions is equivariant; one more on the right than on the left is not."""
    kernel = TensorMap((outgoing("S"), incoming("S"), incoming("Grid(3,3)", shape=(3, 3))))
    even, skew = np.ones((1, 1, 3, 3)), np.ones((1, 1, 3, 3))
    skew[0, 0, 1, 2] += 1
    found = layer_distances({"even": even, "skew": skew}, "D(4)", {"even": kernel, "skew": kernel})
    assert found == pytest.approx({"even": 0.0, "skew": (0.75 / 12) ** 0.5})


def projected(weight, rep_in, rep_out, group):
    """The projection by a dense basis."""
    basis = torch.tensor(ss.equivariant_maps(rep_in, rep_out, group).basis())
    flat = weight.double().reshape(-1)
    return (basis @ (basis.T @ flat)).reshape(weight.shape)


def test_the_parts_of_a_free_network():
    net = ss.nn.SoftMLP("2S + 2V", "V", ["O(2)@z", "O(3)"], width=12, layers=2)
    last = weight_parts(net)[-1]
    inside = projected(net.last.weight.detach(), net.hidden[-1], net.rep_out, net.group)
    assert last.layer == 2
    assert last.confined is None
    assert last.inside == pytest.approx(float(inside.norm()), rel=1e-5)
    assert last.outside == pytest.approx(float((net.last.weight.detach() - inside).norm()), rel=1e-5)


def test_the_parts_of_two_paths():
    net = ss.nn.RPP("2S + 2V", "V", "O(3)", width=12, layers=3)
    with torch.no_grad():
        net.last.second.weight.fill_(0.1)
    *_, last = weight_parts(net)
    residual = torch.full_like(net.last.second.weight, 0.1)
    outside = residual - projected(residual, net.hidden[-1], net.rep_out, net.group)
    assert last.confined == pytest.approx(float(net.last.first.map()[0].detach().norm()), rel=1e-5)
    assert last.outside == pytest.approx(float(outside.norm()), rel=1e-5)
