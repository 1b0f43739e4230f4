"""The optimizer and its rate."""

import pytest
import torch

import softsym as ss
from softsym.training import Settings
from softsym.training.optim import make_optimizer, set_rate

SETTINGS = Settings(epochs=4, batch=2, lr=0.1, weight_decay=0.5, adam_eps=1e-6)


def test_only_regularised_parameters_decay():
    net = ss.nn.SoftMLP("2V", "V", ["O(3)"], width=12, layers=2)
    per = ss.EquivarianceRegularizer(net, ["O(3)"])
    decaying, rest = make_optimizer(net, per, SETTINGS).param_groups
    assert (decaying["weight_decay"], rest["weight_decay"]) == (0.5, 0.0)
    assert {id(p) for p in decaying["params"]} == {id(p) for p in per.stacked.parameters}
    assert len(decaying["params"]) + len(rest["params"]) == len(list(net.parameters()))
    assert decaying["eps"] == 1e-6


def test_without_a_regularizer_nothing_decays():
    (group,) = make_optimizer(torch.nn.Linear(2, 2), None, SETTINGS).param_groups
    assert group["weight_decay"] == 0.0


def test_the_rate_follows_half_a_cosine():
    optimizer = make_optimizer(torch.nn.Linear(2, 2), None, SETTINGS)
    rates = [set_rate(optimizer, SETTINGS, epoch) for epoch in (1, 2, 3, 4)]
    assert rates == pytest.approx([0.1, 0.1 * (2 + 2**0.5) / 4, 0.05, 0.1 * (2 - 2**0.5) / 4])
    assert optimizer.param_groups[0]["lr"] == rates[-1]
