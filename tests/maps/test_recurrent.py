"""Recurrent layers: gates, directions, layers."""

import pytest
from torch import nn

import softsym as ss
from softsym.errors import InputError
from softsym.maps.recurrent import read_recurrent, recurrent_parameter
from tests.maps.twins import check


@pytest.mark.parametrize("kind", [nn.RNN, nn.GRU, nn.LSTM])
@pytest.mark.parametrize(("both", "layers", "bias"), [(False, 1, True), (True, 1, False), (True, 2, True)])
def test_agrees_with_the_average(kind, both, layers, bias):
    module = kind(3, 4, layers, bidirectional=both, bias=bias)
    dims = check(module, "V", "2Regular(C(4)@z)" if both else "Regular(C(4)@z)", "C(4)@z")
    gates = {nn.RNN: 1, nn.GRU: 3, nn.LSTM: 4}[kind]
    assert dims["weight_hh_l0"] == gates * 4


def test_projections():
    one = recurrent_parameter("weight_hr_l0", 4, ss.rep("V"), ss.rep("8S"), ss.rep("2S"))
    assert str(one) == "8S -> 2S"
    assert str(recurrent_parameter("weight_hh_l0", 4, ss.rep("V"), ss.rep("8S"), ss.rep("2S"))) == "2S -> 32S"
    with pytest.raises(InputError, match="'a' projects its state; pass its parameters one by one"):
        read_recurrent("a", nn.LSTM(3, 4, proj_size=2), ss.rep("V"), ss.rep("2S"), [ss.O(3)])


def test_refuses():
    with pytest.raises(InputError, match="'weight' is not a parameter of a recurrent layer"):
        recurrent_parameter("weight", 4, ss.rep("V"), ss.rep("S"))
    with pytest.raises(InputError, match="Linear is not a recurrent layer"):
        read_recurrent("a", nn.Linear(1, 1), ss.rep("S"), ss.rep("S"), [ss.O(3)])
