"""Invariants of one type."""

import numpy as np

import softsym as ss
from softsym.spaces import invariants_of_type
from softsym.spaces.space import forget


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
