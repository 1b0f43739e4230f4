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
    rates = [set_rate(optimizer, SETTINGS, epoch, batch, 2) for epoch in (1, 2, 3, 4) for batch in (0, 1)]
    assert rates[::2] == pytest.approx([0.1, 0.1 * (2 + 2**0.5) / 4, 0.05, 0.1 * (2 - 2**0.5) / 4])
    assert rates[::2] == rates[1::2]  # without a warm-up it changes with the epoch
    assert optimizer.param_groups[0]["lr"] == rates[-1]


def test_with_a_warm_up_the_rate_rises_and_falls_step_by_step():
    settings = SETTINGS.model_copy(update={"warm_up": 0.5})
    optimizer = make_optimizer(torch.nn.Linear(2, 2), None, settings)
    rates = [set_rate(optimizer, settings, epoch, batch, 2) for epoch in (1, 2, 3, 4) for batch in (0, 1)]
    assert rates[:4] == pytest.approx([0.025, 0.05, 0.075, 0.1])
    assert rates[3:] == sorted(rates[3:], reverse=True)
    assert rates[-1] == pytest.approx(0.0)


def test_muon_leaves_frozen_parameters_alone():
    net = ss.nn.SoftMLP("2V", "V", ["O(3)"], width=12, layers=2, init="equivariant")
    settings = Settings(epochs=4, batch=2, lr=0.1, optimizer="muon", shrink=0.3)
    (group,) = make_optimizer(net, None, settings).param_groups
    assert {id(p) for p in group["params"]} == {id(p) for p in net.parameters() if p.requires_grad}
    assert group["shrink"] == 0.3


def test_decoupled_decay_of_adam_is_adamw():
    net = torch.nn.Linear(2, 2)
    optimizer = make_optimizer(net, None, Settings(epochs=4, batch=2, lr=0.1, shrink=0.5))
    before = net.weight.detach().clone()
    net.weight.grad, net.bias.grad = torch.zeros(2, 2), torch.zeros(2)
    optimizer.step()
    torch.testing.assert_close(net.weight, 0.95 * before)
