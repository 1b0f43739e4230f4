"""The average of weights."""

import pytest
import torch
from torch import nn

from softsym.training.average import YOUNG, Average


def moved(net, value):
    with torch.no_grad():
        net.weight.fill_(value)


def test_agrees_with_the_recursion():
    net = nn.Linear(1, 1, bias=False)
    moved(net, 0.0)
    average, expected = Average(net, 0.9), 0.0
    for step, value in enumerate([1.0, 4.0, -2.0, 3.0], start=1):
        moved(net, value)
        average.update()
        past = min(0.9, (1 + step) / (YOUNG + step))
        expected = past * expected + (1 - past) * value
    with average.in_place():
        assert net.weight.item() == pytest.approx(expected)
    assert net.weight.item() == 3.0


def test_without_a_past_the_model_stands_for_itself():
    net = nn.Linear(2, 2)
    average, before = Average(net, 0.0), net.weight.detach().clone()
    average.update()
    with average.in_place():
        assert torch.equal(net.weight, before)
    assert average.tensors() == {}
    average.restore({})


def test_frozen_parameters_are_left_out():
    net = nn.Linear(2, 2)
    net.bias.requires_grad_(False)
    assert set(Average(net, 0.5).tensors()) == {"0", "steps"}


def test_the_models_own_weights_come_back_after_an_error():
    net = nn.Linear(1, 1, bias=False)
    average = Average(net, 0.9)
    moved(net, 7.0)
    with pytest.raises(ZeroDivisionError), average.in_place():
        raise ZeroDivisionError
    assert net.weight.item() == 7.0


def test_goes_on_after_a_restart():
    net = nn.Linear(3, 2)
    one, other = Average(net, 0.8), Average(net, 0.8)
    for value in (1.0, 2.0):
        moved(net, value)
        one.update()
    other.restore({name: tensor.clone() for name, tensor in one.tensors().items()})
    moved(net, 5.0)
    one.update(), other.update()
    assert all(torch.equal(other.tensors()[name], value) for name, value in one.tensors().items())
