"""The factors of tensor products, and reading the elements that act on them."""

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.reps.atoms import Base, algebra_element, discrete_elements, group_element, kron_sum, lie_elements
from softsym.reps.permutation import Points


def test_parts_that_a_group_does_not_have():
    with pytest.raises(InputError, match=r"V\[1\] needs a direct product of at least 2 groups; SO\(3\) is not one"):
        ss.rep("V[1]").size("SO(3)")
    with pytest.raises(InputError, match=r"V\[2\]' needs a direct product of at least 3 groups"):
        ss.equivariant_maps("V[2]'", "S", "SO(2) * S(3)")


def test_parts_need_an_element_given_by_parts():
    G = ss.group("SO(2) * S(3)")
    with pytest.raises(
        InputError, match=r"V\[0\] needs the factors of the element: pass a tuple, as Group.sample_parts gives them"
    ):
        ss.rep("V[0]").rho(G, G.sample(1)[0])
    assert ss.rep("V").rho(G, G.sample(1)[0]).shape == (6, 6)


def test_base_atoms():
    assert Base().dual == Base(is_dual=True)
    assert Base(1).dual.dual == Base(1)
    assert Base(1, is_dual=True).without_dual() == Base(1)
    assert (str(Base()), str(Base(1, is_dual=True))) == ("V", "V[1]'")
    assert Base().is_permutation(ss.S(3))
    assert not Base().is_permutation(ss.O(3))


def test_points_are_permuted_as_the_group_maps_them():
    corners = ss.Permutation([[1, 0], [0, 1], [-1, 0], [0, -1]])
    quarter = ss.C(4).discrete_generators[0]
    assert np.array_equal(corners.rho("C(4)", quarter).argmax(0), [1, 2, 3, 0])


def test_points_off_their_set():
    corners = ss.Permutation([[1, 0], [0, 1], [-1, 0], [0, -1]])
    with pytest.raises(
        InputError, match=r"C\(3\) moves Points\(.*\) off its points; pass a set the group maps to itself"
    ):
        ss.equivariant_maps(corners, "S", "C(3)")
    with pytest.raises(InputError, match=r"C\(4\) moves Grid\(2,3\) off its points"):
        ss.equivariant_maps("Grid(2,3)", "S", "C(4)")


def test_points_that_collapse():
    with pytest.raises(InputError, match="off its points"):
        ss.Permutation([[1e-7, 0], [0, 0], [-1e-7, 0]]).rho("D(4)", np.diag([0.0, 1.0]))


def test_points_under_a_continuous_group():
    with pytest.raises(InputError, match=r"SO\(2\) moves Grid\(2,2\) continuously; points need a finite group"):
        ss.equivariant_maps("Grid(2,2)", "S", "SO(2)")
    assert ss.equivariant_maps("Grid(1,1)", "S", "SO(2)").dim == 1  # every rotation fixes the origin


def test_points_of_another_space():
    with pytest.raises(InputError, match=r"Grid\(2,2\) has points of R\^2; O\(3\) acts on R\^3"):
        ss.rep("Grid(2,2)").size("O(3)")


def test_points_are_their_own_dual_and_compare_by_place():
    grid = ss.Grid(1, 2)
    assert grid.dual == grid == ss.Permutation([[-0.5, 0], [0.5, 0]])
    atom = grid.terms[0][1].atoms[0]
    assert isinstance(atom, Points)
    assert atom.without_dual() is atom
    assert atom.drho(ss.C(2), group_element(ss.C(2), np.zeros((2, 2)))).shape == (2, 2)


@pytest.mark.parametrize("bad", [np.eye(2), np.ones(3), 1.0, np.ones((3, 2)), np.ones((4, 2, 3))])
def test_wrong_shape(bad):
    with pytest.raises(InputError, match=r"an element of O\(3\) has shape \(..., 3, 3\), got \("):
        ss.Vector.rho("O(3)", bad)
    with pytest.raises(InputError, match=r"an element of O\(3\) has shape \(..., 3, 3\), got \("):
        ss.Vector.drho("O(3)", bad)


def test_wrong_parts():
    with pytest.raises(InputError, match=r"SO\(3\) \* S\(2\) has parts of size \(3, 2\), got \[\(2, 2\), \(3, 3\)\]"):
        ss.rep("V[0]").rho("SO(3) * S(2)", (np.eye(2), np.eye(3)))
    with pytest.raises(InputError, match=r"has parts of size \(3, 2\)"):
        ss.rep("V[0]").rho("SO(3) * S(2)", (np.eye(3),))
    with pytest.raises(InputError, match=r"has parts of size \(3, 2\)"):
        ss.rep("V[0]").rho("SO(3) * S(2)", (1.0, 2.0))


def test_batches_of_any_shape():
    g = ss.O(3).sample(6).reshape(2, 3, 3, 3)
    assert ss.rep("S + T(2)").rho("O(3)", g).shape == (2, 3, 10, 10)
    assert ss.Vector.rho("O(3)", g[0, 0].tolist()).shape == (3, 3)


def test_whole_and_parts_agree():
    G = ss.group("SO(2) * S(3)")
    parts = [part[0] for part in G.sample_parts(1, seed=1)]
    assert np.allclose(group_element(G, parts).whole, np.kron(*parts))
    A, B = np.random.default_rng(0).standard_normal((2, 2)), np.random.default_rng(1).standard_normal((3, 3))
    assert np.allclose(algebra_element(G, (A, B)).whole, np.kron(A, np.eye(3)) + np.kron(np.eye(2), B))


def test_generators_as_elements():
    G = ss.group("SO(2) * S(3)")
    (A,), (h, _) = lie_elements(G), discrete_elements(G)
    assert np.array_equal(A.parts[1], np.zeros((3, 3)))
    assert np.array_equal(h.parts[0], np.eye(2))
    assert np.array_equal(h.whole, np.kron(np.eye(2), h.parts[1]))


def test_kronecker_sums():
    a, b = np.random.default_rng(0).standard_normal((2, 2)), np.random.default_rng(1).standard_normal((3, 3))
    assert np.allclose(kron_sum(a, b), np.kron(a, np.eye(3)) + np.kron(np.eye(2), b))
