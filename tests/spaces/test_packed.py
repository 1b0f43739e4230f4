"""Block-wise products: every path by size, batches, and memory."""

import tracemalloc

import numpy as np
import pytest
import torch

import softsym as ss
from softsym.spaces import OrbitBasis, Packed, PackedBlock

RNG = np.random.default_rng(0)


def random_packed(size: int, rank: int, copies: int, spare: int = 5) -> Packed:
    """Copies of one random block at random places of a larger array."""
    index = np.random.default_rng(1).permutation(copies * size + spare)[: copies * size].reshape(copies, size)
    factor = np.linalg.qr(np.random.default_rng(2).standard_normal((size, rank)))[0]
    return Packed(copies * size + spare, (PackedBlock(index, factor),))


def dense_projector(packed: Packed) -> np.ndarray:
    P = np.zeros((packed.size, packed.size))
    for block in packed.blocks:
        for row in block.index:
            P[np.ix_(row, row)] = block.matrix @ block.matrix.T
    return P


@pytest.mark.parametrize(
    ("size", "rank"), [(1, 1), (2, 1), (4, 4), (9, 2), (16, 15), (20, 3), (32, 30), (40, 35), (81, 3)]
)
@pytest.mark.parametrize("copies", [1, 2, 33])
@pytest.mark.parametrize("batch", [1, 5])
def test_projection(size, rank, copies, batch):
    packed = random_packed(size, rank, copies)
    x = np.random.default_rng(3).standard_normal((batch, packed.size))
    expected = x @ dense_projector(packed)
    assert np.allclose(packed.project(x), expected, atol=1e-12)
    assert np.allclose(packed.project(torch.tensor(x)).numpy(), expected, atol=1e-12)
    assert np.allclose(packed.combine(packed.coefficients(x)), expected, atol=1e-12)
    assert np.allclose(packed.combine(packed.coefficients(torch.tensor(x))).numpy(), expected, atol=1e-12)


@pytest.mark.parametrize("size", [3, 32, 50])
@pytest.mark.parametrize("batch", [1, 3])
def test_orbits(size, batch):
    labels = np.arange(size) % 3
    packed = Packed(2 * size, (PackedBlock(np.arange(2 * size).reshape(2, size)[::-1], OrbitBasis(labels)),))
    x = np.random.default_rng(3).standard_normal((batch, packed.size))
    expected = x @ dense_projector(packed)
    for y in (x, torch.tensor(x)):
        assert np.allclose(np.asarray(packed.project(y)), expected, atol=1e-12)
        assert np.allclose(np.asarray(packed.combine(packed.coefficients(y))), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("a", "b", "G"),
    [
        ("V", "V", "O(2)"),
        ("V", "V", "S(2)"),
        ("S + V", "V + S", "C(3)"),
        ("2V", "T(2) + V'", "SO(2)@z"),
        ("V", "V", "S(6)"),
        ("S + V", "V + S", "A(4)"),
        ("S", "V + T(2)", "S(2)"),
        ("V[0]*V[1]", "V[1] + V[0]", "S(3) * S(2)"),
    ],
)
@pytest.mark.parametrize("batch", [2, 9, 40])
def test_a_batch_is_projected_like_its_members(a, b, G, batch):
    space = ss.equivariant_maps(a, b, G)
    W = np.random.default_rng(4).standard_normal((batch, *space.shape))
    one_by_one = np.stack([space.project(w) for w in W])
    assert np.allclose(space.project(W), one_by_one, atol=1e-12)
    assert np.allclose(space.project(torch.tensor(W)).numpy(), one_by_one, atol=1e-12)


def test_no_blocks_project_to_zero():
    packed = Packed(4, ())
    assert packed.dim == 0
    assert np.array_equal(packed.project(np.ones((2, 4))), np.zeros((2, 4)))
    assert packed.coefficients(np.ones((2, 4))).shape == (2, 0)


def _bytes(packed: Packed) -> int:
    factors = (b.factor.labels if isinstance(b.factor, OrbitBasis) else b.factor for b in packed.blocks)
    return sum(f.nbytes for f in factors) + sum(b.index.nbytes for b in packed.blocks)


@pytest.mark.parametrize("G", ["O(3)", "SO(3)", "O(2)@z", "S(3)", "Scaling(3)", "SO(3) | Scaling(3)"])
def test_a_large_map_costs_its_own_size(G):
    rep = ss.hidden_rep(400, "O(3)")
    space = ss.equivariant_maps(rep, rep, G)
    W = RNG.standard_normal((400, 400))
    space.project(W)  # cached constants are counted below
    tracemalloc.start()
    space.project(W)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 10 * W.nbytes
    constants = (*space.packed._masks.values(), *(v for b in space.packed.blocks for v in b._constants.values()))
    cached = sum(values.nbytes for values in constants)
    assert _bytes(space.packed) + cached < 20 * W.nbytes
    assert space.size * space.dim * 8 > 100 * W.nbytes  # what a dense basis would cost


def test_coordinates_of_many_orbits_cost_the_size_of_the_map():
    space = ss.equivariant_maps("T(3)", "T(3)", "S(6)")
    W = RNG.standard_normal(space.shape)
    tracemalloc.start()
    PW = space.combine(space.coefficients(W))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert np.allclose(PW, space.project(W))
    assert peak < 20 * W.nbytes
