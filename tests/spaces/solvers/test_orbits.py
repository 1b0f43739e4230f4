"""Orbits of permutation actions, and orbits up to signs: against the dense solver, and by hand."""

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.spaces.solution import OrbitBasis
from softsym.spaces.solvers.null_space import DENSE
from softsym.spaces.solvers.orbits import ORBITS, SIGNS, SignedPermutation, orbit_vectors, signed_elements


@pytest.mark.parametrize(
    ("G", "rep"),
    [("S(4)", "T(3)"), ("Z(5)", "T(2)"), ("Cube()", "T(2)"), ("S(3) * Z(2)", "V[0]*V[1]*V"), ("D(4)", "Grid(4,4)")],
)
def test_constant_on_orbits(G, rep):
    G, rep = ss.group(G), ss.rep(rep)
    labels = ORBITS.solve(G, rep.terms[0][1]).basis.labels
    for g in zip(*G.sample_parts(10), strict=True):
        images = rep.rho(G, tuple(g)) @ np.arange(len(labels))
        assert np.array_equal(labels[images.astype(int)], labels)


def test_numbered_by_first_appearance_and_exact():
    solution = ORBITS.solve(ss.S(3), ss.T(2).terms[0][1])
    assert isinstance(solution.basis, OrbitBasis)
    assert solution.basis.labels.tolist() == [0, 1, 1, 1, 0, 1, 1, 1, 0]
    assert solution.basis.counts.tolist() == [3, 6]
    assert (solution.residual, solution.below, solution.above) == (0.0, 0.0, np.inf)


def test_no_generators():
    assert ORBITS.solve(ss.Trivial(3), ss.Vector.terms[0][1]).basis.labels.tolist() == [0, 1, 2]


def test_projection_averages_over_orbits():
    W = np.random.default_rng(0).standard_normal((40, 40))
    P = ss.equivariant_maps("V", "V", "S(40)").project(W)
    off = W[~np.eye(40, dtype=bool)].mean()
    assert np.allclose(P, np.where(np.eye(40, dtype=bool), np.trace(W) / 40, off))


def test_the_matrix_of_many_points_is_counted():
    with pytest.raises(InputError, match=r"Grid\(300,300\) .*solver orbits.* would take about 1.3e\+02 GB"):
        ss.equivariant_maps("Grid(300,300)", "S", "C(4)")


def type_of(text):
    return ss.rep(text).terms[0][1]


@pytest.mark.parametrize("rep", ["T(2)", "T(4)", "T(2,1)", "V*V'"])
@pytest.mark.parametrize("group", ["SO(3)", "O(3)", "U(1)", "SU(2)", "O(2)@z", "SO(2)@z | C(4)@x", "Lorentz()"])
def test_the_same_space_as_by_the_dense_solver(group, rep):
    G, tensor_type = ss.group(group), type_of(rep)
    ours, theirs = SIGNS.solve(G, tensor_type), DENSE.solve(G, tensor_type)
    P, Q = (solution.basis @ solution.basis.T for solution in (ours, theirs))
    assert np.abs(P - Q).max() < 1e-8
    assert ours.residual < 1e-12
    assert ours.below < 1e-8 < 1e-3 < ours.above


def test_products_are_seen_part_by_part():
    G, tensor_type = ss.group("SO(3) * SO(2)"), type_of("V[0]*V[0]*V[1]*V[1]")
    assert SIGNS.solve(G, tensor_type).rank == DENSE.solve(G, tensor_type).rank == 2


def test_signed_orbits_by_hand():
    flip = SignedPermutation(np.array([0, 1]), np.array([-1, 1]))  # the first axis changes its sign
    swap = SignedPermutation(np.array([1, 0]), np.array([1, 1]))
    alone = orbit_vectors((2,), [(flip,)]).toarray()
    assert np.array_equal(np.abs(alone), [[0.0], [1.0]])  # only the second axis is invariant
    both = orbit_vectors((2, 2), [(flip, flip), (swap, swap)]).toarray()
    assert np.allclose(np.abs(both), np.array([[1.0], [0.0], [0.0], [1.0]]) / np.sqrt(2))
    rotation = SignedPermutation(np.array([1, 0]), np.array([1, -1]))
    assert orbit_vectors((2,), [(rotation,)]).shape == (2, 0)
    plane = orbit_vectors((2, 2), [(rotation, rotation)]).toarray()
    assert np.allclose(np.abs(plane.T @ plane), np.eye(2))  # the metric, and the area


def test_what_is_no_signed_permutation_is_left_out():
    assert signed_elements(ss.group("Scaling(3)"), type_of("V")) == []
    assert SIGNS.applies(ss.group("Scaling(3)"), type_of("V")).how == "not"
    assert SIGNS.applies(ss.S(3), type_of("V")).how == "not"  # no Lie algebra: orbits know it exactly
    assert len(signed_elements(ss.O(3), type_of("T(2)"))) == 4
    assert SIGNS.applies(ss.O(3), type_of("V"), tol=1e-3).how == "not"


def test_the_estimate_is_of_the_right_size():
    cost = SIGNS.cost(ss.O(3), type_of("T(10)"))
    assert 0.2 < cost.gigabytes < 3
    assert 20 < cost.seconds < 600


def test_few_vectors_remain_of_many():
    G = ss.O(12)
    vectors = orbit_vectors((12,) * 4, signed_elements(G, type_of("T(4)")))
    assert vectors.shape == (20_736, 4)
    assert SIGNS.solve(G, type_of("T(4)")).rank == 3
