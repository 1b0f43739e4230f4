"""The maps that layers compute, whatever they are built of."""

import numpy as np
import pytest
import torch
from torch import nn

import softsym as ss
from softsym.errors import InputError
from softsym.maps import KnowsMaps, KnowsRepresentations, TensorMap, as_array, map_values


@pytest.mark.parametrize(
    "net",
    [
        ss.nn.SoftMLP("2V", "S + V", ["O(3)"], width=10, layers=3),
        ss.nn.EMLP("2V", "S + V", "O(3)", width=10, layers=3),
        ss.nn.RPP("2V", "S + V", "O(3)", width=10, layers=3),
        ss.nn.MixedEMLP("2V", "S + V", ["O(2)@z"], ["O(2)@x"], width=10, layers=3),
    ],
    ids=lambda net: type(net).__name__,
)
def test_a_network_computes_what_it_says(net):
    """Its maps are the weights and biases of the baked network, with the representations that belong to them."""
    values, baked = map_values(net), net.bake()
    parameters = dict(baked.named_parameters())
    assert list(values) == [name for name in parameters if ".linear." in name or name.startswith("last.")]
    for name, one in values.items():
        assert one.value.dtype == np.float64
        assert np.array_equal(one.value, as_array(baked.get_parameter(name)))
        assert one.value.shape == one.map.shape(net.group)
    assert values["last.bias"].map == TensorMap.vector("S + V")


def test_who_knows_what():
    soft, exact = ss.nn.SoftMLP("V", "V", "O(3)", width=4), ss.nn.EMLP("V", "V", "O(3)", width=4)
    assert isinstance(soft, KnowsMaps)
    assert isinstance(exact, KnowsMaps)
    assert isinstance(soft, KnowsRepresentations)
    assert not isinstance(exact, KnowsRepresentations)  # its maps are no parameters of it
    assert not isinstance(ss.nn.MLP("V", "V", "O(3)", width=4), KnowsMaps)


class Mine(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Parameter(torch.eye(3))

    def representations(self):
        return {"table": TensorMap.linear("V", "V")}


def test_a_model_may_tell_or_be_told():
    maps = {"table": TensorMap.vector("9S")}
    assert map_values(Mine())["table"].map == TensorMap.linear("V", "V")
    assert map_values(Mine(), maps)["table"].map == maps["table"]
    assert np.array_equal(map_values({"table": [1.0, 2.0]}, maps)["table"].value, [1.0, 2.0])


def test_refuses():
    with pytest.raises(
        InputError, match="Linear does not say what its parameters are; pass `representations`"
    ):
        map_values(nn.Linear(3, 3))
    with pytest.raises(
        InputError, match=r"`representations` names 'w', which is not among the parameters \['table'\]"
    ):
        map_values(Mine(), {"w": TensorMap.vector("S")})


def test_arrays_are_copies():
    weight = torch.ones(2, requires_grad=True)
    found = as_array(weight)
    found[0] = 5
    assert weight[0] == 1
    assert as_array([1, 2]).dtype == np.float64
