"""The readers of all layer families against averages over the group."""

import numpy as np
import pytest
from torch import nn

import softsym as ss
from softsym.errors import InputError
from softsym.maps import TensorMap, linear_parameters, parameter_maps
from softsym.maps.families import FAMILIES, layer_maps
from softsym.maps.families.attention import attention_parameter, read_attention
from softsym.maps.families.conv import kernel_map, offset_axis
from softsym.maps.families.norm import non_permuting, read_norm
from softsym.maps.families.recurrent import read_recurrent, recurrent_parameter
from softsym.maps.parameters import ACTIVATIONS, chain_maps, is_chain
from tests.maps.twins import check


def test_every_family_can_be_given_layer_by_layer():
    layers = {
        "a": nn.Linear(3, 3),
        "b": nn.Conv1d(3, 3, 3),
        "c": nn.GRU(3, 3),
        "d": nn.MultiheadAttention(3, 1),
        "e": nn.Embedding(3, 3),
    }
    assert len(FAMILIES) == 7
    model = nn.ModuleDict(layers)
    per = ss.EquivarianceRegularizer(model, "O(2)@z", reps=dict.fromkeys(layers, ("V", "V")))
    assert set(per.proposal) == {name for name, _ in model.named_parameters()}
    per.project_("O(2)@z")
    assert per.totals()["O(2)@z"] < 1e-10


def test_others_are_refused():
    model = nn.ModuleDict({"act": nn.ReLU(), "lin": nn.Linear(3, 3)})
    with pytest.raises(
        InputError, match=r"`reps` names 'act', which is not a layer that can be read \(those are: lin\)"
    ):
        layer_maps(model, "act", "V", "V", [ss.O(3)])


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


@pytest.mark.parametrize("between", ACTIVATIONS)
def test_pointwise_layers(between):
    chain = nn.Sequential(nn.Linear(3, 4), between(), nn.Linear(4, 3))
    maps = parameter_maps(chain, O3, "V", "V", ["S + V"])
    assert list(maps) == ["0.weight", "0.bias", "2.weight", "2.bias"]


def test_flattened_inputs():
    maps = parameter_maps(nn.Sequential(nn.Flatten(), nn.Linear(6, 3)), O3, "2V", "V", None)
    assert list(maps) == ["1.weight", "1.bias"]


@pytest.mark.parametrize("odd", [nn.LayerNorm(4), nn.Softmax(-1), nn.BatchNorm1d(4)])
def test_a_list_of_hidden_representations_is_for_chains(odd):
    chain = nn.Sequential(nn.Linear(3, 4), odd, nn.Linear(4, 3))
    assert not is_chain(chain)
    with pytest.raises(InputError, match=r"Sequential is no chain of linear layers"):
        parameter_maps(chain, O3, "V", "V", ["S + V"])
    assert list(parameter_maps(chain, O3, "V", "V"))[:1] == ["0.weight"]  # without the list it is traced


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


@pytest.mark.parametrize(
    ("module", "rep_in", "rep_out", "G"),
    [
        (nn.Conv2d(3, 8, 3), "3S", "2Regular(C(4))", "C(4)"),
        (nn.Conv2d(3, 8, 3, stride=2, dilation=2, padding=1), "S + V", "Regular(D(4))", "D(4)"),
        (nn.Conv2d(8, 8, 3, groups=2), "2Regular(C(4))", "2Regular(C(4))", "C(4)"),
        (nn.Conv2d(4, 4, 3, groups=4), "Regular(C(4))", "Regular(C(4))", "C(4)"),
        (nn.Conv2d(2, 3, (3, 1)), "2S", "3S", "O(1)@2[0]"),
        (nn.Conv1d(2, 3, 4), "V + S", "S + 2V", "O(1)"),
        (nn.Conv3d(1, 3, 2), "S", "V", "Octahedral()"),
        (nn.ConvTranspose2d(4, 2, 3), "Regular(C(4))", "V", "C(4)"),
        (nn.ConvTranspose2d(8, 4, 2, groups=2), "2Regular(C(4))", "2V", "C(4)"),
        (nn.ConvTranspose1d(4, 4, 3, groups=4), "2Regular(O(1))", "2Regular(O(1))", "O(1)"),
        (nn.Conv1d(6, 3, 3, bias=False), "2V", "V", "C(4)@z"),
    ],
)
def test_convolutions_agree_with_the_average(module, rep_in, rep_out, G):
    assert max(check(module, rep_in, rep_out, G).values()) > 0


def test_offsets_stand_still_where_groups_act_on_channels_only():
    assert str(kernel_map(offset_axis((3, 3), False), ss.rep("V"), ss.rep("V"), ss.C(4))) == "V * (9S) -> V"


def test_parts_must_be_equal():
    with pytest.raises(InputError, match=r"S \+ V is not 3 equal representations"):
        kernel_map(offset_axis((3, 3), True), ss.rep("S + V"), ss.rep("3S"), ss.group("O(3)"), parts=3)


