"""Finite subgroups as quadrature rules: the whole group, its Lie algebra, the factors, discrete generators."""

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.groups import finite_subgroup as rules
from softsym.groups.finite_subgroup import MAX_ORDER, UnknownSubgroupError, finite_subgroup
from softsym.groups.sampling import close_algebra, closure
from softsym.spaces import invariants
from tests.catalogue import GROUPS, each

COMPACT = {text: G for text, G in GROUPS.items() if (G.is_orthogonal or G.is_finite) and G.dim <= 6}
MORE = "SO(5); O(5); SO(2)@4[0,1] | SO(2)@4[2,3]; O(3)@5[0,1,2]; O(2)@x | O(2)@y | O(2)@z; SO(3) | Octahedral(); U(2)"
COMPACT |= {text: ss.group(text) for text in MORE.split("; ")}
every = each(COMPACT, always=("SO(4)", "SO(5)", "SO(2)@4[0,1] | SO(2)@4[2,3]", "U(2)"))


def whole(subgroup):
    matrices = subgroup.parts[0]
    for part in subgroup.parts[1:]:
        matrices = np.stack([np.kron(a, b) for a, b in zip(matrices, part, strict=True)])
    return matrices


def conjugate(G, M, name="conjugate"):
    back = np.linalg.inv(M)
    return ss.Group.from_generators(M @ G.lie_algebra @ back, M @ G.discrete_generators @ back, name=name)


@every
def test_the_elements_form_a_group_and_lie_in_the_group(G):
    subgroup = finite_subgroup(G)
    elements = whole(subgroup)
    assert np.allclose(elements[0], np.eye(G.dim))
    rng = np.random.default_rng(0)
    a, b = elements[rng.integers(len(elements), size=(2, 50))]
    flat = elements.reshape(len(elements), -1)
    for product in a @ b:
        assert np.abs(flat - product.ravel()).max(1).min() < 1e-8
    # Elements of G leave the invariants of G alone.
    for p in (1, 2, 3):
        if G.dim**p <= 200:
            basis = invariants(ss.T(p), G).basis()
            transformed = ss.T(p).rho(ss.Trivial(G.dim), elements) @ basis
            assert np.abs(transformed - basis).max(initial=0.0) < 1e-7


@every
def test_averages_are_exact_up_to_the_stated_degree(G):
    """The mean of the character's p-th power counts invariants of T(p): those of the subgroup are those of the group."""
    subgroup = finite_subgroup(G)
    character = np.prod([np.einsum("qii->q", part) for part in subgroup.parts], axis=0)
    for p in range(1, 8):
        if p > subgroup.degree or G.dim**p > 300:
            break
        assert np.mean(character**p) == pytest.approx(invariants(ss.T(p), G).dim, abs=1e-6)


def test_the_average_is_the_projector_onto_invariants():
    elements = whole(finite_subgroup(ss.SO(3)))
    average = ss.T(4).rho("SO(3)", elements).mean(0)
    basis = invariants("T(4)", "SO(3)").basis()
    assert np.allclose(average, basis @ basis.T, atol=1e-9)


def test_averages_beyond_the_degree_are_not_exact():
    character = np.einsum("qii->q", finite_subgroup(ss.SO(3)).parts[0])
    assert round(np.mean(character**6)) == invariants("T(6)", "SO(3)").dim + 1


@pytest.mark.parametrize(
    ("text", "size", "degree"),
    [
        ("SO(2)", 8, 7),
        ("O(3)", 120, 5),
        ("SU(2)", 24, 5),
        ("SO(4)", 288, 5),
        ("O(4)", 576, 5),
        ("S(5)", 120, np.inf),
        ("SO(5)", 80, 3),
    ],
)
def test_sizes(text, size, degree):
    subgroup = finite_subgroup(ss.group(text))
    assert (len(subgroup), subgroup.degree) == (size, degree)


@pytest.mark.parametrize("text", ["SO(3)", "O(3)", "O(2)@z", "SO(2)@x", "C(4)@x"])
def test_conjugates_are_recognised(text):
    G = ss.group(text)
    subgroup = finite_subgroup(G)
    rotation = ss.SO(3).sample(1, seed=3)[0]
    skew = rotation @ np.diag([1.0, 2.0, 0.5])
    for M in (rotation, skew):
        again = finite_subgroup(conjugate(G, M))
        assert (len(again), again.degree) == (len(subgroup), subgroup.degree)
        forms = np.linalg.inv(M).T @ np.linalg.inv(M)  # the form that M O(3) M^-1 preserves
        g = again.parts[0]
        assert np.allclose(g.swapaxes(1, 2) @ forms @ g, forms, atol=1e-8)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SL(2)", "SL\\(2\\) has no known finite subgroup to average over: it is not compact"),
        ("Scaling(3)", "it is not compact"),
        ("Translation(2)", "it is not compact"),
        ("SU(3)", "no finite subgroup is known for its simple part of dimension 8"),
        ("RubiksCube()", f"elements are more than {MAX_ORDER}"),
        ("S(7)", "5040 elements are more than"),
        ("O(60)", "signs and shifts of 60 axes are"),
    ],
)
def test_refusals(text, reason):
    with pytest.raises(InputError, match=reason):
        finite_subgroup(ss.group(text))


