"""MLP: linear layers and swish, nothing else."""

import pytest
import torch

import softsym as ss
from softsym.errors import InputError
from tests.nn.networks import gap, normal


def test_published_number_of_parameters():
    assert ss.nn.count_parameters(ss.nn.MLP("5S + 5V", "T(2)", "O(3)", width=128)) == 36_873


def test_is_what_it_says():
    net = ss.nn.MLP("2V", "V", "O(3)", width=8, layers=3)
    x = normal(5, 6)
    for layer in net.layers[:-1]:
        x = x @ layer.weight.T + layer.bias
        x = x / (1 + torch.exp(-x))
    expected = x @ net.layers[-1].weight.T + net.layers[-1].bias
    assert torch.allclose(net(normal(5, 6)), expected, atol=1e-6)


def test_knows_no_symmetry():
    net = ss.nn.MLP("2V", "V", "O(3)", width=32)
    assert gap(net, "2V", "V", "O(3)", normal(8, 6)) > 0.1
    assert net.prior().item() == 0.0


@pytest.mark.parametrize(("width", "layers"), [(8, 1), (0, 4), (-3, 4), (8, 0)])
def test_impossible_sizes(width, layers):
    with pytest.raises(InputError, match=r"an MLP needs layers >= 2 and width >= 1, got layers="):
        ss.nn.MLP("V", "V", "O(3)", width=width, layers=layers)


def test_wrong_width():
    with pytest.raises(InputError, match=r"2V under O\(3\) has size 6, got an input of shape \(5, 7\)"):
        ss.nn.MLP("2V", "V", "O(3)", width=8)(torch.zeros(5, 7))
