"""Another basis for the same group: axes, matrices, their texts."""

import ast

import numpy as np
import pytest

from softsym.groups import frames

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    "axis", [*RNG.standard_normal((5, 3)).tolist(), (1, 1, 1), (1e-9, 0, 1), (-1, 0.999, 0)]
)
def test_the_turn_leads_to_the_axis(axis):
    name, M = frames.turn_to(axis)
    assert frames.is_rotation(M)
    assert np.linalg.det(M) > 0
    direction = np.array(axis) / np.linalg.norm(axis)
    assert abs(M[:, "xyz".index(name)] @ direction) == pytest.approx(1.0, abs=1e-14)
    # The shortest turn's axis is perpendicular to both.
    assert np.trace(M) == pytest.approx(1 + 2 * np.abs(direction).max(), abs=1e-12)


def test_texts_read_back_exactly():
    M = RNG.standard_normal((3, 3)) * np.array([1e-12, 1.0, 1e20])
    assert np.array_equal(ast.literal_eval(frames.frame_text(M)), M)
    assert ast.literal_eval(frames.axis_text((1, 0.1, -1e-30))) == (1, 0.1, -1e-30)


def test_labels_tell_bases_apart():
    M = np.eye(3)
    assert frames.frame_label(M) == frames.frame_label(M.copy()) != frames.frame_label(M + 1e-9)


def test_the_inverse_of_a_permutation_is_exact():
    M = np.eye(4)[[2, 0, 3, 1]]
    assert np.array_equal(frames.conjugate(M, M, frames.inverse(M)), M)


def test_rotations_keep_orthogonal_elements_orthogonal():
    M = np.linalg.qr(RNG.standard_normal((5, 5)))[0]
    h = np.linalg.qr(RNG.standard_normal((5, 5)))[0]
    turned = frames.turned_element(h, M)
    assert np.allclose(turned @ turned.T, np.eye(5), rtol=0, atol=1e-15)
    A = frames.turned_algebra(h - h.T, M)
    assert np.array_equal(A, -A.T)