def test_a_winding_of_the_torus_is_refused():
    A = np.zeros((4, 4))
    A[0, 1], A[2, 3] = -1.0, -np.sqrt(2)
    with pytest.raises(InputError, match="no common multiple"):
        finite_subgroup(ss.Group.from_generators([A - A.T], name="winding"))


def test_an_orthogonal_basis_of_a_conjugated_group():
    M = np.array([[2.0, 1.0], [0.0, 1.0]])
    A = M @ ss.SO(2).lie_algebra[0] @ np.linalg.inv(M)
    basis = rules.orthogonal_basis([A], [])
    rotation = basis @ A @ np.linalg.inv(basis)
    assert np.allclose(rotation, -rotation.T)
    with pytest.raises(UnknownSubgroupError, match="not compact"):
        rules.orthogonal_basis(list(ss.SL(2).lie_algebra), [])


def test_rotations_about_two_axes_generate_all():
    x, y = (ss.group(f"SO(2)@{axis}").lie_algebra[0] for axis in "xy")
    assert len(close_algebra([x, y], [])) == 3
    assert len(close_algebra([x], [ss.group("C(4)@y").discrete_generators[0]])) == 3


def test_centre_and_simple_ideals():
    centre, ideals = rules.decompose_algebra(close_algebra(list(ss.SO(4).lie_algebra), []))
    assert (len(centre), [len(ideal) for ideal in ideals]) == (0, [3, 3])
    centre, ideals = rules.decompose_algebra(close_algebra(list(ss.U(2).lie_algebra), []))
    assert (len(centre), [len(ideal) for ideal in ideals]) == (1, [3])
    assert len(rules.circle_generators(centre, list(ss.U(2).lie_algebra))) == 1


def test_triples_have_the_brackets_of_rotations():
    (J,) = rules.decompose_algebra(close_algebra(list(ss.SO(3).lie_algebra), []))[1]
    J = rules.so3_triple(J)
    assert np.allclose(J[0] @ J[1] - J[1] @ J[0], J[2])
    assert np.allclose(J[1] @ J[2] - J[2] @ J[1], J[0])


def test_axes_of_all_rotations_of_a_space():
    (ideal,) = rules.decompose_algebra(close_algebra(list(ss.SO(5).lie_algebra), []))[1]
    assert np.allclose(rules.rotated_axes(ideal).T @ rules.rotated_axes(ideal), np.eye(5))
    (ideal,) = rules.decompose_algebra(close_algebra(list(ss.SU(3).lie_algebra), []))[1]
    with pytest.raises(UnknownSubgroupError, match="no finite subgroup is known for its simple part of dimension 8"):
        rules.rotated_axes(ideal)


def test_a_polygon_returns_to_the_identity():
    factor = rules.polygon(ss.SO(2).lie_algebra[0])
    assert factor.degree == 7.0
    assert np.allclose(np.linalg.matrix_power(factor.generators[0], 8), np.eye(2))


def test_frequencies_without_common_multiple():
    A = np.zeros((4, 4))
    A[0, 1], A[1, 0], A[2, 3], A[3, 2] = -1, 1, -np.sqrt(2), np.sqrt(2)
    with pytest.raises(UnknownSubgroupError, match="no common multiple"):
        rules.polygon(A)


@pytest.mark.parametrize(("G", "order"), [(ss.SU(2), 24), (ss.SO(3), 60)])  # double cover of a tetrahedron, icosahedron
def test_the_smallest_polyhedron_that_is_exact(G, order):
    (ideal,) = rules.decompose_algebra(close_algebra(list(G.lie_algebra), []))[1]
    factor = rules.polyhedron(rules.so3_triple(ideal))
    assert len(closure(np.array(factor.generators), G.dim)) == order


def test_signed_cycles_are_rotations():
    generators = np.array(rules.signed_cycles(np.eye(5)).generators)
    assert np.allclose(np.linalg.det(generators), 1)
    assert len(closure(generators, 5)) == 80


def test_a_rotation_lies_in_the_identity_component_and_a_reflection_does_not():
    algebra = close_algebra(list(ss.SO(3).lie_algebra), [])
    rotation = ss.SO(3).sample(1, seed=0)[0]
    assert rules.is_in_identity_component(rotation, algebra)
    assert not rules.is_in_identity_component(np.diag([1.0, 1.0, -1.0]), algebra)


def test_the_coset_representative_of_a_reflection_preserves_the_basis():
    (ideal,) = rules.decompose_algebra(close_algebra(list(ss.SO(3).lie_algebra), []))[1]
    J = rules.so3_triple(ideal)
    reflection = ss.SO(3).sample(1, seed=1)[0] @ np.diag([1.0, 1.0, -1.0])
    representative = rules.coset_representative(reflection, [J], [])
    assert np.allclose(rules.coordinates(representative @ J @ np.linalg.inv(representative), J), np.eye(3), atol=1e-8)
    assert np.allclose(representative, -np.eye(3), atol=1e-8)
