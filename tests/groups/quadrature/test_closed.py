import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.groups.quadrature import LIMIT, closed_set
from softsym.spaces import invariants
from tests.catalogue import GROUPS

COMPACT = {
    text: G for text, G in GROUPS.items() if (G.is_orthogonal or G.is_finite) and G.dim <= 6 and text != "RubiksCube()"
}  # fmt: skip
MORE = [
    "SO(5)",
    "O(5)",
    "SO(2)@4[0,1] | SO(2)@4[2,3]",
    "O(3)@5[0,1,2]",
    "O(2)@x | O(2)@y | O(2)@z",
    "SO(3) | Octahedral()",
    "U(2)",
]
COMPACT |= {text: ss.group(text) for text in MORE}


def whole(closed):
    matrices = closed.parts[0]
    for part in closed.parts[1:]:
        matrices = np.stack([np.kron(a, b) for a, b in zip(matrices, part, strict=True)])
    return matrices


def turned(G, M, name="turned"):
    back = np.linalg.inv(M)
    return ss.Group.from_generators(M @ G.lie_algebra @ back, M @ G.discrete_generators @ back, name=name)


@pytest.mark.parametrize("G", COMPACT.values(), ids=COMPACT)
def test_is_a_group_of_elements_of_the_group(G):
    closed = closed_set(G)
    elements = whole(closed)
    assert np.allclose(elements[0], np.eye(G.dim))
    rng = np.random.default_rng(0)
    a, b = elements[rng.integers(len(elements), size=(2, 50))]
    flat = elements.reshape(len(elements), -1)
    for product in a @ b:
        assert np.abs(flat - product.ravel()).max(1).min() < 1e-8
    # Elements of G keep what G keeps.
    for p in (1, 2, 3):
        if G.dim**p <= 200:
            kept = invariants(ss.T(p), G).basis()
            moved = ss.T(p).rho(ss.Trivial(G.dim), elements) @ kept
            assert np.abs(moved - kept).max(initial=0.0) < 1e-7


@pytest.mark.parametrize("G", COMPACT.values(), ids=COMPACT)
def test_averages_are_exact_up_to_the_degree_it_states(G):
    """The mean of the character's p-th power counts invariants of T(p): those of the set are those of the group."""
    closed = closed_set(G)
    character = np.prod([np.einsum("qii->q", part) for part in closed.parts], axis=0)
    for p in range(1, 8):
        if p > closed.degree or G.dim**p > 300:
            break
        assert np.mean(character**p) == pytest.approx(invariants(ss.T(p), G).dim, abs=1e-6)


def test_the_average_is_the_projector_onto_invariants():
    elements = whole(closed_set(ss.SO(3)))
    average = ss.T(4).rho("SO(3)", elements).mean(0)
    basis = invariants("T(4)", "SO(3)").basis()
    assert np.allclose(average, basis @ basis.T, atol=1e-9)


def test_beyond_the_degree_it_is_not_exact():
    character = np.einsum("qii->q", closed_set(ss.SO(3)).parts[0])
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
    closed = closed_set(ss.group(text))
    assert (len(closed), closed.degree) == (size, degree)


def test_a_higher_degree_takes_a_larger_polygon():
    assert len(closed_set(ss.SO(2), degree=11)) == 12


@pytest.mark.parametrize("text", ["SO(3)", "O(3)", "O(2)@z", "SO(2)@x", "C(4)@x"])
def test_conjugates_are_recognised(text):
    G = ss.group(text)
    closed = closed_set(G)
    rotation = ss.SO(3).sample(1, seed=3)[0]
    skew = rotation @ np.diag([1.0, 2.0, 0.5])
    for M in (rotation, skew):
        again = closed_set(turned(G, M))
        assert (len(again), again.degree) == (len(closed), closed.degree)
        forms = np.linalg.inv(M).T @ np.linalg.inv(M)  # what M O(3) M^-1 keeps
        g = again.parts[0]
        assert np.allclose(g.swapaxes(1, 2) @ forms @ g, forms, atol=1e-8)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SL(2)", "SL\\(2\\) has no closed set to average over: it is not compact"),
        ("Scaling(3)", "it is not compact"),
        ("Translation(2)", "it is not compact"),
        ("SU(3)", "no finite subgroup is known for its simple part of dimension 8"),
        ("RubiksCube()", f"elements are more than {LIMIT}"),
        ("S(7)", "5040 elements are more than"),
        ("O(60)", "signs and shifts of 60 axes are"),
    ],
)
def test_refusals(text, reason):
    with pytest.raises(InputError, match=reason):
        closed_set(ss.group(text))


def test_a_winding_of_the_torus_is_refused():
    A = np.zeros((4, 4))
    A[0, 1], A[2, 3] = -1.0, -np.sqrt(2)
    with pytest.raises(InputError, match="no common multiple"):
        closed_set(ss.Group.from_generators([A - A.T], name="winding"))
