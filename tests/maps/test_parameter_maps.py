"""Reading representations off models, and refusing what cannot be read."""

import pytest
from torch import nn

import softsym as ss
from softsym.errors import InputError, UntracedWarning
from softsym.maps import TensorMap, incoming, layer_of, outgoing, parameter_maps

O3 = [ss.O(3)]


def test_networks_know_theirs():
    net = ss.nn.SoftMLP("2V", "V", "O(3)", width=10, layers=2)
    assert parameter_maps(net, O3, None, None, None) == net.representations()


def test_a_model_may_tell():
    class Mine(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Parameter(nn.init.ones_(nn.Linear(3, 3).weight).detach())

        def representations(self):
            return {"table": TensorMap.linear("V", "V")}

    per = ss.EquivarianceRegularizer(Mine(), "O(3)")
    assert per.residuals() == {"O(3)": {"mine": pytest.approx(0.5 * 6)}}


def test_a_given_layer_overrules_a_model_that_knows():
    net = ss.nn.SoftMLP("2V", "V", "O(3)", hidden="2V", layers=2)
    assert list(parameter_maps(net, O3, None, None, {"last": ("2V", "V")})) == ["last.weight", "last.bias"]


def test_wrong_sizes():
    with pytest.raises(
        InputError, match=r"parameter 'weight' has shape \(3, 6\), but 3V -> V under O\(3\) has \(3, 9\)"
    ):
        parameter_maps(nn.Linear(6, 3), O3, "3V", "V", None)
    chain = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3))
    with pytest.raises(
        InputError, match=r"parameter '0.weight' has shape \(4, 3\), but V -> 2V under O\(3\) has \(6, 3\)"
    ):
        parameter_maps(chain, O3, "V", "V", ["2V"])


def test_a_group_that_cannot_act():
    chain = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3))
    message = r"parameter '0.weight': O\(3\) cannot act on its representation: Grid\(2,2\) has points of R\^2"
    with pytest.raises(InputError, match=message):
        parameter_maps(chain, O3, "V", "V", ["Grid(2,2)"])


def test_points_that_a_group_does_not_keep():
    """Four pixels cannot be rotated by any angle."""
    with pytest.raises(InputError, match=r"Grid\(2,2\)"):
        ss.EquivarianceRegularizer(nn.Linear(4, 2), ["C(4)", "SO(2)"], "Grid(2,2)", "V")()


def test_parameters_of_any_shape_can_be_given():
    model = nn.Sequential(nn.Conv2d(1, 2, 3), nn.Flatten(), nn.Linear(8, 1))
    kernel = TensorMap((outgoing("V"), incoming("S"), incoming("Grid(3,3)", shape=(3, 3))))
    reps = {"0.weight": kernel, "2": ("V*Grid(2,2)", "S")}
    maps = parameter_maps(model, [ss.C(4)], reps=reps)
    assert list(maps) == ["0.weight", "2.weight", "2.bias"]
    assert maps["0.weight"] == kernel
    message = (
        r"`reps` names '0.kernel', which is not among the parameters \['0.weight', '0.bias', '2.weight', '2.bias'\]"
    )
    with pytest.raises(InputError, match=message):
        parameter_maps(model, [ss.C(4)], reps={"0.kernel": kernel})
    with pytest.raises(InputError, match=r"parameter '2.weight' has shape \(1, 8\), but S \* Grid"):
        parameter_maps(model, [ss.C(4)], reps={"2.weight": kernel})


def test_the_layer_of_a_parameter():
    chain = nn.Sequential(nn.Linear(3, 4), nn.ReLU())
    assert layer_of(chain, "0.weight") == "0"
    assert layer_of(chain[0], "bias") == "linear"
    assert layer_of(nn.LSTM(3, 3), "weight_ih_l0") == "lstm"
    assert layer_of(ss.nn.SoftMLP("V", "V", "O(3)", width=4), "blocks.0.linear.weight") == "blocks.0.linear"


def weight_norm(layer):
    return nn.utils.parametrizations.weight_norm(layer)


@pytest.mark.parametrize(
    "change", [weight_norm, nn.utils.parametrizations.spectral_norm, nn.utils.parametrizations.orthogonal]
)
def test_a_parametrised_layer_of_a_chain_is_left_alone_by_name(change):
    model = nn.Sequential(change(nn.Linear(6, 6)), nn.ReLU(), nn.Linear(6, 3))
    with (
        pytest.warns(UntracedWarning, match="0.parametrizations.weight.original.*: a weight is computed"),
        pytest.warns(UntracedWarning, match="0: has a weight that is computed from others"),
    ):
        proposal = parameter_maps(model, [ss.group("C(4)@z")], "2V", "V")
    assert not any("parametrizations" in name for name in proposal)
    assert {"0.bias", "2.weight", "2.bias"} == set(proposal)
    assert "0.parametrizations.weight" in " ".join(proposal.left_alone)
    with pytest.raises(InputError, match=r"'0\.weight' is no parameter of the model \(a parametrised weight"):
        parameter_maps(model, [ss.group("C(4)@z")], reps={"0": ("2V", "6S")})


def test_frozen_and_shared_layers_of_a_chain():
    model = nn.Sequential(nn.Linear(3, 8), nn.ReLU(), nn.Linear(8, 3))
    model[0].weight.requires_grad_(False)
    with pytest.warns(UntracedWarning, match="0.weight: is frozen") as warned:
        proposal = parameter_maps(model, [ss.group("C(4)@z")], "V", "V")
    assert warned[0].filename == __file__
    assert proposal.left_alone == {"0.weight": "is frozen (requires_grad is False)"}
    layer = nn.Linear(3, 3)
    proposal = parameter_maps(nn.Sequential(layer, nn.Dropout(), layer), [ss.group("C(4)@z")], "V", "V")
    assert list(proposal) == ["0.weight", "0.bias"]


def test_a_lazy_layer_is_refused_until_it_has_a_shape():
    with pytest.raises(InputError, match=r"'0\.weight' has no shape yet \(a lazy layer\); run the model once"):
        parameter_maps(nn.Sequential(nn.LazyLinear(8)), [ss.group("C(4)@z")], "V", "8S")
