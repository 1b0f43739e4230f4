"""Optimizers, learning rate and the average of weights."""

import pytest
import torch
from torch import nn

import softsym as ss
from softsym.training import TrainingConfig
from softsym.training.optim import DECAY_WARM_UP, Muon, WeightAverage, make_optimizer, orthogonalize, set_learning_rate

SETTINGS = TrainingConfig(epochs=4, batch=2, lr=0.1, weight_decay=0.5, adam_eps=1e-6)


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
    rates = [set_learning_rate(optimizer, SETTINGS, epoch, batch, 2) for epoch in (1, 2, 3, 4) for batch in (0, 1)]
    assert rates[::2] == pytest.approx([0.1, 0.1 * (2 + 2**0.5) / 4, 0.05, 0.1 * (2 - 2**0.5) / 4])
    assert rates[::2] == rates[1::2]  # without a warm-up it changes with the epoch
    assert optimizer.param_groups[0]["lr"] == rates[-1]


def test_with_a_warm_up_the_rate_rises_and_falls_step_by_step():
    settings = SETTINGS.model_copy(update={"warm_up": 0.5})
    optimizer = make_optimizer(torch.nn.Linear(2, 2), None, settings)
    rates = [set_learning_rate(optimizer, settings, epoch, batch, 2) for epoch in (1, 2, 3, 4) for batch in (0, 1)]
    assert rates[:4] == pytest.approx([0.025, 0.05, 0.075, 0.1])
    assert rates[3:] == sorted(rates[3:], reverse=True)
    assert rates[-1] == pytest.approx(0.0)


def test_muon_leaves_frozen_parameters_alone():
    net = ss.nn.SoftMLP("2V", "V", ["O(3)"], width=12, layers=2, init="equivariant")
    settings = TrainingConfig(epochs=4, batch=2, lr=0.1, optimizer="muon", shrink=0.3)
    (group,) = make_optimizer(net, None, settings).param_groups
    assert {id(p) for p in group["params"]} == {id(p) for p in net.parameters() if p.requires_grad}
    assert group["shrink"] == 0.3


def test_decoupled_decay_of_adam_is_adamw():
    net = torch.nn.Linear(2, 2)
    optimizer = make_optimizer(net, None, TrainingConfig(epochs=4, batch=2, lr=0.1, shrink=0.5))
    before = net.weight.detach().clone()
    net.weight.grad, net.bias.grad = torch.zeros(2, 2), torch.zeros(2)
    optimizer.step()
    torch.testing.assert_close(net.weight, 0.95 * before)


