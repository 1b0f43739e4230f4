import numpy as np
import pytest

import softsym as ss
from softsym.groups.quadrature.algebra import (
    UnknownError,
    circles,
    closed_algebra,
    orthogonal_frame,
    split,
    support,
    triple,
)


def test_a_frame_makes_a_skewed_group_orthogonal():
    M = np.array([[2.0, 1.0], [0.0, 1.0]])
    A = M @ ss.SO(2).lie_algebra[0] @ np.linalg.inv(M)
    frame = orthogonal_frame([A], [])
    turned = frame @ A @ np.linalg.inv(frame)
    assert np.allclose(turned, -turned.T)
    with pytest.raises(UnknownError, match="not compact"):
        orthogonal_frame(list(ss.SL(2).lie_algebra), [])


def test_two_turns_generate_all_of_them():
    x, y = (ss.group(f"SO(2)@{axis}").lie_algebra[0] for axis in "xy")
    assert len(closed_algebra([x, y], [])) == 3
    assert len(closed_algebra([x], [ss.group("C(4)@y").discrete_generators[0]])) == 3


def test_parts_of_an_algebra():
    centre, ideals = split(closed_algebra(list(ss.SO(4).lie_algebra), []))
    assert (len(centre), [len(ideal) for ideal in ideals]) == (0, [3, 3])
    centre, ideals = split(closed_algebra(list(ss.U(2).lie_algebra), []))
    assert (len(centre), [len(ideal) for ideal in ideals]) == (1, [3])
    assert len(circles(centre, list(ss.U(2).lie_algebra))) == 1


def test_three_turns_have_the_brackets_of_turns():
    ((J),) = split(closed_algebra(list(ss.SO(3).lie_algebra), []))[1]
    J = triple(J)
    assert np.allclose(J[0] @ J[1] - J[1] @ J[0], J[2])
    assert np.allclose(J[1] @ J[2] - J[2] @ J[1], J[0])


def test_only_all_rotations_of_a_space_have_axes():
    (ideal,) = split(closed_algebra(list(ss.SO(5).lie_algebra), []))[1]
    assert np.allclose(support(ideal).T @ support(ideal), np.eye(5))
    (ideal,) = split(closed_algebra(list(ss.SU(3).lie_algebra), []))[1]
    with pytest.raises(UnknownError, match="no finite subgroup is known for its simple part of dimension 8"):
        support(ideal)
