"""Building groups from generators and from other groups, in another basis; what is refused."""

import ast
import importlib

import numpy as np
import pytest

import softsym as ss
from softsym.arrays import freeze
from softsym.errors import InputError
from softsym.groups.group import read_generators
from softsym.groups.sampling import batched_kron

basis = importlib.import_module("softsym.groups.group")  # `softsym.groups.group` is the function, too
NAN = float("nan")
RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"lie_algebra": [np.eye(2), np.eye(3)]}, r"generators of group 'bad' have different sizes \(2, 3\)"),
        ({"lie_algebra": [np.eye(2)], "discrete": [np.eye(3)]}, r"have different sizes \(2, 3\); all must be d x d"),
        ({"lie_algebra": [np.ones((2, 3))]}, r"`lie_algebra\[0\]` has shape \(2, 3\); generators must be square"),
        ({"discrete": [np.eye(2), np.ones((3, 2))]}, r"`discrete\[1\]` has shape \(3, 2\); generators must be square"),
        ({"discrete": np.eye(2)}, r"`discrete\[0\]` has shape \(2,\); generators must be square"),
        ({"lie_algebra": [[[0, NAN], [0, 0]]]}, r"`lie_algebra\[0\]` contains NaN or infinity"),
        ({"discrete": [[[1, 0], [0, np.inf]]]}, r"`discrete\[0\]` contains NaN or infinity"),
        (
            {"discrete": [np.eye(2), np.ones((2, 2))]},
            r"discrete generator 1 of group 'bad' is singular; it must be invertible",
        ),
        ({"discrete": [np.zeros((2, 2))]}, "discrete generator 0 of group 'bad' is singular"),
        ({}, r"group 'bad' has no generators; pass `lie_algebra` or `discrete`, or use Trivial\(d\)"),
        ({"lie_algebra": 3.0}, r"`lie_algebra` must be a list of square real matrices"),
        ({"lie_algebra": [[["a"]]]}, r"`lie_algebra` must be a list of square real matrices"),
        ({"lie_algebra": [[[1j]]]}, r"`lie_algebra` must be a list of square real matrices"),
        ({"lie_algebra": np.zeros((1, 0, 0))}, r"`lie_algebra\[0\]` has shape \(0, 0\)"),
    ],
)
def test_bad_generators(fields, message):
    with pytest.raises(InputError, match=message):
        ss.Group.from_generators(**fields, name="bad")


def test_names():
    mine = ss.Group.from_generators(discrete=[[[0, 1], [1, 0]]], name="swap")
    assert repr(mine) == mine.name == "swap"
    assert str(mine) == "Group('swap', discrete=[[[0.0, 1.0], [1.0, 0.0]]])"
    assert repr(mine.about("z")) == "swap@z"
    assert repr(mine | ss.Scaling(2)) == "swap | Scaling(2)"
    assert repr((mine | ss.SO(2)) * ss.S(3)) == "(swap | SO(2)) * S(3)"
    assert repr(ss.O(2).about("z")) == str(ss.O(2).about("z")) == "O(2)@z"


def test_a_sampler_of_ones_own():
    def only(n, rng):
        return [np.tile(-np.eye(2), (n, 1, 1))]

    assert np.array_equal(ss.Group.from_generators(discrete=[-np.eye(2)], sampler=only).sample(1)[0], -np.eye(2))


@pytest.mark.parametrize(("axis", "kept"), [("x", 0), ("y", 1), ("z", 2)])
def test_about_keeps_its_axis(axis, kept):
    G = ss.O(2).about(axis)
    assert G.dim == 3
    for matrices, fill in ((G.sample(10), 1.0), (G.discrete_generators, 1.0), (G.lie_algebra, 0.0)):
        assert np.array_equal(matrices[:, kept], np.tile(fill * np.eye(3)[kept], (len(matrices), 1)))
        assert np.array_equal(matrices[:, :, kept], np.tile(fill * np.eye(3)[kept], (len(matrices), 1)))


def test_about_refuses():
    with pytest.raises(InputError, match="unknown axis 'w'; pass 'x', 'y' or 'z'"):
        ss.O(2).about("w")
    with pytest.raises(InputError, match=r"O\(3\) acts on R\^3; .about needs a group of the plane, such as O\(2\)"):
        ss.O(3).about("z")


@pytest.mark.parametrize("axis", [(1, 2, 0), (0.1, 0.7, 0.7), (-3, 1e-3, 0), (1, 1, 1)])
def test_about_any_axis_keeps_it(axis):
    G = ss.O(2).about(axis)
    assert G.is_orthogonal
    assert np.allclose(G.sample(10) @ axis, axis, atol=1e-12)
    assert np.allclose(G.discrete_generators @ axis, axis, atol=1e-12)
    assert np.allclose(G.lie_algebra @ axis, 0.0, atol=1e-12)


