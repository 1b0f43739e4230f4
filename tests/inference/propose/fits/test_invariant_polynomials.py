"""Invariant polynomials against what theory counts."""

import numpy as np
import pytest

import softsym as ss
from softsym.inference.propose.fits.invariant_polynomials import (
    AtDirections,
    Directions,
    invariant_polynomials,
)
from softsym.inference.propose.matrix_action import actions


@pytest.mark.parametrize(("group", "rep", "out", "degree", "count"), [
    ("SO(3)", "2V", None, 2, 3), ("SO(3)", "3V", None, 3, 1), ("SO(3)", "2V", None, 3, 0), ("SL(2)", "2V", None, 2, 1),
    ("SO13p()", "2V", None, 2, 3), ("Sp(2)", "3V", None, 2, 3), ("SO(3)", "2V", "V", 1, 2), ("SO(3)", "2V", "V", 2, 1),
    ("SO(2)@z", "V", "V", 0, 1), ("SO(3)", "V", "T(2)", 2, 2),
])  # fmt: skip
def test_counts(group, rep, out, degree, count):
    G = ss.group(group)
    X, Y = np.ones((3, ss.rep(rep).size(G))), np.ones((3, ss.rep(out or "S").size(G)))
    source, target = actions(X, Y, ss.rep(rep), ss.rep(out or "S"))
    found = invariant_polynomials(
        G.lie_algebra, source, np.arange(X.shape[1]), degree, target if out else None
    )
    assert len(found) == count
    rng = np.random.default_rng(0)
    rows, g = rng.standard_normal((6, X.shape[1])), G.sample(1, seed=1)[0]
    transformed = source.transform(g, rows)
    if out is None:
        assert np.allclose(found.values(transformed), found.values(rows), atol=1e-6)
    else:
        outputs = rng.standard_normal((6, Y.shape[1]))
        targets = [
            np.einsum("nmq,nq->nm", found.values(a), b)
            for a, b in ((rows, outputs), (transformed, target.transform(g, outputs)))
        ]
        assert np.allclose(*targets, atol=1e-6)


def test_slopes_and_directions():
    X = np.random.default_rng(0).standard_normal((4, 6))
    source, _ = actions(X, X[:, :1], ss.rep("2V"), ss.rep("S"))
    for one in (
        invariant_polynomials(ss.SO(3).lie_algebra, source, np.arange(6), 2),
        Directions(np.arange(6)),
    ):
        numeric = [(one.values(X + 1e-6 * e) - one.values(X - 1e-6 * e)) / 2e-6 for e in np.eye(6)]
        assert np.allclose(one.slopes(X), np.stack(numeric, axis=2), atol=1e-6)
    assert np.allclose(Directions(np.arange(6)).values(3 * X), Directions(np.arange(6)).values(X))


def test_polynomials_of_directions_are_invariant_under_rotations_and_scalings():
    X = np.random.default_rng(0).standard_normal((8, 6))
    source, _ = actions(X, X[:, :1], ss.rep("2V"), ss.rep("S"))
    inner = invariant_polynomials(ss.SO(3).lie_algebra, source, np.arange(6), 2)
    found = AtDirections(inner, Directions(np.arange(6)))
    rotated = 2.5 * X @ ss.rep("2V").rho("SO(3)", ss.SO(3).sample(1)[0]).T
    assert np.allclose(found.values(rotated), found.values(X), atol=1e-6)
    numeric = [(found.values(X + 1e-6 * e) - found.values(X - 1e-6 * e)) / 2e-6 for e in np.eye(6)]
    assert np.allclose(found.slopes(X), np.stack(numeric, axis=2), atol=1e-6)