def random(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


@pytest.mark.parametrize("shape", [(2, 5, 8), (3, 8, 5), (1, 1, 6), (2, 7, 7)])
def test_singular_values_come_near_one_and_singular_vectors_stay(shape):
    M = random(*shape)
    U, S, V = torch.linalg.svd(M, full_matrices=False)
    Q = orthogonalize(M)
    inside = U.mT @ Q @ V.mT
    sizes = inside.diagonal(dim1=1, dim2=2)
    large = 0.05 * S.max() < S
    assert (inside - torch.diag_embed(sizes)).abs().max() < 1e-9
    assert ((sizes[large] > 0.6) & (sizes[large] < 1.25)).all()


def test_commutes_with_orthogonal_changes_of_basis():
    M = random(1, 5, 8)
    A, B = torch.linalg.qr(random(5, 5, seed=1))[0], torch.linalg.qr(random(8, 8, seed=2))[0]
    torch.testing.assert_close(orthogonalize(A @ M @ B), A @ orthogonalize(M) @ B, atol=1e-10, rtol=0)


def test_zero_stays_zero():
    assert not orthogonalize(torch.zeros(1, 3, 4)).any()


@pytest.mark.parametrize(("optimizer", "stays"), [(Muon, True), (torch.optim.Adam, False)])
def test_the_step_of_an_equivariant_gradient_is_equivariant_unlike_adams(optimizer, stays):
    space = ss.equivariant_maps("2T(2)", "S + T(2)", "O(3)")
    weight = nn.Parameter(space.project(random(10, 18)))
    steps, before = optimizer([weight], lr=0.1), weight.detach().clone()
    for seed in range(3):
        weight.grad = space.project(random(10, 18, seed=seed))
        steps.step()
    moved = weight.detach() - before
    outside = (moved - space.project(moved)).norm() / moved.norm()
    assert (outside < 1e-12) if stays else (outside > 0.01)


def test_what_is_no_matrix_moves_as_by_adam():
    ours, theirs = nn.Parameter(random(7)), nn.Parameter(random(7))
    mine, adam = Muon([ours], lr=0.1, eps=1e-6), torch.optim.Adam([theirs], lr=0.1, eps=1e-6)
    for seed in range(5):
        ours.grad, theirs.grad = random(7, seed=seed), random(7, seed=seed)
        mine.step()
        adam.step()
    torch.testing.assert_close(ours, theirs, atol=1e-12, rtol=0)


def test_a_first_step_is_as_long_as_the_rate_says_and_decay_is_decoupled():
    weight = nn.Parameter(random(4, 9))
    before = weight.detach().clone()
    weight.grad = random(4, 9, seed=1)
    Muon([weight], lr=0.1, shrink=0.5).step()
    step = 0.95 * before - weight.detach()
    torch.testing.assert_close(step, 0.1 * 0.2 * 3 * orthogonalize(weight.grad[None])[0], atol=1e-12, rtol=0)


def test_empty_matrices_and_missing_gradients_are_left_alone():
    empty, idle = nn.Parameter(torch.zeros(0, 3)), nn.Parameter(torch.ones(2, 2))
    empty.grad = torch.zeros(0, 3)
    Muon([empty, idle], lr=0.1, shrink=0.5).step()
    assert torch.equal(idle, torch.ones(2, 2))


def test_a_closure_computes_gradients_and_its_loss_is_returned():
    weight = nn.Parameter(random(2, 3))
    before, optimizer = weight.detach().clone(), Muon([weight], lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = weight.square().sum()
        loss.backward()
        return loss

    assert float(optimizer.step(closure).detach()) == pytest.approx(float(before.square().sum()))
    assert not torch.equal(weight, before)


def fill(net, value):
    with torch.no_grad():
        net.weight.fill_(value)


def test_agrees_with_the_recursion():
    net = nn.Linear(1, 1, bias=False)
    fill(net, 0.0)
    average, expected = WeightAverage(net, 0.9), 0.0
    for step, value in enumerate([1.0, 4.0, -2.0, 3.0], start=1):
        fill(net, value)
        average.update()
        decay = min(0.9, (1 + step) / (DECAY_WARM_UP + step))
        expected = decay * expected + (1 - decay) * value
    with average.in_place():
        assert net.weight.item() == pytest.approx(expected)
    assert net.weight.item() == 3.0


def test_without_a_past_the_model_stands_for_itself():
    net = nn.Linear(2, 2)
    average, before = WeightAverage(net, 0.0), net.weight.detach().clone()
    average.update()
    with average.in_place():
        assert torch.equal(net.weight, before)
    assert average.tensors() == {}
    average.restore({})


def test_frozen_parameters_are_left_out():
    net = nn.Linear(2, 2)
    net.bias.requires_grad_(False)
    assert set(WeightAverage(net, 0.5).tensors()) == {"0", "steps"}


def test_the_models_own_weights_come_back_after_an_error():
    net = nn.Linear(1, 1, bias=False)
    average = WeightAverage(net, 0.9)
    fill(net, 7.0)
    with pytest.raises(ZeroDivisionError), average.in_place():
        raise ZeroDivisionError
    assert net.weight.item() == 7.0


def test_goes_on_after_a_restart():
    net = nn.Linear(3, 2)
    one, other = WeightAverage(net, 0.8), WeightAverage(net, 0.8)
    for value in (1.0, 2.0):
        fill(net, value)
        one.update()
    other.restore({name: tensor.clone() for name, tensor in one.tensors().items()})
    fill(net, 5.0)
    one.update(), other.update()
    assert all(torch.equal(other.tensors()[name], value) for name, value in one.tensors().items())
