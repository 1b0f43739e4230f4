"""The solver without matrices."""

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.spaces.solvers import iterative
from tests.catalogue import GROUPS


@pytest.mark.parametrize(("G", "rep", "rank"), [
    ("SO(3)", "T(6)", 15), ("S(4)", "T(5)", 51), ("SE(3)", "T(5)", None), ("O(4)", "T(5)", 0), ("Trivial(3)", "T(3)", 27),
    ("GL(2)", "T(3,3)", 5),
    ("Translation(2)", "T(5)", None),
])  # fmt: skip
def test_ranks(G, rep, rank):
    space = ss.invariants(rep, G, solver="iterative")
    assert space.dim == (ss.invariants(rep, G).dim if rank is None else rank)
    assert space.residual_bound < 1e-8


def test_a_space_wider_than_the_first_block():
    kind = ss.rep("T(4)").terms[0][1]
    Q = iterative.SOLVER.solve(ss.C(2), kind).basis.dense()
    assert Q.shape == (16, 16)
    Q = iterative.SOLVER.solve(GROUPS["quaternions"], kind).basis.dense()
    assert Q.shape[1] == 64
    assert np.allclose(Q.T @ Q, np.eye(64), atol=1e-10)


def test_says_so_when_it_does_not_converge(monkeypatch):
    monkeypatch.setattr(iterative, "MAX_STEPS", 1)
    with pytest.raises(
        InputError, match=r"did not converge on T\(3\) under SO\(3\) in 1 steps; pass solver='dense'"
    ):
        iterative.SOLVER.solve(ss.SO(3), ss.rep("T(3)").terms[0][1])
