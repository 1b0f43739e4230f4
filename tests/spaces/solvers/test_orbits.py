"""Orbits of permutation actions."""

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.spaces.solution import OrbitBasis
from softsym.spaces.solvers.orbits import SOLVER


@pytest.mark.parametrize(
    ("G", "rep"),
    [
        ("S(4)", "T(3)"),
        ("Z(5)", "T(2)"),
        ("Cube()", "T(2)"),
        ("S(3) * Z(2)", "V[0]*V[1]*V"),
        ("D(4)", "Grid(4,4)"),
    ],
)
def test_constant_on_orbits(G, rep):
    G, rep = ss.group(G), ss.rep(rep)
    labels = SOLVER.solve(G, rep.terms[0][1]).basis.labels
    for g in zip(*G.sample_parts(10), strict=True):
        moved = rep.rho(G, tuple(g)) @ np.arange(len(labels))
        assert np.array_equal(labels[moved.astype(int)], labels)


def test_numbered_by_first_appearance_and_exact():
    solution = SOLVER.solve(ss.S(3), ss.T(2).terms[0][1])
    assert isinstance(solution.basis, OrbitBasis)
    assert solution.basis.labels.tolist() == [0, 1, 1, 1, 0, 1, 1, 1, 0]
    assert solution.basis.counts.tolist() == [3, 6]
    assert (solution.residual, solution.below, solution.above) == (0.0, 0.0, np.inf)


def test_no_generators():
    assert SOLVER.solve(ss.Trivial(3), ss.Vector.terms[0][1]).basis.labels.tolist() == [0, 1, 2]


def test_projection_averages_over_orbits():
    W = np.random.default_rng(0).standard_normal((40, 40))
    P = ss.equivariant_maps("V", "V", "S(40)").project(W)
    off = W[~np.eye(40, dtype=bool)].mean()
    assert np.allclose(P, np.where(np.eye(40, dtype=bool), np.trace(W) / 40, off))


def test_the_matrix_of_many_points_is_counted():
    with pytest.raises(InputError, match=r"Grid\(300,300\) .*solver orbits.* would take about 1.3e\+02 GB"):
        ss.equivariant_maps("Grid(300,300)", "S", "C(4)")
