"""Permutation representations."""

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError


def test_grid_rows_run_from_the_top_left():
    points = ss.Grid(2, 3).terms[0][1].atoms[0].points
    assert points == ((-1, 0.5), (0, 0.5), (1, 0.5), (-1, -0.5), (0, -0.5), (1, -0.5))


def test_a_quarter_turn_turns_an_image_counterclockwise():
    image = np.arange(9.0).reshape(3, 3)
    quarter = ss.C(4).discrete_generators[0]
    turned = ss.Grid(3, 3).rho("C(4)", quarter) @ image.ravel()
    assert np.array_equal(turned.reshape(3, 3), np.rot90(image))


def test_the_mirror_of_dihedral_groups_flips_an_image():
    image = np.arange(6.0).reshape(2, 3)
    mirror = np.diag([-1.0, 1.0])
    assert np.array_equal((ss.Grid(2, 3).rho("D(2)", mirror) @ image.ravel()).reshape(2, 3), image[:, ::-1])


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_orbits_of_pixels(n):
    """Burnside: a quarter turn fixes the centre pixel, if there is one."""
    centre = n % 2
    assert ss.equivariant_maps(ss.Grid(n, n), "S", "C(4)").dim == (n * n + 3 * centre) // 4
    assert ss.equivariant_maps(ss.Grid(n, n), ss.Grid(n, n), "C(4)").dim == (n**4 + 3 * centre) // 4


def test_subsets_as_indicator_vectors():
    pairs = [[float(k in (i, j)) for k in range(4)] for i in range(4) for j in range(i)]
    edges = ss.Permutation(pairs)
    assert edges.size("S(4)") == 6
    assert ss.equivariant_maps(edges, edges, "S(4)").dim == 3  # equal, touching, disjoint


@pytest.mark.parametrize(("points", "message"), [
    ([[1, 2], [1, 2]], "`points` contains the same point twice"),
    ([1, 2], r"`points` must be finite numbers of shape \(n, d\), got shape \(2,\)"),
    (np.zeros((0, 2)), r"`points` must be finite numbers of shape \(n, d\), got shape \(0, 2\)"),
    ([[float("nan"), 0]], "`points` must be finite numbers"),
    ([["a"]], "`points` must be numbers of shape"),
    ([[0.0, 1.0], [-0.0, 1.0]], "`points` contains the same point twice"),
])  # fmt: skip
def test_bad_points(points, message):
    with pytest.raises(InputError, match=message):
        ss.Permutation(points)


def test_bad_grid():
    with pytest.raises(InputError, match=r"Grid\(height, width\) needs positive sizes, got Grid\(3, 0\)"):
        ss.Grid(3, 0)
