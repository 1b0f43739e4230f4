"""The reflection symmetry of a body."""

import numpy as np
import pytest
from lab.tests.tasks.recorded.made_up import EDGES

from softsym.errors import InputError
from softsym_lab.tasks.recorded.skeleton import parity_basis, reflect_joints


def test_legs_and_arms_are_exchanged_and_the_spine_stays():
    images = reflect_joints(EDGES, 31)
    assert images[[1, 2, 3, 4, 5]].tolist() == [6, 7, 8, 9, 10]
    assert images[17:24].tolist() == list(range(24, 31))
    assert images[[0, 11, 12, 13, 14, 15, 16]].tolist() == [0, 11, 12, 13, 14, 15, 16]
    assert images[images].tolist() == list(range(31))


def test_the_reflection_is_diagonal_in_its_coordinates():
    images = reflect_joints(EDGES, 31)
    basis, even = parity_basis(images)
    reflection = np.kron(np.eye(31)[images], np.diag([-1.0, 1.0, 1.0]))
    expected = np.diag(np.where(np.arange(93) < even, 1.0, -1.0))
    np.testing.assert_allclose(basis @ reflection @ basis.T, expected, atol=1e-12)
    np.testing.assert_allclose(basis @ basis.T, np.eye(93), atol=1e-12)
    assert even == 50


@pytest.mark.parametrize(
    ("edges", "joints", "match"),
    [
        ([(1, 0), (1, 0)], 2, r"edge \(1, 0\) does not fit"),
        ([(1, 5)], 2, r"edge \(1, 5\) does not fit"),
        ([(1, 2), (2, 1)], 3, "only 1 of 3 joints hang together"),
        ([(1, 0), (2, 0), (3, 0)], 4, "joint 0 has 3 branches of one shape"),
    ],
)
def test_what_is_no_body(edges, joints, match):
    with pytest.raises(InputError, match=match):
        reflect_joints(edges, joints)
