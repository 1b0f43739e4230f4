"""A Gaussian process under common rotations."""

import numpy as np
import pytest

import softsym as ss
from softsym.inference.propose.rotation_gp import common_rotations, fit_rotation_gp


def many_vectors(n=400, seed=0):
    """Six weighted positions to their inertia: a kernel that knows nothing has far too many directions to learn."""
    rng = np.random.default_rng(seed)
    m, x = rng.uniform(0.5, 2, (n, 6)), rng.standard_normal((n, 6, 3))
    squares = np.einsum("nki,nki->nk", x, x)
    inertia = np.einsum("nk,nk->n", m, squares)[:, None, None] * np.eye(3) - np.einsum(
        "nk,nki,nkj->nij", m, x, x
    )
    return np.concatenate([m, x.reshape(n, -1)], axis=1), inertia.reshape(n, 9)


def test_rotations_are_found_where_an_unconstrained_fit_is_too_poor():
    found = ss.propose(*many_vectors(), "6S + 6V", "T(2)")
    assert found.algebra in ("so(3)", "so(3) + scaling")


def test_nothing_is_claimed_where_the_rotations_do_not_hold():
    X, Y = many_vectors()
    found = ss.propose(X, Y * np.linspace(0.5, 2, 9), "6S + 6V", "T(2)")
    assert not any(np.allclose(A, -A.T, atol=0.1) for A in found.generators)


def test_jacobians_are_those_of_the_gp():
    rng = np.random.default_rng(1)
    X = rng.standard_normal((80, 6))
    Y = np.cross(X[:, :3], X[:, 3:])
    gp = fit_rotation_gp(X, Y, ss.rep("2V"), ss.rep("V"), 3)
    assert gp.r2(X, Y) > 0.999
    a, b = X[0, :3], X[0, 3:]
    true = np.concatenate([-np.cross(b, np.eye(3)).T, np.cross(a, np.eye(3)).T], axis=1)
    assert np.allclose(gp.jacobian(X[:1])[0], true, atol=1e-2)


@pytest.mark.parametrize(("d", "count"), [(1, 0), (2, 1), (3, 4), (4, 0)])
def test_common_rotations(d, count):
    assert len(common_rotations(d)) == count
