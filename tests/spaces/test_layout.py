"""Where the copies of each type lie in a map."""

import numpy as np
import pytest

import softsym as ss
from softsym.spaces import layout, positions
from softsym.spaces.solve import forget


def flat(a, b, G):
    factors = [ss.rep(b)] if a is None else [ss.rep(b), ss.rep(a).dual]
    return positions(factors, (ss.group(G),))


@pytest.mark.parametrize("G", ["O(3)", "O(2)@z", "Scaling(3)", "S(3)", "Trivial(3)", "SL(2)@x"])
@pytest.mark.parametrize(("a", "b"), [("S + 2V", "T(2) + S"), ("V'*V", "V + V'"), (None, "2T(2) + S + V")])
def test_every_entry_lies_in_exactly_one_block(a, b, G):
    found = flat(a, b, G)
    n = ss.rep(b).size(G) * (1 if a is None else ss.rep(a).size(G))
    everything = np.concatenate([index.ravel() for index in found.values()])
    assert np.array_equal(np.sort(everything), np.arange(n))
    for kind, index in found.items():
        assert index.shape[1] == kind.size(ss.group(G))


@pytest.mark.parametrize("G", ["C(4)", "SL(2)", "SO(2)"])
def test_a_tensor_of_more_axes_is_a_map_from_their_product(G):
    """One copy of one type on each axis: then rows of the product representation run as the axes of the tensor do."""
    factors = [ss.rep(text) for text in ("2V", "V'", "T(1,1)")]
    found = positions(factors, (ss.group(G),))
    flat_map = positions([factors[0], factors[1] * factors[2]], (ss.group(G),))
    assert list(found) == list(flat_map)
    assert all(np.array_equal(found[kind], flat_map[kind]) for kind in found)
    mixed = positions([ss.rep("S + V"), ss.rep("V' + S"), ss.rep("2S + V")], (ss.group(G),))
    everything = np.concatenate([index.ravel() for index in mixed.values()])
    assert np.array_equal(np.sort(everything), np.arange(3 * 3 * 4))


def test_blocks_of_one_type_share_it():
    found = flat("S + 2V", "S + V", "O(3)")
    assert {str(kind): index.shape for kind, index in found.items()} == {
        "S": (1, 1),
        "V": (3, 3),
        "T(2)": (2, 9),
    }
    assert found[ss.Vector.terms[0][1]].tolist() == [[1, 2, 3], [4, 5, 6], [7, 14, 21]]


def test_indices_are_put_in_canonical_order():
    (kind, index), = flat("V", "V'", "SL(2)").items()  # fmt: skip
    assert str(kind) == "T(0,2)"
    (kind, index), = flat("V'", "V'", "SL(2)").items()  # fmt: skip
    assert str(kind) == "T(1,1)"
    assert index.tolist() == [[0, 2, 1, 3]]  # the upper index is the column


def test_unwanted_types_are_left_out():
    found = positions([ss.rep("S + V")], (ss.O(3),), lambda kind: np.arange(0 if kind.rank else 1))
    assert [str(kind) for kind in found] == ["S"]


def test_too_many_words_are_not_split(monkeypatch):
    before = ss.equivariant_maps("T(2)", "T(2)", "O(2)@z")
    forget()
    monkeypatch.setattr(layout, "MAX_WORDS", 1)
    with ss.spaces.cache_folder(None):
        after = ss.equivariant_maps("T(2)", "T(2)", "O(2)@z")
    W = np.random.default_rng(0).standard_normal((9, 9))
    assert after.dim == before.dim
    assert len(after.packed.blocks) == 1
    assert np.allclose(after.project(W), before.project(W), atol=1e-10)
    forget()
