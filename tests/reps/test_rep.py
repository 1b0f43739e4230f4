"""Properties of representations under the groups of the catalogue; sums, products and pieces."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import softsym as ss
from softsym.errors import InputError
from softsym.reps import Segment, TensorType
from softsym.reps.rep import cut, equal_part
from tests.catalogue import GROUPS, each, elements, reps_of
from tests.twin import exponential, generator_parts

every = each(GROUPS)
TERMS = ["S", "V", "V'", "T(2)", "T(1,2)", "V[0]", "V[1]'", "Grid(2,3)"]
products = st.recursive(
    st.sampled_from([ss.rep(text) for text in TERMS]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda p: p[0] + p[1]),
        st.tuples(inner, inner).map(lambda p: p[0] * p[1]),
        st.tuples(st.integers(0, 4), inner).map(lambda p: p[0] * p[1]),
        inner.map(lambda r: r.dual),
    ),
    max_leaves=5,
)


@every
def test_homomorphism(G):
    g, h = elements(G, 3, seed=1), elements(G, 3, seed=2)
    gh = tuple(a @ b for a, b in zip(g, h, strict=True))
    for rep in reps_of(G):
        product = rep.rho(G, g) @ rep.rho(G, h)
        assert product.shape == (3, rep.size(G), rep.size(G))
        assert np.allclose(rep.rho(G, gh), product, atol=1e-9, rtol=1e-9), rep


@every
def test_inverse_and_identity(G):
    g = elements(G, 3)
    inverse = tuple(np.linalg.inv(part) for part in g)
    for rep in reps_of(G):
        n = rep.size(G)
        assert np.allclose(rep.rho(G, inverse) @ rep.rho(G, g), np.eye(n), atol=1e-8), rep
        assert np.array_equal(rep.rho(G, tuple(np.eye(d) for d in G.part_dims)), np.eye(n))


@every
def test_dual_is_the_inverse_transpose(G):
    g = elements(G, 3)
    for rep in reps_of(G):
        assert np.allclose(rep.dual.rho(G, g).swapaxes(1, 2) @ rep.rho(G, g), np.eye(rep.size(G)), atol=1e-8), rep
        assert rep.dual.size(G) == rep.size(G)
        assert rep.dual.dual == rep


@every
def test_drho_is_the_derivative_of_rho(G):
    t = 1e-5
    for A in generator_parts(G, discrete=False):
        for rep in reps_of(G, limit=40):
            if "Grid" in str(rep) or "Points" in str(rep):
                continue
            slope = (rep.rho(G, exponential(A, t)) - rep.rho(G, exponential(A, -t))) / (2 * t)
            assert np.allclose(rep.drho(G, A), slope, atol=1e-7), rep


@every
def test_drho_of_the_dual_is_minus_the_transpose(G):
    for A in generator_parts(G, discrete=False):
        for rep in reps_of(G, limit=40):
            assert np.array_equal(rep.dual.drho(G, A) + 0.0, -rep.drho(G, A).swapaxes(-1, -2) + 0.0)


@every
def test_sizes_segments_and_text(G):
    for rep in reps_of(G):
        assert ss.rep(str(rep)) == rep
        segments = rep.segments(G)
        assert sum(s.copies * s.size for s in segments) == rep.size(G)
        assert [s.start for s in segments] == [0, *(s.stop for s in segments)][: len(segments)]
        assert rep.rho(G, elements(G, 2)).shape[-1] == rep.size(G)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(products)
def test_any_representation_reads_back(rep):
    again = ss.rep(str(rep))
    assert again == rep
    assert hash(again) == hash(rep)
    assert str(again) == str(rep)


@settings(derandomize=True, deadline=None, max_examples=60)
@given(products, products)
def test_sizes_add_and_multiply(a, b):
    G = ss.C(2) * ss.Z(1)
    assert (a + b).size(G) == a.size(G) + b.size(G)
    assert (a * b).size(G) == a.size(G) * b.size(G)
    assert (3 * a).size(G) == 3 * a.size(G)


def test_sum_is_block_diagonal_in_the_order_written():
    G, g = ss.O(3), ss.O(3).sample(1)[0]
    rho = ss.rep("V + 2S + T(2) + V").rho(G, g)
    expected = np.zeros((17, 17))
    expected[:3, :3] = expected[14:, 14:] = g
    expected[3:5, 3:5] = np.eye(2)
    expected[5:14, 5:14] = np.kron(g, g)
    assert np.array_equal(rho, expected)


def test_product_is_kronecker_with_the_left_factor_outermost():
    G, g = ss.SL(2), ss.SL(2).sample(1)[0]
    assert np.allclose(ss.rep("V*V'").rho(G, g), np.kron(g, np.linalg.inv(g).T))
    assert np.allclose(ss.rep("V'*V").rho(G, g), np.kron(np.linalg.inv(g).T, g))
    assert ss.rep("V*V'") != ss.rep("V'*V")


def test_parts_of_a_product_group():
    G = ss.SO(3) * ss.S(5)
    g = tuple(part[0] for part in G.sample_parts(1, seed=3))
    assert np.allclose(ss.rep("V[0]*V[1]").rho(G, g), ss.Vector.rho(G, g))
    assert np.allclose(ss.rep("V[1]").rho(G, g), g[1])
    assert ss.rep("V[0] + V[1]").size(G) == 8


def test_the_same_representation_under_several_groups():
    rep = ss.rep("5S + 5V")
    assert [rep.size(G) for G in ("O(3)", "O(2)@z", "O(2)", "Lorentz()")] == [20, 20, 15, 25]


def test_algebra():
    assert 5 * ss.Scalar + 5 * ss.Vector == ss.rep("5S + 5V")
    assert ss.Vector * ss.Vector == ss.T(2)
    assert ss.Vector * 3 == 3 * ss.Vector == ss.Vector + ss.Vector + ss.Vector
    assert 2 * (ss.Scalar + ss.Vector) == ss.rep("S + V + S + V")
    assert (ss.Scalar + ss.Vector) * ss.Vector == ss.rep("V + T(2)")
    assert 0 * ss.Vector == ss.rep("0")
    assert ss.T(0) == ss.Scalar
    assert ss.T(1) == ss.Vector
    assert ss.T(0, 1) == ss.Vector.dual
    assert len({ss.T(2), ss.rep("T(2)"), ss.rep("V*V")}) == 1


def test_shown_as_text():
    assert repr(ss.T(2, 1) + 2 * ss.Vector.dual) == "T(2,1) + 2V'"
    assert list(ss.rep("2S + V")) == [(2, TensorType()), (1, ss.Vector.terms[0][1])]
    assert ss.rep("S + 2V").segments("O(3)")[1] == Segment(1, 2, ss.Vector.terms[0][1], 3)


def test_canonical_types_drop_duals_only_for_orthogonal_groups():
    tensor_type = ss.rep("V'*V").terms[0][1]
    assert str(tensor_type.canonical([ss.O(3)])[0]) == "T(2)"
    canonical, order = tensor_type.canonical([ss.SL(3)])
    assert (str(canonical), order) == ("T(1,1)", (1, 0))
    assert str(tensor_type.canonical([ss.O(3), ss.Scaling(3)])[0]) == "T(1,1)"


def test_refusals():
    with pytest.raises(InputError, match=r"T\(p, q\) needs p, q >= 0, got T\(-1, 0\)"):
        ss.T(-1)
    with pytest.raises(InputError, match="cannot take -2 copies of V"):
        -2 * ss.Vector
    with pytest.raises(TypeError):
        1.5 * ss.Vector
    with pytest.raises(TypeError):
        ss.Vector + 1


def test_negative_parts_are_refused():
    with pytest.raises(InputError, match="-1"):
        ss.reps.part_vector(-1)


@pytest.mark.parametrize("text", ["*".join(["V"] * 80_000), "T(100000000)", "T(999999999999)", "T(40)*T(40)"])
def test_tensors_of_more_indices_than_possible_are_refused_at_once(text):
    with pytest.raises(InputError, match=r"a tensor of [\d,]+ indices has too many; at most 64 are possible"):
        ss.rep(text)


@pytest.mark.parametrize("text", ["100000000(S + V)", "999999999999(S + V)", "1000(S + V)*(1000(S + V))"])
def test_terms_that_would_fill_the_memory_are_refused(text):
    with pytest.raises(InputError, match=r"a representation of [\d,]+ terms has too many; at most 200,000"):
        ss.rep(text)
    assert len(ss.rep("999999999999V").terms) == 1


def test_pieces_put_together_are_the_whole():
    rep = ss.rep("2S + 3V + T(2) + S")
    pieces = cut(rep, [1, 4, 6, 10], ss.O(3))
    assert [str(piece) for piece in pieces] == ["S", "S + V", "2V", "T(2) + S"]
    assert sum(pieces, ss.Rep(())) == rep


def test_no_cut_through_a_vector():
    with pytest.raises(InputError, match=r"2V cannot be cut there: V has 3 coordinates"):
        cut(ss.rep("2V"), [4, 2], ss.O(3))
    with pytest.raises(InputError, match=r"V has 3 coordinates, which are not 1 \+ 1"):
        cut(ss.rep("V"), [1, 1], ss.O(3))


def test_equal_parts():
    assert equal_part(ss.rep("6V"), 3, ss.O(3)) == ss.rep("2V")
    for rep, parts in (("S + V", 2), ("2S + 2V", 2), ("V", 2)):
        with pytest.raises(InputError):
            equal_part(ss.rep(rep), parts, ss.O(3))
