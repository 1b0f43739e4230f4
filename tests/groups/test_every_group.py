"""Properties of all groups: values, text, samples, orders."""

import copy
import math

import numpy as np
import pytest

import softsym as ss
from softsym.groups import CATALOGUE
from softsym.groups.sampling import is_permutation
from tests.catalogue import FINITE, GROUPS, ORTHOGONAL, SIMPLE, each

every = each(GROUPS)
finite = each(FINITE)


def test_the_registry_has_every_constructor():
    assert {text.split("(")[0] for text in SIMPLE} == set(CATALOGUE)


@every
def test_text_reads_back(G):
    again = ss.group(str(G))
    assert again == G
    assert hash(again) == hash(G)
    assert str(again) == str(G)
    assert again.part_dims == G.part_dims


@every
def test_a_group_read_back_draws_the_same_elements(G):
    assert np.array_equal(ss.group(str(G)).sample(3, seed=5), G.sample(3, seed=5))


@every
def test_sizes_agree(G):
    d = G.dim
    assert d == math.prod(G.part_dims)
    assert G.lie_algebra.shape == (len(G.lie), d, d)
    assert G.discrete_generators.shape == (len(G.discrete), d, d)
    for n in (0, 1, 4):
        assert G.sample(n).shape == (n, d, d)
        assert [part.shape for part in G.sample_parts(n)] == [(n, p, p) for p in G.part_dims]


@every
def test_samples_depend_on_the_seed_alone(G):
    first = G.sample(20, seed=1)
    G.sample(3, seed=9)
    assert np.array_equal(first, G.sample(20, seed=1))
    assert np.array_equal(first, G.sample(20, np.random.default_rng(1)))
    if G.order != 1:
        assert not np.array_equal(first, G.sample(20, seed=2))


@every
def test_samples_are_the_kronecker_product_of_their_parts(G):
    expected = [np.eye(1)] * 3
    for part in G.sample_parts(3, seed=4):
        expected = [np.kron(a, b) for a, b in zip(expected, part, strict=True)]
    assert np.allclose(G.sample(3, seed=4), expected, atol=1e-14)


@every
def test_samples_are_well_conditioned(G):
    g = G.sample(50)
    assert np.isfinite(g).all()
    assert np.linalg.cond(g).max() < 1e3


@every
def test_is_orthogonal_and_is_permutation_say_what_samples_show(G):
    g = G.sample(20)
    if G.is_orthogonal:
        assert np.allclose(g @ g.swapaxes(1, 2), np.eye(G.dim), atol=1e-12)
    if G.is_permutation:
        assert all(is_permutation(matrix) for matrix in g.round(12))


@pytest.mark.parametrize(
    "name", ["SL(2)", "GL(2)", "Scaling(3)", "Sp(1)", "Lorentz()", "SE(2)", "Translation(1)", "shear", "skew swap"]
)
def test_not_orthogonal(name):
    assert not GROUPS[name].is_orthogonal


@every
def test_generators_are_read_only(G):
    for matrices in (G.lie_algebra, G.discrete_generators):
        if matrices.size:
            with pytest.raises(ValueError, match="read-only"):
                matrices[0, 0, 0] = 7.0


@finite
def test_order_counts_the_elements_which_are_closed(G):
    listed = {_key(g) for g in G.elements}
    assert len(listed) == len(G.elements)
    assert np.array_equal(G.elements[0], np.eye(G.dim))
    assert {_key(a @ b) for a in G.elements for b in G.elements[:8]} == listed
    assert {_key(np.linalg.inv(g)) for g in G.elements} == listed
    assert {_key(g) for g in G.sample(20)} <= listed


@finite
def test_finite_groups_are_drawn_uniformly(G):
    n = 60 * len(G.elements)
    _, counts = np.unique([_key(g) for g in G.sample(n, seed=3)], return_counts=True)
    assert len(counts) == len(G.elements)
    freedom = len(counts) - 1
    assert ((counts - 60) ** 2 / 60).sum() <= freedom + 5 * math.sqrt(2 * freedom)


@each({text: G for text, G in ORTHOGONAL.items() if G.dim <= 5})
def test_compact_groups_are_drawn_from_haar_measure(G):
    n = 3000
    g = G.sample(n, seed=2)
    Q = ss.invariants("T(2)", G).basis()
    squares = np.einsum("nij,nkl->ikjl", g, g).reshape(G.dim**2, G.dim**2) / n
    assert np.abs(squares - Q @ Q.T).max() < 5 / math.sqrt(n)
    R = ss.invariants("V", G).basis()
    assert np.abs(g.mean(0) - R @ R.T).max() < 5 / math.sqrt(n)


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("O(1)", 2),
        ("SO(1)", 1),
        ("S(5)", 120),
        ("A(5)", 60),
        ("A(2)", 1),
        ("Z(7)", 7),
        ("C(6)", 6),
        ("D(5)", 10),
        ("D(1)", 2),
        ("Cube()", 24),
        ("Octahedral()", 24),
        ("Icosahedral()", 60),
        ("Trivial(4)", 1),
        ("RubiksCube()", 43_252_003_274_489_856_000),
        ("C(2) | C(3)", 6),
        ("Z(4) | A(4)", 24),
        ("S(3) * S(2)", 12),
        ("S(20)", math.factorial(20)),
        ("Z(20) | S(20)", math.factorial(20)),
        ("SO(2)", math.inf),
        ("C(4)@x | C(4)@z", 24),
        ("C(4)@x", 4),
        ("C(4)@x | C(5)@z", None),
    ],
)
def test_orders(text, order):
    G = ss.group(text)
    assert G.order == order
    assert G.is_finite == (order not in (None, math.inf))


def test_rubiks_cube_counts_itself():
    rotations = ss.RubiksCube().discrete_generators
    assert ss.Group.from_generators(discrete=rotations).order == 43_252_003_274_489_856_000


def test_groups_differ_by_generators_not_by_text():
    assert ss.O(3) != ss.SO(3)
    assert ss.O(2).about("x") != ss.O(2).about("y")
    assert ss.SO(3) != "SO(3)"
    assert ss.Group.from_generators(lie_algebra=ss.SO(3).lie_algebra, name="mine") == ss.SO(3)
    assert len({ss.SO(3), ss.group("SO(3)"), copy.copy(ss.SO(3))}) == 1


def _key(matrix: np.ndarray) -> bytes:
    return (np.round(matrix, 6) + 0.0).tobytes()