@pytest.mark.parametrize(
    "module", [nn.LayerNorm(9), nn.RMSNorm(9), nn.BatchNorm2d(9), nn.GroupNorm(3, 9), nn.InstanceNorm1d(9, affine=True)]
)
def test_norms_agree_with_the_average(module):
    assert set(check(module, "2Regular(C(4)) + S", "2Regular(C(4)) + S", "C(4)").values()) == {3}


def test_an_invariant_scale_commutes_with_permutations():
    G, rep = ss.D(4), ss.Regular("D(4)")
    scale = ss.invariants(rep, "C(4)").project(np.random.default_rng(0).standard_normal(8))
    assert all(np.allclose(np.diag(scale) @ rep.rho(G, g), rep.rho(G, g) @ np.diag(scale)) for g in ss.C(4).elements)
    assert not all(np.allclose(np.diag(scale) @ rep.rho(G, g), rep.rho(G, g) @ np.diag(scale)) for g in G.elements)


def test_norms_refuse():
    assert non_permuting(ss.rep("V"), [ss.C(4), ss.group("S(2)")]) == ["C(4)"]
    with pytest.raises(InputError, match=r"'n' scales each coordinate of V by itself, which breaks O\(3\)"):
        read_norm("n", nn.LayerNorm(3), ss.rep("V"), ss.rep("V"), [ss.O(3)])
    with pytest.raises(InputError, match="'n' maps a representation to itself, got V and 3S"):
        read_norm("n", nn.LayerNorm(3), ss.rep("V"), ss.rep("3S"), [ss.O(3)])


@pytest.mark.parametrize("kind", [nn.RNN, nn.GRU, nn.LSTM])
@pytest.mark.parametrize(("both", "layers", "bias"), [(False, 1, True), (True, 1, False), (True, 2, True)])
def test_recurrent_layers_agree_with_the_average(kind, both, layers, bias):
    module = kind(3, 4, layers, bidirectional=both, bias=bias)
    dims = check(module, "V", "2Regular(C(4)@z)" if both else "Regular(C(4)@z)", "C(4)@z")
    gates = {nn.RNN: 1, nn.GRU: 3, nn.LSTM: 4}[kind]
    assert dims["weight_hh_l0"] == gates * 4


def test_projections():
    one = recurrent_parameter("weight_hr", 4, ss.rep("V"), ss.rep("8S"), ss.rep("2S"))
    assert str(one) == "8S -> 2S"
    assert str(recurrent_parameter("weight_hh", 4, ss.rep("V"), ss.rep("8S"), ss.rep("2S"))) == "2S -> 32S"
    with pytest.raises(InputError, match="'a' projects its state; pass its parameters one by one"):
        read_recurrent("a", nn.LSTM(3, 4, proj_size=2), ss.rep("V"), ss.rep("2S"), [ss.O(3)])


def test_recurrent_layers_refuse():
    layer = nn.GRU(3, 1)
    layer.register_parameter("weight", nn.Parameter(layer.bias_ih_l0.detach().clone()))
    with pytest.raises(InputError, match="'weight' is not a parameter of a recurrent layer"):
        read_recurrent("a", layer, ss.rep("V"), ss.rep("S"), [ss.O(3)])


@pytest.mark.parametrize("options", [{}, {"add_bias_kv": True}, {"bias": False}])
def test_attention_agrees_with_the_average(options):
    dims = check(nn.MultiheadAttention(8, 2, **options), "2Regular(C(4)@z)", "2Regular(C(4)@z)", "C(4)@z")
    assert dims["in_proj_weight"] == 8 * 24 // 4


def test_separate_weights():
    reps = [ss.rep(text) for text in ("S + V", "4S", "V", "5S", "2V", "8S")]
    shown = {
        name: str(attention_parameter(name, 2, *reps))
        for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight", "out_proj.weight")
    }
    assert shown == {
        "q_proj_weight": "V -> 2(S + V)",
        "k_proj_weight": "5S -> 2(S + V)",
        "v_proj_weight": "2V -> 8S",
        "out_proj.weight": "8S -> 8S",
    }
    assert attention_parameter("in_proj_weight", 2, *reps).shape("O(3)") == (24, 3)


def test_heads_hold_whole_representations():
    with pytest.raises(InputError, match=r"2S \+ 2V is not 2 equal representations"):
        read_attention("a", nn.MultiheadAttention(8, 2), ss.rep("2S + 2V"), ss.rep("8S"), [ss.O(3)])
    with pytest.raises(InputError, match=r"'weight' is not a parameter of nn\.MultiheadAttention"):
        attention_parameter("weight", 1, *(ss.rep("S"),) * 6)


def test_embeddings_and_bilinear_layers_agree_with_the_average():
    assert check(nn.Embedding(4, 5), "Regular(C(4))", "S + Regular(C(4))", "C(4)") == {"weight": 5}
    assert check(nn.Bilinear(2, 3, 2), "V + (S + V)", "V", "D(4)")["weight"] == 1
    assert check(nn.Bilinear(2, 2, 1, bias=False), "2V", "S", "C(4)") == {"weight": 2}
