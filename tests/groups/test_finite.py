"""Finite groups: parities, rotations, Rubik's cube; listing, counting and drawing elements."""

import math

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.groups import sampling as elements
from softsym.groups.sampling import closure, images, is_permutation, permutation_group, uniform_permutations


@pytest.mark.parametrize("n", [3, 4, 6])
def test_alternating_groups_are_even(n):
    g = np.concatenate([ss.A(n).sample(40), ss.A(n).discrete_generators])
    assert all(is_permutation(h) for h in g)
    assert np.allclose(np.linalg.det(g), 1)
    assert set(np.linalg.det(ss.S(n).sample(40)).round()) == {-1, 1}


def test_cyclic_permutations():
    g = ss.Z(5).sample(20)
    assert {tuple((images(h) - np.arange(5)) % 5) for h in g} == {(k,) * 5 for k in range(5)}
    assert not ss.Z(5).lie


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
def test_polygons(n):
    g = ss.C(n).sample(30)
    assert np.allclose(np.linalg.matrix_power(g, n), np.eye(2), atol=1e-10)
    assert np.allclose(np.linalg.det(g), 1)
    corners = np.exp(2j * np.pi * np.arange(n) / n)
    corners = np.stack(
        [corners.imag, corners.real], axis=1
    )  # one corner on the second axis, which D(n) reflects to itself
    for h in ss.D(n).elements:
        assert np.abs((corners @ h.T)[:, None] - corners[None]).max(2).min(1).max() < 1e-9


def test_rotations_by_90_degrees_are_exact():
    assert set(np.unique(ss.C(4).discrete_generators)) == {-1.0, 0.0, 1.0}
    assert set(np.unique(ss.Octahedral().elements)) == {-1.0, 0.0, 1.0}


@pytest.mark.parametrize(
    ("G", "traces"),
    [(ss.Octahedral(), {3: 1, 1: 6, -1: 9, 0: 8}), (ss.Icosahedral(), {3: 1, 0: 20, -1: 15, 1.618: 12, -0.618: 12})],
)
def test_polyhedra_have_their_classes(G, traces):
    assert np.allclose(np.linalg.det(G.elements), 1)
    values, counts = np.unique(np.trace(G.elements, axis1=1, axis2=2).round(3) + 0.0, return_counts=True)
    assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == traces


def test_icosahedron_keeps_its_vertices():
    golden = (1 + 5**0.5) / 2
    vertices = np.array([np.roll([0, a, b * golden], k) for a in (1, -1) for b in (1, -1) for k in range(3)])
    assert ss.Permutation(vertices).rho("Icosahedral()", ss.Icosahedral().elements).shape == (60, 12, 12)


def test_cube_keeps_opposite_faces_opposite():
    opposite = images(np.kron(np.eye(3), [[0.0, 1.0], [1.0, 0.0]]))
    for g in ss.Cube().elements:
        assert np.array_equal(images(g)[opposite], opposite[images(g)])


def test_rubiks_cube_rotates_faces():
    for rotation in ss.RubiksCube().discrete_generators:
        assert np.trace(rotation) == 48 - 20
        assert np.array_equal(np.linalg.matrix_power(rotation, 4), np.eye(48))
    g = ss.RubiksCube().sample(200)
    assert all(is_permutation(h) for h in g)
    assert (
        1.5 < np.trace(g, axis1=1, axis2=2).mean() < 2.6
    )  # two orbits, corners and edges: two fixed points on average


def test_trivial():
    assert np.array_equal(ss.Trivial(3).sample(2), np.tile(np.eye(3), (2, 1, 1)))
    assert ss.Trivial(3).is_permutation
    assert ss.Trivial(3).is_orthogonal


@pytest.mark.parametrize("n", [101, 1_000, 999_983, 1_000_000_000])
def test_rotations_by_tiny_angles_differ_from_the_identity(n):
    assert ss.equivariant_maps("V", "V", ss.C(n)).dim == 2
    assert ss.equivariant_maps("T(2)", "V", ss.D(n)).dim == 0
    assert ss.C(n).order == n


