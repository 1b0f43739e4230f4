"""Discrete candidates."""

import numpy as np
import pytest

import softsym as ss
from softsym.propose.columns import Columns, prepare
from softsym.propose.discrete import element_violation, elements, matched_permutation, reflection, rotation_axis
from tests.propose.target_functions import rows


@pytest.mark.parametrize("d", [1, 2, 3, 4])
def test_elements_are_of_their_groups(d):
    for one in elements(d, np.eye(d)[:1] + 0.3):
        assert np.allclose(one.matrix, one.group.discrete_generators[0])
        assert one.group.dim == d
        assert ss.group(str(one.group)) == one.group


def test_reflections_reverse_their_normal():
    normal = np.array([0.3, -0.2, 0.9])
    one = reflection(normal)
    assert np.allclose(one.matrix @ normal, -normal, atol=1e-3)
    assert one.group.order == 2


def test_axes_of_rotations():
    assert rotation_axis(ss.SO(2).about("y")).tolist() == [0.0, 1.0, 0.0]
    assert rotation_axis(ss.SO(3)) is None
    assert rotation_axis(None) is None


def test_a_tilted_reflection_is_found():
    rng = np.random.default_rng(0)
    normal = np.array([2.0, -1.0, 0.0]) / np.sqrt(5)
    along, up = np.array([1.0, 2.0, 0.0]) / np.sqrt(5), np.array([0.0, 0.0, 1.0])
    X = rng.standard_normal((200, 3))
    Y = 0.5 * (X @ along)[:, None] * up + 0.4 * along + 0.3 * (X @ normal)[:, None] ** 2 * up
    Y += X + 0.3 * (X @ up)[:, None] ** 2 * along
    found = ss.propose(X, Y + 0.01 * rng.standard_normal(Y.shape), "V", "V")
    reflections = [row for row in found.table if row.verdict == "exact" and row.name.startswith("reflection")]
    assert len(reflections) == 1
    assert np.array(reflections[0].generator) @ normal == pytest.approx(-normal, abs=0.02)


def test_minus_the_identity_differs_from_its_opposite():
    X, Y, rep_in, rep_out, _ = rows("cross product", 200, 0.02)
    assert "minus the identity" not in {row.name for row in ss.propose(X, Y, rep_in, rep_out).table}
    odd = X[:, :3] * np.sum(X[:, 3:] ** 2, axis=1, keepdims=True)
    assert ss.propose(X, odd, "2V", "V").groups[0] == ss.O(3)


def test_left_and_right_are_matched_with_signs():
    """A body of six joints: exchanging left and right reverses the middle ones."""
    truth = np.zeros((6, 6))
    for i, j, sign in ((0, 3, 1.0), (1, 4, -1.0), (2, 2, -1.0), (5, 5, 1.0)):
        truth[i, j] = truth[j, i] = sign
    rng = np.random.default_rng(0)
    X, A = rng.standard_normal((800, 6)), rng.standard_normal((6, 6))

    def half(Z):
        return np.sin(Z @ A) + 0.3 * Z**2

    def function(Z):
        return half(Z) + half(Z @ truth.T) @ truth

    Y = function(X)
    part = prepare(X, Y, Columns.read(X, Y, ss.rep("V"), ss.rep("V")), np.arange(800))
    one = matched_permutation(part, function)
    assert np.array_equal(one.matrix, truth)
    assert element_violation(part, function, truth) < 1e-9 < element_violation(part, function, -np.eye(6))
