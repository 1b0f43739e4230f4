"""Permutation representations."""

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError


def test_grid_rows_run_from_the_top_left():
    points = ss.Grid(2, 3).terms[0][1].atoms[0].points
    assert points == ((-1, 0.5), (0, 0.5), (1, 0.5), (-1, -0.5), (0, -0.5), (1, -0.5))


def test_a_rotation_by_90_degrees_rotates_an_image_counterclockwise():
    image = np.arange(9.0).reshape(3, 3)
    quarter = ss.C(4).discrete_generators[0]
    rotated = ss.Grid(3, 3).rho("C(4)", quarter) @ image.ravel()
    assert np.array_equal(rotated.reshape(3, 3), np.rot90(image))


def test_the_reflection_of_dihedral_groups_flips_an_image():
    image = np.arange(6.0).reshape(2, 3)
    reflection = np.diag([-1.0, 1.0])
    assert np.array_equal((ss.Grid(2, 3).rho("D(2)", reflection) @ image.ravel()).reshape(2, 3), image[:, ::-1])


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_orbits_of_pixels(n):
    """Burnside: a rotation by 90 degrees fixes the centre pixel, if there is one."""
    centre = n % 2
    assert ss.equivariant_maps(ss.Grid(n, n), "S", "C(4)").dim == (n * n + 3 * centre) // 4
    assert ss.equivariant_maps(ss.Grid(n, n), ss.Grid(n, n), "C(4)").dim == (n**4 + 3 * centre) // 4


def test_subsets_as_indicator_vectors():
    pairs = [[float(k in (i, j)) for k in range(4)] for i in range(4) for j in range(i)]
    edges = ss.Permutation(pairs)
    assert edges.size("S(4)") == 6
    assert ss.equivariant_maps(edges, edges, "S(4)").dim == 3  # equal, touching, disjoint


@pytest.mark.parametrize(
    ("points", "message"),
    [
        ([[1, 2], [1, 2]], "`points` contains the same point twice"),
        ([1, 2], r"`points` must be finite numbers of shape \(n, d\), got shape \(2,\)"),
        (np.zeros((0, 2)), r"`points` must be finite numbers of shape \(n, d\), got shape \(0, 2\)"),
        ([[float("nan"), 0]], "`points` must be finite numbers"),
        ([["a"]], "`points` must be numbers of shape"),
        ([[0.0, 1.0], [-0.0, 1.0]], "`points` contains the same point twice"),
    ],
)
def test_bad_points(points, message):
    with pytest.raises(InputError, match=message):
        ss.Permutation(points)


@pytest.mark.parametrize("shape", [(3, 0), (), (2, 2, 2, 2)])
def test_bad_grid(shape):
    with pytest.raises(InputError, match=r"Grid takes one to three positive sizes, got Grid\("):
        ss.Grid(*shape)


def test_signals_and_volumes():
    assert ss.Grid(3).terms[0][1].atoms[0].points == ((-1,), (0,), (1,))
    assert ss.rep("Grid(4)") == ss.Grid(4)
    volume = np.arange(27.0).reshape(3, 3, 3)
    G = ss.group("Octahedral()")
    rotation = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])  # about z: maps each slice to itself
    rotated = (ss.Grid(3, 3, 3).rho(G, rotation) @ volume.ravel()).reshape(3, 3, 3)
    assert np.array_equal(rotated, np.rot90(volume, axes=(1, 2)))


@pytest.mark.parametrize("G", ["C(4)", "D(4)", "D(3)", "O(1)", "C(4)@z", "Octahedral()", "O(1)@2[1]"])
def test_regular(G):
    G = ss.group(G)
    rep = ss.Regular(G)
    assert rep.size(G) == G.order
    assert ss.equivariant_maps(rep, rep, G).dim == G.order
    assert ss.rep(str(rep)) == rep
    assert ss.rep(f"2{rep} + S").size(G) == 2 * G.order + 1


def test_regular_needs_a_finite_group():
    with pytest.raises(InputError, match=r"Regular needs a finite group; SO\(2\) is not"):
        ss.Regular("SO(2)")
    with pytest.raises(InputError, match=r"expected '\)'"):
        ss.rep("Regular(C(4)")


def test_grids_that_would_fill_the_memory_are_refused():
    with pytest.raises(InputError, match=r"Grid\(100000,100000\) has 10,000,000,000 points; at most 1,000,000"):
        ss.rep("Grid(100000,100000)")


@pytest.mark.parametrize("text", ["S(200)", "Z(3000)"])
def test_groups_of_too_many_elements_have_no_regular_one(text):
    with pytest.raises(InputError, match="elements; they are not listed"):
        ss.Regular(text)
