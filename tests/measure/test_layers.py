"""Distances of layers to equivariance."""

import numpy as np
import pytest
import torch

import softsym as ss
from softsym.errors import InputError
from softsym.measure import layer_distances
from softsym.nn import ParameterRep

V, S = ss.Vector, ss.Scalar


def test_a_soft_network_agrees_with_its_spaces():
    net = ss.nn.SoftMLP("2S + 2V", "V", ["O(2)@z", "O(3)"], width=16, layers=3)
    found = layer_distances(net, "O(2)@z")
    assert list(found) == list(net.representations())
    for name, r in net.representations().items():
        value = net.get_parameter(name).detach().double().numpy()
        space = (
            ss.equivariant_maps(r.rep_in, r.rep_out, "O(2)@z")
            if r.rep_in is not None
            else ss.invariants(r.rep_out, "O(2)@z")
        )
        assert found[name] == pytest.approx(np.linalg.norm(space.residual(value)) / np.linalg.norm(value))
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
    reps = {"weight": ParameterRep("", V, V), "bias": ParameterRep("", V, None)}
    parameters = {"weight": np.diag([1.0, 2.0, 3.0]), "bias": torch.zeros(3)}
    found = layer_distances(parameters, "O(3)", reps)
    assert found == pytest.approx({"weight": (2 / 14) ** 0.5, "bias": 0.0})
    module = torch.nn.Linear(3, 3).double()
    module.load_state_dict(
        {name: torch.as_tensor(value, dtype=torch.float64) for name, value in parameters.items()}
    )
    assert layer_distances(module, "O(3)", reps) == pytest.approx(found)


def test_refuses():
    with pytest.raises(
        InputError, match="Linear does not say what its parameters are; pass `representations`"
    ):
        layer_distances(torch.nn.Linear(3, 3), "O(3)")
    with pytest.raises(
        InputError, match=r"names 'w', which is not among the parameters \['weight', 'bias'\]"
    ):
        layer_distances(torch.nn.Linear(3, 3), "O(3)", {"w": ParameterRep("", V, V)})
