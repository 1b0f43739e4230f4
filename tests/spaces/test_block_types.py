"""Positions of the copies of each block type in a map, and coordinate blocks of atoms."""

import numpy as np
import pytest

import softsym as ss
from softsym.reps.atoms import Base, group_element
from softsym.spaces import block_types, forget, positions
from softsym.spaces.block_types import split_atom


def flat(a, b, G):
    factors = [ss.rep(b)] if a is None else [ss.rep(b), ss.rep(a).dual]
    return positions(factors, (ss.group(G),))


@pytest.mark.parametrize("G", ["O(3)", "O(2)@z", "Scaling(3)", "S(3)", "Trivial(3)", "SL(2)@x"])
@pytest.mark.parametrize(("a", "b"), [("S + 2V", "T(2) + S"), ("V'*V", "V + V'"), (None, "2T(2) + S + V")])
def test_every_entry_lies_in_exactly_one_block(a, b, G):
    blocks = flat(a, b, G)
    n = ss.rep(b).size(G) * (1 if a is None else ss.rep(a).size(G))
    everything = np.concatenate([index.ravel() for index in blocks.values()])
    assert np.array_equal(np.sort(everything), np.arange(n))
    for tensor_type, index in blocks.items():
        assert index.shape[1] == tensor_type.size(ss.group(G))


@pytest.mark.parametrize("G", ["C(4)", "SL(2)", "SO(2)"])
def test_a_tensor_of_more_axes_is_a_map_from_their_product(G):
    """One copy of one type on each axis: then rows of the product representation run as the axes of the tensor do."""
    factors = [ss.rep(text) for text in ("2V", "V'", "T(1,1)")]
    blocks = positions(factors, (ss.group(G),))
    flat_map = positions([factors[0], factors[1] * factors[2]], (ss.group(G),))
    assert list(blocks) == list(flat_map)
    assert all(np.array_equal(blocks[tensor_type], flat_map[tensor_type]) for tensor_type in blocks)
    mixed = positions([ss.rep("S + V"), ss.rep("V' + S"), ss.rep("2S + V")], (ss.group(G),))
    everything = np.concatenate([index.ravel() for index in mixed.values()])
    assert np.array_equal(np.sort(everything), np.arange(3 * 3 * 4))


def test_blocks_of_one_type_share_it():
    blocks = flat("S + 2V", "S + V", "O(3)")
    assert {str(tensor_type): index.shape for tensor_type, index in blocks.items()} == {
        "S": (1, 1),
        "V": (3, 3),
        "T(2)": (2, 9),
    }
    assert blocks[ss.Vector.terms[0][1]].tolist() == [[1, 2, 3], [4, 5, 6], [7, 14, 21]]


def test_indices_are_put_in_canonical_order():
    ((tensor_type, index),) = flat("V", "V'", "SL(2)").items()
    assert str(tensor_type) == "T(0,2)"
    ((tensor_type, index),) = flat("V'", "V'", "SL(2)").items()
    assert str(tensor_type) == "T(1,1)"
    assert index.tolist() == [[0, 2, 1, 3]]  # the upper index is the column


def test_unwanted_types_are_left_out():
    blocks = positions([ss.rep("S + V")], (ss.O(3),), lambda tensor_type: np.arange(0 if tensor_type.rank else 1))
    assert [str(tensor_type) for tensor_type in blocks] == ["S"]


def test_types_of_too_many_blocks_are_not_split(monkeypatch):
    before = ss.equivariant_maps("T(2)", "T(2)", "O(2)@z")
    forget()
    monkeypatch.setattr(block_types, "MAX_BLOCK_TYPES", 1)
    with ss.spaces.cache_folder(None):
        after = ss.equivariant_maps("T(2)", "T(2)", "O(2)@z")
    W = np.random.default_rng(0).standard_normal((9, 9))
    assert after.dim == before.dim
    assert len(after.packed.blocks) == 1
    assert np.allclose(after.project(W), before.project(W), atol=1e-10)
    forget()


def coordinate_blocks(G, atom=None):
    split = split_atom(
        Base() if atom is None else atom, tuple(ss.group(text) for text in (G if isinstance(G, tuple) else (G,)))
    )
    acting = [tuple(coordinates.tolist()) for block, coordinates in split if block is not None]
    return acting, next((tuple(coordinates.tolist()) for block, coordinates in split if block is None), ())


def test_plane_and_axis():
    assert coordinate_blocks("O(2)@z") == ([(0, 1)], (2,))
    assert coordinate_blocks("O(2)@x") == ([(1, 2)], (0,))
    assert coordinate_blocks("O(2)@y") == ([(0, 2)], (1,))


def test_whole_and_nothing():
    assert coordinate_blocks("O(3)") == ([(0, 1, 2)], ())
    assert coordinate_blocks("Trivial(3)") == ([], (0, 1, 2))
    assert coordinate_blocks("Scaling(2)") == ([(0,), (1,)], ())


def test_several_groups_share_the_coarsest_blocks():
    assert coordinate_blocks(("O(2)@x", "O(2)@z")) == ([(0, 1, 2)], ())
    assert coordinate_blocks(("SO(2)@z", "O(2)@z")) == ([(0, 1)], (2,))


def test_parts_and_points_are_not_mixed_up():
    G = "O(2)@z * S(2)"
    assert coordinate_blocks(G, Base(part=0)) == ([(0, 1)], (2,))
    assert coordinate_blocks("C(4)", ss.Grid(1, 1).terms[0][1].atoms[0]) == ([(0,)], ())


def test_a_slice_acts_as_its_block():
    G = ss.group("SL(2)@y")
    piece, coordinates = split_atom(Base(is_dual=True), (G,))[0]
    g = group_element(G, G.sample(1)[0])
    assert np.allclose(piece.rho(G, g), np.linalg.inv(g.whole).T[np.ix_(coordinates, coordinates)])
    assert str(piece) == "V'{0,2}"
    assert piece.dual.dual == piece
