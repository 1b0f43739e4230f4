"""Attention: packed and separate weights, added keys and values."""

import pytest
from torch import nn

import softsym as ss
from softsym.errors import InputError
from softsym.maps.attention import Attention, read_attention
from tests.maps.twins import check


@pytest.mark.parametrize("options", [{}, {"add_bias_kv": True}, {"bias": False}])
def test_agrees_with_the_average(options):
    dims = check(nn.MultiheadAttention(8, 2, **options), "2Regular(C(4)@z)", "2Regular(C(4)@z)", "C(4)@z")
    assert dims["in_proj_weight"] == 8 * 24 // 4


def test_separate_weights():
    flow = Attention(2, ss.rep("S + V"), ss.rep("4S"), ss.rep("V"), ss.rep("5S"), ss.rep("2V"), ss.rep("8S"))
    shown = {
        name: str(flow.parameter(name))
        for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight", "out_proj.weight")
    }
    assert shown == {
        "q_proj_weight": "V -> 2(S + V)", "k_proj_weight": "5S -> 2(S + V)", "v_proj_weight": "2V -> 8S", "out_proj.weight": "8S -> 8S",
    }  # fmt: skip
    assert flow.parameter("in_proj_weight").shape("O(3)") == (24, 3)


def test_heads_hold_whole_representations():
    with pytest.raises(InputError, match=r"2S \+ 2V is not 2 equal representations"):
        read_attention("a", nn.MultiheadAttention(8, 2), ss.rep("2S + 2V"), ss.rep("8S"), [ss.O(3)])
    with pytest.raises(InputError, match=r"Linear is not nn\.MultiheadAttention"):
        read_attention("a", nn.Linear(1, 1), ss.rep("S"), ss.rep("S"), [ss.O(3)])
    flow = Attention(1, *(ss.rep("S"),) * 6)
    with pytest.raises(InputError, match=r"'weight' is not a parameter of nn\.MultiheadAttention"):
        flow.parameter("weight")
