"""Signed orbits: against the dense solver, and by hand."""

import numpy as np
import pytest

import softsym as ss
from softsym.spaces.solvers import dense, signs
from softsym.spaces.solvers.signs import SignedPermutation, orbit_vectors, signed_elements


def kind_of(text):
    return ss.rep(text).terms[0][1]


@pytest.mark.parametrize("rep", ["T(2)", "T(4)", "T(3,2)", "V*V'"])
@pytest.mark.parametrize(
    "group", ["SO(3)", "O(3)", "U(1)", "SU(2)", "O(2)@z", "SO(2)@z | C(4)@x", "Lorentz()"]
)
def test_the_same_space_as_by_the_dense_solver(group, rep):
    G, kind = ss.group(group), kind_of(rep)
    ours, theirs = signs.SOLVER.solve(G, kind), dense.SOLVER.solve(G, kind)
    P, Q = (solution.basis.dense() @ solution.basis.dense().T for solution in (ours, theirs))
    assert np.abs(P - Q).max() < 1e-8
    assert ours.residual < 1e-12
    assert ours.below < 1e-8 < 1e-3 < ours.above


def test_products_are_seen_part_by_part():
    G, kind = ss.group("SO(3) * SO(2)"), kind_of("V[0]*V[0]*V[1]*V[1]")
    assert signs.SOLVER.solve(G, kind).rank == dense.SOLVER.solve(G, kind).rank == 2


def test_orbits_by_hand():
    flip = SignedPermutation(np.array([0, 1]), np.array([-1, 1]))  # the first axis changes its sign
    swap = SignedPermutation(np.array([1, 0]), np.array([1, 1]))
    alone = orbit_vectors((2,), [(flip,)]).toarray()
    assert np.array_equal(np.abs(alone), [[0.0], [1.0]])  # only the second axis is left alone
    both = orbit_vectors((2, 2), [(flip, flip), (swap, swap)]).toarray()
    assert np.allclose(np.abs(both), np.array([[1.0], [0.0], [0.0], [1.0]]) / np.sqrt(2))
    turned = SignedPermutation(np.array([1, 0]), np.array([1, -1]))
    assert orbit_vectors((2,), [(turned,)]).shape == (2, 0)
    plane = orbit_vectors((2, 2), [(turned, turned)]).toarray()
    assert np.allclose(np.abs(plane.T @ plane), np.eye(2))  # the metric, and the area


def test_what_is_no_signed_permutation_is_left_out():
    assert signed_elements(ss.group("Scaling(3)"), kind_of("V")) == []
    assert signs.SOLVER.applies(ss.group("Scaling(3)"), kind_of("V")).how == "not"
    assert signs.SOLVER.applies(ss.S(3), kind_of("V")).how == "not"  # no Lie algebra: orbits know it exactly
    assert len(signed_elements(ss.O(3), kind_of("T(2)"))) == 4
    assert signs.SOLVER.applies(ss.O(3), kind_of("V"), tol=1e-3).how == "not"


def test_the_estimate_is_of_the_right_size():
    cost = signs.SOLVER.cost(ss.O(3), kind_of("T(10)"))
    assert 0.2 < cost.gigabytes < 3
    assert 20 < cost.seconds < 600


def test_few_vectors_remain_of_many():
    G = ss.O(20)
    vectors = orbit_vectors((20,) * 4, signed_elements(G, kind_of("T(4)")))
    assert vectors.shape == (160_000, 4)
    assert signs.SOLVER.solve(G, kind_of("T(4)")).rank == 3
