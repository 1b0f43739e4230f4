"""Zero-weight vectors of a normal algebra element."""

import numpy as np
import pytest

import softsym as ss
from softsym.spaces.solvers import zero_weight
from tests.catalogue import SMALL, each

LIE = {text: G for text, G in SMALL.items() if G.lie}


@each(LIE)
def test_zero_weight_vectors_are_orthonormal_and_annihilated(G):
    tensor_type = ss.rep("V*V'").terms[0][1]
    if zero_weight.WEIGHTS.applies(G, tensor_type).how == "not":
        without = (SMALL["shear"], SMALL["SO(2)@[[2,0],[0,1]]"])  # no element of theirs is normal
        assert G in (ss.Translation(1), ss.Translation(3), ss.SE(1), ss.E(1), *without)
        return
    for element, eigen in zip(zero_weight._normal_elements(G), zero_weight._candidates(G, tensor_type), strict=True):
        N = zero_weight.zero_weight_vectors(eigen)
        assert np.allclose(N.T @ N, np.eye(N.shape[1]), atol=1e-10)
        M = tensor_type.drho(G, element)
        assert np.abs(M @ N).max(initial=0.0) < 1e-8
        assert np.linalg.matrix_rank(M, tol=1e-8) + N.shape[1] == len(M)


def test_few_products_have_weight_zero():
    assert zero_weight.start_size(ss.SO(3), ss.T(6).terms[0][1]) == 141


@pytest.mark.parametrize(
    ("G", "rep", "rank"),
    [("SO(3)", "T(7)", 36), ("SL(2)", "T(8)", 14), ("SO(4)", "T(4)", 4), ("Sp(2)", "T(4)", 3), ("GL(3)", "T(3,3)", 6)],
)
def test_large_types(G, rep, rank):
    space = ss.invariants(rep, G, solver="weights")
    assert space.dim == rank
    assert space.residual_bound < 1e-10
