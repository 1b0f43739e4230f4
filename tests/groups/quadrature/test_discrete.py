import numpy as np

import softsym as ss
from softsym.groups.quadrature.algebra import closed_algebra, in_basis, split, triple
from softsym.groups.quadrature.discrete import is_within, straightened


def test_a_rotation_is_within_and_a_mirror_is_not():
    algebra = closed_algebra(list(ss.SO(3).lie_algebra), [])
    turn = ss.SO(3).sample(1, seed=0)[0]
    assert is_within(turn, algebra)
    assert not is_within(np.diag([1.0, 1.0, -1.0]), algebra)


def test_a_mirror_is_turned_until_it_keeps_the_basis():
    (ideal,) = split(closed_algebra(list(ss.SO(3).lie_algebra), []))[1]
    J = triple(ideal)
    mirror = ss.SO(3).sample(1, seed=1)[0] @ np.diag([1.0, 1.0, -1.0])
    straight = straightened(mirror, [J], [])
    assert np.allclose(in_basis(straight @ J @ np.linalg.inv(straight), J), np.eye(3), atol=1e-8)
    assert np.allclose(straight, -np.eye(3), atol=1e-8)
