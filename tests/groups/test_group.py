"""Building groups: from generators, embedded, joined, multiplied; and what is refused."""

import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError

NAN = float("nan")


@pytest.mark.parametrize(("fields", "message"), [
    ({"lie_algebra": [np.eye(2), np.eye(3)]}, r"generators of group 'bad' have different sizes \(2, 3\)"),
    ({"lie_algebra": [np.eye(2)], "discrete": [np.eye(3)]}, r"have different sizes \(2, 3\); all must be d x d"),
    ({"lie_algebra": [np.ones((2, 3))]}, r"`lie_algebra\[0\]` has shape \(2, 3\); generators must be square"),
    ({"discrete": [np.eye(2), np.ones((3, 2))]}, r"`discrete\[1\]` has shape \(3, 2\); generators must be square"),
    ({"discrete": np.eye(2)}, r"`discrete\[0\]` has shape \(2,\); generators must be square"),
    ({"lie_algebra": [[[0, NAN], [0, 0]]]}, r"`lie_algebra\[0\]` contains NaN or infinity"),
    ({"discrete": [[[1, 0], [0, np.inf]]]}, r"`discrete\[0\]` contains NaN or infinity"),
    ({"discrete": [np.eye(2), np.ones((2, 2))]}, r"discrete generator 1 of group 'bad' is singular; it must be invertible"),
    ({"discrete": [np.zeros((2, 2))]}, "discrete generator 0 of group 'bad' is singular"),
    ({}, r"group 'bad' has no generators; pass `lie_algebra` or `discrete`, or use Trivial\(d\)"),
    ({"lie_algebra": 3.0}, r"`lie_algebra` must be a list of square real matrices"),
    ({"lie_algebra": [[["a"]]]}, r"`lie_algebra` must be a list of square real matrices"),
    ({"lie_algebra": [[[1j]]]}, r"`lie_algebra` must be a list of square real matrices"),
    ({"lie_algebra": np.zeros((1, 0, 0))}, r"`lie_algebra\[0\]` has shape \(0, 0\)"),
])  # fmt: skip
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

    assert np.array_equal(
        ss.Group.from_generators(discrete=[-np.eye(2)], sampler=only).sample(1)[0], -np.eye(2)
    )


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
    with pytest.raises(
        InputError, match=r"O\(3\) acts on R\^3; .about needs a group of the plane, such as O\(2\)"
    ):
        ss.O(3).about("z")


def test_embed_respects_the_order_of_axes():
    inner = ss.group("Z(3)")
    G = inner.embed(5, (4, 0, 2))
    assert np.array_equal(
        G.discrete_generators[0][np.ix_([4, 0, 2], [4, 0, 2])], inner.discrete_generators[0]
    )
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


def test_join_of_a_product_and_a_whole_forgets_the_parts():
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