def test_the_length_and_sign_of_an_axis_do_not_matter():
    assert ss.O(2).about((1, 2, 0)) == ss.O(2).about((-2, -4, 0))
    assert ss.O(2).about((0, 0, -5)) == ss.O(2).about("z")
    assert ss.O(2).about((0, 0, 5)).text == "O(2)@z"


@pytest.mark.parametrize("axis", [(1, 2), (0, 0, 0), (1, NAN, 0), (np.inf, 0, 0)])
def test_about_refuses_what_is_no_axis(axis):
    with pytest.raises(InputError, match="an axis is three finite numbers, not all zero"):
        ss.O(2).about(axis)
    with pytest.raises(InputError, match="or three numbers such as"):
        ss.O(2).about(3)


def test_conjugated_elements():
    M = np.array([[2.0, 1.0], [0.0, 1.0]])
    G = ss.O(2).conjugated(M)
    assert np.allclose(G.sample(5, seed=3), M @ ss.O(2).sample(5, seed=3) @ np.linalg.inv(M))
    assert (G.order, G.dim, G.is_orthogonal) == (ss.O(2).order, 2, False)
    assert ss.D(3).conjugated(M).order == 6
    assert repr(G).startswith("O(2)@#")
    assert ss.group(G.text) == G


def test_a_rotated_basis_preserves_order_and_orthogonality():
    M = np.linalg.qr(np.random.default_rng(0).standard_normal((4, 4)))[0]
    for text in ("SU(2)", "O(4)", "S(4)", "SO(2)@z@4[1,2,3]"):
        G = ss.group(text).conjugated(M)
        assert G.is_orthogonal
        assert G.order == ss.group(text).order
    assert ss.S(3).conjugated(np.eye(3)[[1, 2, 0]]).is_permutation


def test_products_can_be_conjugated_as_a_whole():
    G = (ss.SO(2) * ss.S(2)).conjugated(np.diag([1.0, 2.0, 1.0, 2.0]))
    assert G.part_dims == (4,)
    assert ss.group(str(G)) == G


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        (np.eye(2), r"a basis of R\^3 has shape \(3, 3\), got \(2, 2\)"),
        (np.ones((3, 3)), "a basis must be invertible and finite"),
        (np.full((3, 3), NAN), "a basis must be invertible and finite"),
        ([["a"]], "a basis is a matrix of numbers"),
    ],
)
def test_conjugated_refuses(matrix, message):
    with pytest.raises(InputError, match=message):
        ss.SO(3).conjugated(matrix)


def test_embed_respects_the_order_of_axes():
    inner = ss.group("Z(3)")
    G = inner.embed(5, (4, 0, 2))
    assert np.array_equal(G.discrete_generators[0][np.ix_([4, 0, 2], [4, 0, 2])], inner.discrete_generators[0])
    assert G.order == 3
    assert str(G) == "Z(3)@5[4,0,2]"


@pytest.mark.parametrize("axes", [(0,), (0, 0), (0, 3), (-1, 0), (0, 1, 2)])
def test_embed_refuses_bad_axes(axes):
    with pytest.raises(InputError, match=r"`axes` must be 2 different coordinates in 0..2, got"):
        ss.O(2).embed(3, axes)


def test_join():
    G = ss.SO(3) | ss.Scaling(3)
    assert (len(G.lie), G.dim, str(G)) == (4, 3, "SO(3) | Scaling(3)")
    with pytest.raises(InputError, match=r"cannot join SO\(3\) on R\^3 and SO\(2\) on R\^2"):
        ss.SO(3) | ss.SO(2)


def test_join_of_a_product_and_a_whole_has_one_part():
    assert (ss.SO(2) * ss.S(3) | ss.Scaling(6)).part_dims == (6,)
    assert (ss.SO(2) * ss.S(3) | ss.C(4) * ss.Z(3)).part_dims == (2, 3)


def test_trivial_groups_joined_keep_their_size():
    G = ss.Trivial(3) | ss.Trivial(3)
    assert G.order == 1
    assert G.sample(2).shape == (2, 3, 3)


def test_product():
    G = ss.SO(3) * ss.S(5)
    assert (G.dim, G.part_dims, len(G.lie), len(G.discrete)) == (15, (3, 5), 3, 2)
    assert np.array_equal(G.lie_algebra[0], np.kron(ss.SO(3).lie_algebra[0], np.eye(5)))
    assert np.array_equal(G.discrete_generators[1], np.kron(np.eye(3), ss.S(5).discrete_generators[1]))


def test_a_generator_that_is_slightly_off_is_not_orthogonal():
    assert not ss.Group.from_generators(lie_algebra=[[[0, -1], [1 + 5e-6, 0]]]).is_orthogonal
    assert not ss.Group.from_generators(discrete=[[[0, -1], [1 + 5e-6, 0]]]).is_orthogonal


