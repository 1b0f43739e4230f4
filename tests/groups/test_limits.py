"""Generators are estimated before they are made."""

import tracemalloc

import pytest

import softsym as ss
from softsym.errors import InputError

LARGE = ["A(1000)", "Sp(70)", "U(70)", "SU(70)", "SL(100)", "O(10000)", "S(100000)", "Trivial(2)@100000[0,1]"]


@pytest.mark.parametrize("text", LARGE)
def test_large_groups_are_refused_before_they_are_made(text):
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match="would take about"):
            ss.group(text)
        assert tracemalloc.get_traced_memory()[1] < 1e8
    finally:
        tracemalloc.stop()


def test_so_are_the_matrices_of_products():
    G = ss.group("SO(60) * SO(60)")
    with pytest.raises(InputError, match="on R\\^3600 would take about"):
        G.lie_algebra  # noqa: B018


@pytest.mark.parametrize("name", ["A", "Sp", "U", "SU", "SL", "GL", "O", "S"])
def test_estimates_are_not_far_from_the_truth(name):
    G = getattr(ss, name)(9)
    entries = sum(g.matrix.size for g in (*G.lie, *G.discrete))
    with pytest.raises(InputError), ss.spaces.at_most(gigabytes=20 * 8 * entries / 1e9 / 3):
        getattr(ss, name)(9)
