import numpy as np
import pytest

import softsym as ss
from softsym.groups.elements import closure
from softsym.groups.quadrature.algebra import UnknownError, closed_algebra, split, triple
from softsym.groups.quadrature.pieces import circle, polyhedron, shifts


def test_a_polygon_returns_to_the_identity():
    piece = circle(ss.SO(2).lie_algebra[0], 5)
    assert (piece.label, piece.degree) == ("C(8)", 7.0)
    assert np.allclose(np.linalg.matrix_power(piece.generators[0], 8), np.eye(2))


def test_frequencies_without_common_multiple():
    A = np.zeros((4, 4))
    A[0, 1], A[1, 0], A[2, 3], A[3, 2] = -1, 1, -np.sqrt(2), np.sqrt(2)
    with pytest.raises(UnknownError, match="no common multiple"):
        circle(A, 5)


@pytest.mark.parametrize(
    ("degree", "name", "order"), [(2, "tetrahedron", 12), (3, "octahedron", 24), (5, "icosahedron", 60)]
)
def test_the_smallest_polyhedron_that_does(degree, name, order):
    (ideal,) = split(closed_algebra(list(ss.SO(3).lie_algebra), []))[1]
    piece = polyhedron(triple(ideal), degree)
    assert piece.label == f"rotations of the {name}"
    assert len(closure(np.array(piece.generators), 3)) == order


def test_signed_shifts_are_rotations():
    generators = np.array(shifts(np.eye(5)).generators)
    assert np.allclose(np.linalg.det(generators), 1)
    assert len(closure(generators, 5)) == 80
