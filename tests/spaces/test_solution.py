"""What a solver returns."""

import warnings

import numpy as np
import pytest

from softsym.errors import UnclearNullSpaceWarning
from softsym.spaces.solution import Evidence, OrbitBasis, Solution, dense, rank_of
from softsym.spaces.space import _warn_if_unclear as warn_if_unclear


def test_orbit_basis():
    basis = OrbitBasis(np.array([0, 1, 1, 0, 2]))
    Q = dense(basis)
    assert Q.shape == (5, rank_of(basis)) == (5, 3)
    assert np.allclose(Q.T @ Q, np.eye(3))
    assert np.array_equal(Q.argmax(1), basis.labels)


def test_support_leaves_out_zero_rows():
    Q = np.zeros((4, 1))
    Q[2] = 1.0
    solution = Solution(0.0, 0.0, 1.0, "dense", basis=Q)
    assert solution.support.tolist() == [2]
    assert solution.on_support.tolist() == [[1.0]]
    assert solution.rank == 1
    assert solution.gap == 1e16


@pytest.mark.parametrize(("below", "above", "tol"), [(0.0, 5e-5, None), (5e-8, 1.0, None), (4e-3, 1.1e-2, 1e-2)])
def test_unclear(below, above, tol):
    with pytest.warns(
        UnclearNullSpaceWarning, match=r"the null space of it is not clearly separated: .* pass `tol` above their noise"
    ):
        warn_if_unclear(Evidence(0.0, below, above, "dense"), tol, "it")


@pytest.mark.parametrize(("below", "above", "tol"), [(1e-12, 1e-3, None), (0.0, np.inf, None), (1e-3, 0.5, 1e-2)])
def test_clear(below, above, tol):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warn_if_unclear(Evidence(0.0, below, above, "dense"), tol, "it")