def test_a_large_group_of_rotations_is_generated_whole():
    rotation = ss.C(120).discrete_generators[0]
    powers = np.cumsum([np.arctan2(rotation[1, 0], rotation[0, 0])] * 120)
    assert len(np.unique(np.round(powers % (2 * np.pi) * 120 / (2 * np.pi)) % 120)) == 120


@pytest.mark.parametrize(
    "text", ["O(1000)", "O(300)", "O(100000)", "SL(400)", "U(200)", "S(50000)", "Translation(1000)"]
)
def test_groups_that_would_fill_the_memory_are_refused(text):
    with pytest.raises(InputError, match=r"generators of .* would take about .* GB; .* is the largest"):
        ss.group(text)


@pytest.mark.parametrize(("text", "dim"), [("C(1000000000)", 2), ("D(1000000000)", 1), ("C(999999937)", 2)])
def test_huge_cyclic_groups_have_the_right_maps(text, dim):
    assert ss.equivariant_maps("V", "V", text).dim == dim


def test_closure_of_a_rotation():
    rotations = closure(ss.C(4).discrete_generators)
    assert len(rotations) == 4
    assert np.array_equal(rotations[0], np.eye(2))


def test_closure_of_nothing_is_the_identity():
    assert np.array_equal(closure(np.zeros((0, 3, 3)), 3), np.eye(3)[None])


def test_closure_stops_at_the_limit():
    c, s = math.cos(math.sqrt(2)), math.sin(math.sqrt(2))
    assert closure(np.array([[[c, -s], [s, c]]])) is None


def test_images():
    g = np.eye(4)[:, [2, 0, 3, 1]]
    assert np.array_equal(images(g), [2, 0, 3, 1])
    assert np.array_equal(g @ np.eye(4)[0], np.eye(4)[2])


@pytest.mark.parametrize("matrix", [-np.eye(2), np.ones((2, 2)), 0.5 * np.eye(2), [[1, 1], [0, 0]], [[1, 0], [1, 0]]])
def test_not_a_permutation(matrix):
    assert not is_permutation(np.array(matrix, dtype=float))


def test_uniform_permutations_reach_every_element_equally():
    generators = ss.A(4).discrete_generators
    g = uniform_permutations(generators, 12 * 100, np.random.default_rng(0))
    _, counts = np.unique([tuple(images(h)) for h in g], axis=0, return_counts=True)
    assert len(counts) == 12 == permutation_group(generators).order()
    assert ((counts - 100) ** 2 / 100).sum() < 11 + 5 * math.sqrt(22)


def test_too_many_elements_are_not_listed():
    with pytest.raises(InputError, match=r"S\(8\) has more than 10000 elements; they are not listed, only sampled"):
        _ = ss.S(8).elements


@pytest.mark.parametrize("generator", [[[0.5]], [[2.0]], [[1.0, 1.0], [0.0, 1.0]], [[2.0, 0.0], [0.0, 0.5]]])
def test_infinite_discrete_groups_are_not_called_finite(generator):
    G = ss.Group.from_generators(discrete=[generator])
    assert not G.is_finite


def test_an_infinite_discrete_group_has_the_right_invariants():
    rotate = np.linalg.qr(np.random.default_rng(0).standard_normal((6, 6)))[0]
    G = ss.Group.from_generators(discrete=[rotate @ np.diag([0.5] * 5 + [1.0]) @ rotate.T])
    assert ss.invariants("T(2)", G).dim == 1


def test_a_list_of_large_elements_is_not_made(monkeypatch):
    """A few elements of a large space fill the memory, long before ten thousand of them."""
    monkeypatch.setattr(elements, "MAX_ENTRIES", 1_000_000)
    assert closure(ss.S(50).discrete_generators) is None
    with pytest.raises(InputError, match=r"Z\(120\) has more than 69 elements"):
        _ = ss.Z(120).elements