def test_negative_samples():
    with pytest.raises(InputError, match="cannot draw -1 elements; pass n >= 0"):
        ss.O(3).sample(-1)


def test_groups_are_immutable():
    with pytest.raises(AttributeError, match="cannot assign to field"):
        ss.O(3).text = "SO(3)"


@pytest.mark.parametrize("dim", [99_999, 999_999_999])
def test_a_space_that_would_fill_the_memory_is_refused(dim):
    with pytest.raises(InputError, match=rf"the generators of O\(2\) on R\^{dim} would take about .* GB"):
        ss.group(f"O(2)@{dim}[0,1]")


def test_frozen_values_are_copies_with_equal_bytes_for_equal_values():
    values = np.array([[0.0, -0.0], [1, 2]])
    kept = freeze(values)
    assert kept.tobytes() == freeze([[0, 0], [1, 2]]).tobytes()
    values[0, 0] = 5
    assert kept[0, 0] == 0
    with pytest.raises(ValueError, match="read-only"):
        kept[0, 0] = 1


@pytest.mark.parametrize("values", [np.zeros((2, 3, 3)), [np.eye(3), np.eye(3)], [[[0, 1, 0]] * 3] * 2])
def test_generators_from_arrays_and_lists(values):
    stack = read_generators(values, "discrete")
    assert [matrix.shape for matrix in stack] == [(3, 3), (3, 3)]
    assert all(matrix.dtype == np.float64 for matrix in stack)


def test_no_generators():
    assert read_generators(None, "discrete") == read_generators([], "discrete") == []


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([np.zeros((2, 3))], r"`discrete\[0\]` has shape \(2, 3\); generators must be square"),
        ([np.eye(2), np.zeros(3)], r"`discrete\[1\]` has shape \(3,\)"),
        ([np.zeros((0, 0))], r"`discrete\[0\]` has shape \(0, 0\)"),
        ([[[1, np.nan], [0, 1]]], r"`discrete\[0\]` contains NaN or infinity"),
        (5, r"`discrete` must be a list of square real matrices, shape \(k, d, d\)"),
        ([["a"]], "`discrete` must be a list of square real matrices"),
    ],
)
def test_generators_that_are_refused(values, message):
    with pytest.raises(InputError, match=message):
        read_generators(values, "discrete")


@pytest.mark.parametrize("batch", [(), (4,), (2, 3)])
def test_kronecker_products_of_batches(batch):
    rng = np.random.default_rng(0)
    a, b = rng.standard_normal((*batch, 2, 2)), rng.standard_normal((*batch, 3, 3))
    products = batched_kron(a, b)
    assert products.shape == (*batch, 6, 6)
    for place in np.ndindex(batch):
        assert np.allclose(products[place], np.kron(a[place], b[place]))


@pytest.mark.parametrize("axis", [*RNG.standard_normal((5, 3)).tolist(), (1, 1, 1), (1e-9, 0, 1), (-1, 0.999, 0)])
def test_the_smallest_rotation_to_an_axis(axis):
    name, M = basis.rotation_to_axis(axis)
    assert basis.is_orthogonal(M)
    assert np.linalg.det(M) > 0
    direction = np.array(axis) / np.linalg.norm(axis)
    assert abs(M[:, "xyz".index(name)] @ direction) == pytest.approx(1.0, abs=1e-14)
    # The axis of the smallest rotation is perpendicular to both.
    assert np.trace(M) == pytest.approx(1 + 2 * np.abs(direction).max(), abs=1e-12)


def test_texts_read_back_exactly():
    M = RNG.standard_normal((3, 3)) * np.array([1e-5, 1.0, 1e5])
    assert np.array_equal(ast.literal_eval(ss.SO(3).conjugated(M).text.split("@")[1]), M)
    assert ast.literal_eval(basis.axis_text((1, 0.1, -1e-30))) == (1, 0.1, -1e-30)


def test_labels_distinguish_bases():
    G, M = ss.SO(3), np.eye(3)
    assert G.conjugated(M).name == G.conjugated(M.copy()).name != G.conjugated(M + 1e-9).name


def test_the_inverse_of_a_permutation_is_exact():
    M = np.eye(4)[[2, 0, 3, 1]]
    assert np.array_equal(M @ M @ basis.inverse(M), M)


def test_orthogonal_elements_stay_orthogonal_in_a_rotated_basis():
    M = np.linalg.qr(RNG.standard_normal((5, 5)))[0]
    h = np.linalg.qr(RNG.standard_normal((5, 5)))[0]
    conjugated = basis.conjugate_element(h, M)
    assert np.allclose(conjugated @ conjugated.T, np.eye(5), rtol=0, atol=1e-15)
    A = basis.conjugate_algebra(h - h.T, M)
    assert np.array_equal(A, -A.T)
