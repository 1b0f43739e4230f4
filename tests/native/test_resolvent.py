"""The resolvent in compiled code against a dense solve."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from softsym.native import Resolvent, SmallSpectra

pytestmark = pytest.mark.usefixtures("compiled_code")


def example(shapes, rng):
    """Each tensor has some vectors that one of two matrices acts on, anywhere in it, and some coordinates that nothing mixes."""
    dense, diagonals, spectra = [], [], []
    for array, (count, m, free) in enumerate(shapes):
        half = rng.normal(size=(2, m, m))
        small = half @ np.swapaxes(half, 1, 2)
        where = rng.permutation(2 * count * m + free)
        index = where[: 2 * count * m].reshape(2, count, m)
        diagonal = np.zeros(len(where))
        diagonal[where[2 * count * m :]] = rng.random(free)
        K = np.diag(diagonal)
        for places, matrix in zip(index, small, strict=True):
            for row in places:
                K[np.ix_(row, row)] = matrix
        dense.append(torch.tensor(K))
        diagonals.append(torch.tensor(diagonal))
        spectra.append(SmallSpectra(index, *np.linalg.eigh(small), array))
    return dense, diagonals, spectra


@given(
    st.lists(st.tuples(st.integers(1, 9), st.integers(1, 20), st.integers(0, 40)), min_size=1, max_size=4),
    st.integers(0, 2**32),
)
@settings(max_examples=40, deadline=None)
def test_agrees_with_a_dense_solve(shapes, seed):
    rng = np.random.default_rng(seed)
    dense, diagonals, spectra = example(shapes, rng)
    start = [torch.tensor(rng.normal(size=len(K))) for K in dense]
    for dtype, tolerance in ((torch.float64, 1e-12), (torch.float32, 1e-5)):
        resolvent = Resolvent(diagonals, spectra, dtype)
        for step in (0.0, 1e-3, 2.0):
            x = [part.to(dtype, copy=True) for part in start]
            resolvent.run_(x, step)
            for K, before, after in zip(dense, start, x, strict=True):
                expected = torch.linalg.solve(torch.eye(len(K), dtype=K.dtype) + step * K, before)
                assert torch.allclose(
                    after.double(), expected, rtol=0, atol=tolerance * (1 + float(before.abs().max()))
                )


def test_nothing_moves_without_eigenvalues():
    x = torch.randn(60, generator=torch.Generator().manual_seed(0))
    before = x.clone()
    index = np.arange(60).reshape(1, 6, 10)
    vectors = np.linalg.qr(np.random.default_rng(0).normal(size=(1, 10, 10)))[0]
    Resolvent([torch.zeros(60)], [SmallSpectra(index, np.zeros((1, 10)), vectors)], torch.float32).run_(
        [x], 3.0
    )
    assert torch.equal(x, before)


def test_the_same_bits_on_any_number_of_threads():
    rng = np.random.default_rng(0)
    index = rng.permutation(300_000).reshape(1, 15_000, 20)
    half = rng.normal(size=(1, 20, 20))
    spectra = SmallSpectra(index, *np.linalg.eigh(half @ np.swapaxes(half, 1, 2)))
    resolvent = Resolvent([torch.zeros(300_000)], [spectra], torch.float32)
    start, threads, ends = torch.tensor(rng.normal(size=300_000)).float(), torch.get_num_threads(), []
    try:
        for n in (1, 2, 3):
            torch.set_num_threads(n)
            x = start.clone()
            resolvent.run_([x], 0.5)
            ends.append(x)
    finally:
        torch.set_num_threads(threads)
    assert torch.equal(ends[0], ends[1])
    assert torch.equal(ends[0], ends[2])


def test_autograd_knows_that_tensors_changed():
    weight = torch.ones(3, requires_grad=True)
    value = weight.square().sum()
    with torch.no_grad():
        Resolvent([torch.ones(3)], [], torch.float32).run_([weight], 1.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        value.backward()


def test_too_large_ones_are_refused():
    spectra = SmallSpectra(
        np.zeros((1, 1, 1025), dtype=np.int64), np.zeros((1, 1025)), np.zeros((1, 1025, 1025))
    )
    with pytest.raises(ValueError, match="more than 1024 rows"):
        Resolvent([torch.zeros(1025)], [spectra], torch.float32)
