"""Reading representations off models, and refusing what cannot be read."""

import pytest
from torch import nn

import softsym as ss
from softsym.errors import InputError
from softsym.regularize.structure import POINTWISE, structure

O3 = [ss.O(3)]


def test_networks_know_theirs():
    net = ss.nn.SoftMLP("2V", "V", "O(3)", width=10, layers=2)
    assert structure(net, O3, None, None, None) == net.representations()


def test_a_model_may_tell():
    class Mine(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.table = nn.Parameter(nn.init.ones_(nn.Linear(3, 3).weight).detach())

        def representations(self):
            return {"table": ss.nn.ParameterRep("mine", ss.Vector, ss.Vector)}

    per = ss.EquivarianceRegularizer(Mine(), "O(3)")
    assert per.residuals() == {"O(3)": {"mine": pytest.approx(0.5 * 6)}}


@pytest.mark.parametrize("between", POINTWISE)
def test_pointwise_layers(between):
    chain = nn.Sequential(nn.Linear(3, 4), between(), nn.Linear(4, 3))
    found = structure(chain, O3, "V", "V", ["S + V"])
    assert list(found) == ["0.weight", "0.bias", "2.weight", "2.bias"]


def test_flattened_inputs():
    found = structure(nn.Sequential(nn.Flatten(), nn.Linear(6, 3)), O3, "2V", "V", None)
    assert list(found) == ["1.weight", "1.bias"]


def test_a_given_layer_overrules_a_model_that_knows():
    net = ss.nn.SoftMLP("2V", "V", "O(3)", hidden="2V", layers=2)
    assert list(structure(net, O3, None, None, {"last": ("2V", "V")})) == ["last.weight", "last.bias"]


@pytest.mark.parametrize("odd", [nn.LayerNorm(4), nn.Softmax(-1), nn.BatchNorm1d(4)])
def test_other_layers(odd):
    chain = nn.Sequential(nn.Linear(3, 4), odd, nn.Linear(4, 3))
    message = rf"cannot read representations off nn.Sequential with {type(odd).__name__}; pass reps="
    with pytest.raises(InputError, match=message):
        structure(chain, O3, "V", "V", None)


def test_no_linear_layer():
    with pytest.raises(InputError, match=r"nn.Sequential with no linear layer; pass reps="):
        structure(nn.Sequential(nn.ReLU()), O3, "V", "V", None)
    with pytest.raises(InputError, match=r"cannot read representations off LSTM; give it a `representations"):
        structure(nn.LSTM(3, 3), O3, "V", "V", None)


def test_missing_ends():
    for ends in ((None, "V"), ("V", None), (None, None)):
        with pytest.raises(InputError, match=r"pass `rep_in` and `rep_out`: this model does not know"):
            structure(nn.Linear(3, 3), O3, *ends, None)


def test_wrong_number_of_hidden_representations():
    chain = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3))
    with pytest.raises(InputError, match=r"2 linear layers have 1 hidden representations, got 2"):
        structure(chain, O3, "V", "V", ["4S", "4S"])


def test_unknown_layer():
    chain = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3))
    message = r"`reps` names '1', which is not a linear layer of the model \(linear layers: 0, 2\)"
    with pytest.raises(InputError, match=message):
        structure(chain, O3, None, None, {"1": ("V", "V")})
    with pytest.raises(InputError, match=r"\(linear layers: none\)"):
        structure(nn.ReLU(), O3, None, None, {"first": ("V", "V")})


def test_wrong_sizes():
    with pytest.raises(
        InputError, match=r"parameter 'weight' has shape \(3, 6\), but V <- 3V under O\(3\) has \(3, 9\)"
    ):
        structure(nn.Linear(6, 3), O3, "3V", "V", None)
    chain = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3))
    with pytest.raises(
        InputError, match=r"parameter '0.weight' has shape \(4, 3\), but 2V <- V under O\(3\) has \(6, 3\)"
    ):
        structure(chain, O3, "V", "V", ["2V"])


def test_a_group_that_cannot_act():
    chain = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 3))
    message = r"parameter '0.weight': O\(3\) cannot act on its representation: Grid\(2,2\) has points of R\^2"
    with pytest.raises(InputError, match=message):
        structure(chain, O3, "V", "V", ["Grid(2,2)"])


def test_points_that_a_group_does_not_keep():
    """Four pixels cannot be turned by any angle."""
    with pytest.raises(InputError, match=r"Grid\(2,2\)"):
        ss.EquivarianceRegularizer(nn.Linear(4, 2), ["C(4)", "SO(2)"], "Grid(2,2)", "V")()
