"""Reading linear layers and chains of them, and refusing what cannot be read."""

import pytest
from torch import nn

import softsym as ss
from softsym.errors import InputError
from softsym.maps import TensorMap, linear_parameters, parameter_maps
from softsym.maps.linear import POINTWISE, chain_maps, is_chain

O3 = [ss.O(3)]


def test_weight_and_bias():
    weight, bias = TensorMap.linear("2V", "V"), TensorMap.vector("V")
    assert linear_parameters("", "2V", "V") == {"weight": weight, "bias": bias}
    assert linear_parameters("a.b", ss.rep("2V"), "V", bias=False) == {"a.b.weight": weight}


def test_hidden_representations_are_proposed_by_width():
    chain = nn.Sequential(nn.Linear(3, 20), nn.ReLU(), nn.Linear(20, 3))
    groups = [ss.group("O(2)@x"), ss.group("O(2)@z")]
    proposed = chain_maps(chain, groups, "V", "V", None)
    assert proposed["0.bias"] == TensorMap.vector(ss.hidden_rep(20, groups[0] | groups[1]))
    assert proposed == chain_maps(chain, groups, "V", "V", [ss.hidden_rep(20, "O(3)")])


@pytest.mark.parametrize("between", POINTWISE)
def test_pointwise_layers(between):
    chain = nn.Sequential(nn.Linear(3, 4), between(), nn.Linear(4, 3))
    found = parameter_maps(chain, O3, "V", "V", ["S + V"])
    assert list(found) == ["0.weight", "0.bias", "2.weight", "2.bias"]


def test_flattened_inputs():
    found = parameter_maps(nn.Sequential(nn.Flatten(), nn.Linear(6, 3)), O3, "2V", "V", None)
    assert list(found) == ["1.weight", "1.bias"]


@pytest.mark.parametrize("odd", [nn.LayerNorm(4), nn.Softmax(-1), nn.BatchNorm1d(4)])
def test_a_list_of_hidden_representations_is_for_chains(odd):
    chain = nn.Sequential(nn.Linear(3, 4), odd, nn.Linear(4, 3))
    assert not is_chain(chain)
    with pytest.raises(InputError, match=r"Sequential is no chain of linear layers"):
        parameter_maps(chain, O3, "V", "V", ["S + V"])
    assert list(parameter_maps(chain, O3, "V", "V"))[:1] == [
        "0.weight"
    ]  # without the list it is watched while it runs


def test_missing_ends():
    for ends in ((None, "V"), ("V", None), (None, None)):
        with pytest.raises(InputError, match=r"pass `rep_in` and `rep_out`: this model does not know"):
            parameter_maps(nn.Linear(3, 3), O3, *ends, None)


def test_wrong_number_of_hidden_representations():
    chain = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3))
    with pytest.raises(InputError, match=r"2 linear layers have 1 hidden representations, got 2"):
        parameter_maps(chain, O3, "V", "V", ["4S", "4S"])


def test_unknown_layer():
    chain = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3))
    message = r"`reps` names '1', which is not a layer that can be read \(those are: 0, 2\)"
    with pytest.raises(InputError, match=message):
        parameter_maps(chain, O3, None, None, {"1": ("V", "V")})
    with pytest.raises(InputError, match=r"\(those are: none\)"):
        parameter_maps(nn.ReLU(), O3, None, None, {"first": ("V", "V")})
