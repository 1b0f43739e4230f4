"""From memory, from disk or solved."""

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.spaces.solve import forget, invariants_of_type


def test_solved_once_per_process():
    kind = ss.rep("T(3)").terms[0][1]
    first = invariants_of_type(ss.SO(3), kind)
    assert invariants_of_type(ss.group("SO(3)"), kind) is first
    forget()
    again = invariants_of_type(ss.SO(3), kind)
    assert again is not first
    assert np.allclose(np.abs(again.basis.dense()), np.abs(first.basis.dense()), atol=1e-12)


def test_the_cross_product():
    epsilon = np.zeros((3, 3, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        epsilon[i, j, k], epsilon[j, i, k] = 1.0, -1.0
    Q = invariants_of_type(ss.SO(3), ss.rep("T(3)").terms[0][1]).basis.dense()
    assert np.isclose(abs(Q[:, 0] @ epsilon.ravel()), np.sqrt(6))


def test_spaces_are_remembered_by_what_they_are_not_by_how_they_are_written():
    space = ss.equivariant_maps("2V + S", "T(2)", "SO(3)")
    assert ss.equivariant_maps(ss.rep("2V + S"), ss.T(2), ss.SO(3)) is space
    assert ss.equivariant_maps("2V + S", "T(2)", "SO(3)", solver="dense") is not space
    forget()
    assert ss.equivariant_maps("2V + S", "T(2)", "SO(3)") is not space


@pytest.mark.parametrize("tol", [0, 1, -1e-3, 2.0, float("nan")])
def test_a_tolerance_is_relative(tol):
    with pytest.raises(InputError, match=r"`tol` must lie between 0 and 1 \(relative .*\), got"):
        ss.invariants("V", "O(3)", tol=tol)


def test_biases_are_maps_from_a_scalar():
    biases, maps = ss.invariants("T(2) + 2S", "O(2)@z"), ss.equivariant_maps("S", "T(2) + 2S", "O(2)@z")
    assert biases.shape == (11,)
    assert np.allclose(np.abs(biases.basis()), np.abs(maps.basis()))
