"""The plane of a reflection."""

import numpy as np
import pytest

import softsym as ss
from softsym.inference.propose.fits.fit import Fit
from softsym.inference.propose.fits.reflection_plane import refined_normal, reflection, reflection_likelihood
from softsym.inference.propose.matrix_action import actions


def rows(normal, noise, n=200, seed=0):
    """A function that has one mirror: two vectors, and outputs along the first, the second and across the mirror."""
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 6))
    a, b = X[:, :3], X[:, 3:]
    side = normal / np.linalg.norm(normal)
    other = np.cross(side, [0.3, 0.5, 0.8])
    Y = np.sin(b @ other)[:, None] * a + (a @ side)[:, None] ** 2 * b + (b @ side)[:, None] * side + other
    Y = Y + noise * Y.std() * rng.standard_normal(Y.shape)
    source, target = actions(X, Y, ss.rep("2V"), ss.rep("V"))
    kernel = Fit.of(X / source.unit, Y / target.unit).kernel
    return kernel, source, target, X, Y


def degrees(a, b):
    return np.degrees(np.arccos(min(1.0, abs(a @ b) / np.linalg.norm(a) / np.linalg.norm(b))))


@pytest.mark.parametrize(("noise", "most"), [(0.0, 0.1), (0.02, 1.5)])
def test_a_plane_from_a_start_that_is_off(noise, most):
    normal = np.array([0.61, -0.73, 0.31])
    found = refined_normal(normal + np.array([0.03, 0.02, -0.03]), *rows(normal, noise))
    assert degrees(found, normal) < most


def test_round_numbers_where_rows_cannot_tell_and_only_there():
    normal = np.array([2.0, -1.0, 0.0])
    assert np.array_equal(refined_normal(normal + 0.03, *rows(normal, 0.02)), normal)
    near = normal + np.array([0.0, 0.0, 0.02])
    found = refined_normal(normal, *rows(near, 0.0))
    assert degrees(found, near) < 0.1 < degrees(found, normal)


def test_the_true_plane_is_likelier_than_others():
    normal = np.array([1.0, 2.0, 2.0])
    data = rows(normal, 0.01)
    true = reflection_likelihood(normal, *data)
    others = [reflection_likelihood(one, *data) for one in (*np.eye(3), normal + np.array([0.2, 0, 0]))]
    assert all(true > other + 10 for other in others)


def test_a_reflection_is_its_own_inverse_and_reverses_its_normal():
    normal = np.array([1.0, -4.0, 2.0])
    h = reflection(normal)
    assert np.allclose(h @ h, np.eye(3))
    assert np.allclose(h @ normal, -normal)
