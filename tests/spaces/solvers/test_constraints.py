"""Constraints applied index by index are those of the full matrices."""

import numpy as np
import pytest

import softsym as ss
from softsym.spaces.solvers.constraints import constraints, residual
from tests.catalogue import SMALL
from tests.twin import generator_parts


@pytest.mark.parametrize("G", SMALL.values(), ids=list(SMALL))
@pytest.mark.parametrize("rep", ["V", "T(1,1)", "T(3)"])
def test_matrices(G, rep):
    rep = ss.rep(rep)
    n = rep.size(G)
    if n > 130:
        return
    kind = rep.terms[0][1]
    full = [rep.drho(G, A) for A in generator_parts(G, discrete=False)]
    full += [rep.rho(G, h) - np.eye(n) for h in generator_parts(G, discrete=True)]
    X, Y = np.random.default_rng(0).standard_normal((2, n, 3))
    found = constraints(G, kind)
    lie = [C for C in found if C.additive]
    assert len(found) - len(lie) == len(G.discrete)
    for C, M in zip(found, full, strict=True):
        assert np.allclose(C(X), M @ X / C.scale, atol=1e-12)
        assert np.allclose(C.adjoint(Y), M.T @ Y / C.scale, atol=1e-12)
        assert np.linalg.norm(M, 2) <= C.scale * (1 + 1e-12)
        assert C.scale >= 1


def test_residual_is_the_largest_column():
    found = constraints(ss.SO(2), ss.Vector.terms[0][1])
    assert residual(found, np.zeros((2, 0))) == 0.0
    assert np.isclose(residual(found, np.eye(2)), 1.0)
    assert residual([], np.eye(2)) == 0.0
