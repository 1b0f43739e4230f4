"""Averages over finite groups."""

import numpy as np

import softsym as ss
from softsym.spaces.solvers.reynolds import REYNOLDS, list_elements
from tests.catalogue import FINITE, each


@each(FINITE)
def test_the_average_of_rho_is_the_projector(G):
    rep = ss.rep("V*V'")
    if rep.size(G) > 40:
        return
    P = np.mean([rep.rho(G, e.parts) for e in list_elements(G)], axis=0)
    Q = REYNOLDS.solve(G, rep.terms[0][1]).basis
    if G.is_orthogonal:
        assert np.allclose(P, Q @ Q.T, atol=1e-10)
    assert np.allclose(P @ Q, Q, atol=1e-10)
    assert Q.shape[1] == round(np.trace(P))


def test_products_are_listed_part_by_part():
    """Two rotations by 180 degrees are the identity on the whole space, but not on the parts."""
    G = ss.C(4) * ss.C(4)
    assert len(list_elements(G)) == 16
    assert ss.invariants("V[0]*V[0]", G).dim == 2
    assert ss.invariants("V[0]*V[1]", G).dim == 0


def test_a_wide_type():
    solution = REYNOLDS.solve(ss.Octahedral(), ss.T(6).terms[0][1])
    assert solution.residual < 1e-10
    traces = np.trace(ss.Octahedral().elements, axis1=1, axis2=2)
    assert solution.rank == round((traces**6).mean())
