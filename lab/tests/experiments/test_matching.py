"""Widths for a given number of parameters."""

import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.nn import count_parameters
from softsym_lab.experiments.matching import match_width


def mlp(width: int) -> ss.nn.MLP:
    return ss.nn.MLP("5S + 5V", "T(2)", "O(3)", width=width, layers=3)


@pytest.mark.parametrize("width", [8, 9, 57, 200])
def test_finds_the_width_it_came_from(width):
    assert match_width(mlp, count_parameters(mlp(width))) == width


def test_takes_the_closer_neighbour():
    low, high = count_parameters(mlp(40)), count_parameters(mlp(41))
    assert match_width(mlp, low + 1) == 40
    assert match_width(mlp, high - 1) == 41


def test_stays_in_range():
    assert match_width(mlp, 1, range(10, 21)) == 10
    assert match_width(mlp, 10**9, range(10, 21)) == 20


def test_models_of_several_kinds():
    wanted = count_parameters(ss.nn.SoftMLP("2S + 2V", "V", "O(3)", width=60, layers=3))
    width = match_width(lambda w: ss.nn.RPP("2S + 2V", "V", "O(3)", width=w, layers=3), wanted, range(8, 120))
    found = count_parameters(ss.nn.RPP("2S + 2V", "V", "O(3)", width=width, layers=3))
    assert abs(found - wanted) < 0.1 * wanted


def test_no_parameters():
    with pytest.raises(InputError, match=r"cannot match 0 parameters; pass a positive number"):
        match_width(mlp, 0)
