"""Listing, counting and drawing elements of finite groups."""

import math

import numpy as np
import pytest

import softsym as ss
from softsym.groups.elements import closure, images, is_permutation, permutation_group, uniform_permutations


def test_closure_of_a_quarter_turn():
    found = closure(ss.C(4).discrete_generators)
    assert len(found) == 4
    assert np.array_equal(found[0], np.eye(2))


def test_closure_of_nothing_is_the_identity():
    assert np.array_equal(closure(np.zeros((0, 3, 3)), 3), np.eye(3)[None])


def test_closure_stops_at_the_limit():
    turn = math.sqrt(2)
    assert closure(np.array([[[math.cos(turn), -math.sin(turn)], [math.sin(turn), math.cos(turn)]]])) is None


def test_images():
    g = np.eye(4)[:, [2, 0, 3, 1]]
    assert np.array_equal(images(g), [2, 0, 3, 1])
    assert np.array_equal(g @ np.eye(4)[0], np.eye(4)[2])


@pytest.mark.parametrize(
    "matrix", [-np.eye(2), np.ones((2, 2)), 0.5 * np.eye(2), [[1, 1], [0, 0]], [[1, 0], [1, 0]]]
)
def test_not_a_permutation(matrix):
    assert not is_permutation(np.array(matrix, dtype=float))


def test_uniform_permutations_reach_every_element_equally():
    generators = ss.A(4).discrete_generators
    g = uniform_permutations(generators, 12 * 100, np.random.default_rng(0))
    _, counts = np.unique([tuple(images(h)) for h in g], axis=0, return_counts=True)
    assert len(counts) == 12 == permutation_group(generators).order()
    assert ((counts - 100) ** 2 / 100).sum() < 11 + 5 * math.sqrt(22)


def test_too_many_elements_are_not_listed():
    with pytest.raises(
        ss.errors.InputError, match=r"S\(8\) has more than 10000 elements; they are not listed, only sampled"
    ):
        _ = ss.S(8).elements


@pytest.mark.parametrize("generator", [[[0.5]], [[2.0]], [[1.0, 1.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 0.5]]])
def test_infinite_discrete_groups_are_not_called_finite(generator):
    G = ss.Group.from_generators(discrete=[generator])
    assert not G.is_finite


def test_an_infinite_discrete_group_has_the_right_invariants():
    rotate = np.linalg.qr(np.random.default_rng(0).standard_normal((6, 6)))[0]
    G = ss.Group.from_generators(discrete=[rotate @ np.diag([0.5] * 5 + [1.0]) @ rotate.T])
    assert ss.invariants("T(2)", G).dim == 1


def test_a_list_of_large_elements_is_not_made():
    """Two cycles of S(200): few of its elements fill the memory, long before ten thousand of them."""
    assert closure(ss.S(200).discrete_generators) is None
    with pytest.raises(ss.errors.InputError, match=r"Z\(400\) has more than 312 elements"):
        _ = ss.Z(400).elements
