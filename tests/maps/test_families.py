"""Every family has its reader."""

import pytest
from torch import nn

import softsym as ss
from softsym.errors import InputError
from softsym.maps.families import FAMILIES, layer_maps


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
