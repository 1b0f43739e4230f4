"""The loss of a batch, part by part."""

import pytest
import torch
from torch import nn

import softsym as ss
from softsym.training.objective import Objective


def batch():
    generator = torch.Generator().manual_seed(0)
    return torch.randn(5, 6, generator=generator), torch.randn(5, 3, generator=generator)


def test_the_task_alone():
    x, y = batch()
    net = nn.Linear(6, 3)
    whole, task = Objective(net)(net, x, y, 0)
    assert whole is task
    assert task.item() == pytest.approx(float((net(x) - y).square().mean().detach()))


def test_prior_regularizer_and_hook_add_to_the_whole_but_not_to_the_task():
    x, y = batch()
    net = ss.nn.RPP("2V", "V", "O(3)", width=12, layers=2)
    task = float((net(x) - y).square().mean().detach())
    assert Objective(net)(net, x, y, 0).whole.item() == pytest.approx(task + net.prior().item())
    soft = ss.nn.SoftMLP("2V", "V", ["O(3)"], width=12, layers=2)
    per = ss.EquivarianceRegularizer(soft, ["O(3)"], strength=3.0)
    seen = []

    def add(model, inputs, prediction, step):
        seen.append((model, inputs, prediction.shape, step))
        return prediction.new_tensor(7.0)

    losses = Objective(soft, per, on_loss=add)(soft, x, y, 11)
    assert losses.whole.item() == pytest.approx(
        losses.task.item() + 7.0 + soft.prior().item() + per().item(), rel=1e-6
    )
    assert seen == [(soft, x, (5, 3), 11)]


def test_a_batch_is_changed_before_the_model_sees_it():
    x, y = batch()
    net = nn.Linear(6, 3)
    whole, _ = Objective(net, on_batch=lambda x, y, step: (step * x, -y))(net, x, y, 2)
    assert whole.item() == pytest.approx(float((net(2 * x) + y).square().mean().detach()))


def test_a_module_whose_prior_is_something_else():
    x, y = batch()
    net = nn.Linear(6, 3)
    net.prior = torch.distributions.Normal(0.0, 1.0)
    assert Objective(net)(net, x, y, 0).whole.item() > 0


def test_another_criterion():
    x, y = batch()
    net = nn.Linear(6, 3)
    losses = Objective(net, criterion=nn.functional.l1_loss)(net, x, y, 0)
    assert losses.task.item() == pytest.approx(float((net(x) - y).abs().mean().detach()))


def test_what_is_balanced_is_as_large_as_the_task_and_pulls_its_own_way():
    x, y = batch()
    net = nn.Linear(6, 3)
    losses = Objective(
        net, on_loss=lambda model, x, prediction, step: 1e-3 * prediction.square().sum(), balanced=True
    )(net, x, y, 0)
    assert losses.whole.item() == pytest.approx(2 * losses.task.item(), rel=1e-6)
    (added,) = torch.autograd.grad(losses.whole - losses.task, net.bias)
    expected = 2 * net(x).sum(0) * losses.task / net(x).square().sum()
    torch.testing.assert_close(added, expected.detach())
    nothing = Objective(net, on_loss=lambda model, x, prediction, step: 0 * prediction.sum(), balanced=True)(
        net, x, y, 0
    )
    assert nothing.whole.item() == nothing.task.item()
