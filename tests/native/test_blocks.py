"""Small matrices, quadratic forms and resolvents in compiled code against the definition."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from softsym.native import Blocks, Quadratic, Resolvent, SmallMatrices, SmallSpectra, blocks
from tests.processes import page_faults

pytestmark = pytest.mark.usefixtures("compiled_code")
PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")


def definition(matrices, x, size):
    """Vector by vector."""
    out = torch.zeros(size, dtype=x.dtype)
    for m in matrices:
        for n in range(m.count):
            source = (
                m.source[n] if not isinstance(m.source, int) else np.arange(m.rows) + m.source + n * m.rows
            )
            target = (
                m.target[n]
                if not isinstance(m.target, int)
                else np.arange(m.columns) + m.target + n * m.columns
            )
            row = x[torch.tensor(source)]
            out[torch.tensor(target)] = row if m.matrix is None else row @ m.matrix.to(x.dtype)
    return out


@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(1, 12), st.integers(1, 12)), min_size=1, max_size=6),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.integers(0, 2**32),
)
@settings(max_examples=60, deadline=None)
def test_definition(shapes, scattered_in, scattered_out, copies, seed):
    rng = np.random.default_rng(seed)
    reads, writes = sum(n * r for n, r, _ in shapes), sum(n * c for n, _, c in shapes)
    places_in, places_out = rng.permutation(reads), rng.permutation(writes)
    matrices = []
    i = j = 0
    for n, rows, columns in shapes:
        matrix = torch.tensor(rng.normal(size=(rows, columns)))
        if copies and rows == columns:
            matrix = None
        source = places_in[i : i + n * rows].reshape(n, rows) if scattered_in else i
        target = places_out[j : j + n * columns].reshape(n, columns) if scattered_out else j
        matrices.append(SmallMatrices(n, rows, columns, matrix, source, target))
        i, j = i + n * rows, j + n * columns
    for dtype, tolerance in ((torch.float64, 1e-12), (torch.float32, 1e-4)):
        x = torch.tensor(rng.normal(size=reads)).to(dtype)
        out = torch.zeros(writes, dtype=dtype)
        Blocks(matrices, dtype).run([x], [out])
        assert torch.allclose(out, definition(matrices, x, writes), rtol=tolerance, atol=tolerance)


def test_large_ones_with_threads():
    rng = np.random.default_rng(0)
    index = rng.permutation(300 * 700).reshape(700, 300)
    m = SmallMatrices(700, 300, 300, torch.tensor(rng.normal(size=(300, 300))), index, index)
    x = torch.tensor(rng.normal(size=index.size))
    out = torch.zeros(index.size, dtype=torch.float64)
    Blocks([m], torch.float64).run([x], [out])
    assert torch.allclose(out[torch.tensor(index)], x[torch.tensor(index)] @ m.matrix)


def test_what_no_matrix_writes_stays_as_it_was():
    out = torch.full((3,), 7.0)
    Blocks([SmallMatrices(1, 1, 1, torch.tensor([[2.0]]), 1, 1)], torch.float32).run([torch.ones(3)], [out])
    assert out.tolist() == [7.0, 2.0, 7.0]


def test_several_arrays_in_one_call():
    double = torch.tensor([[2.0]])
    blocks = Blocks(
        [SmallMatrices(3, 1, 1, double, 0, 0, 0), SmallMatrices(2, 1, 1, None, 0, 0, 1)], torch.float64
    )
    outs = [torch.zeros(3).double(), torch.zeros(2).double()]
    blocks.run([torch.arange(3.0).double(), torch.ones(2).double()], outs)
    assert [out.tolist() for out in outs] == [[0.0, 2.0, 4.0], [1.0, 1.0]]


def test_too_large_ones_are_refused():
    with pytest.raises(ValueError, match="more than 1024 rows or columns"):
        Blocks([SmallMatrices(1, 1025, 1, torch.zeros(1025, 1), 0, 0)], torch.float32)


@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(1, 12), st.integers(0, 40)), min_size=1, max_size=4),
    st.integers(0, 2**32),
)
@settings(max_examples=40, deadline=None)
def test_quadratic_form(shapes, seed):
    """Each tensor has some vectors that a symmetric matrix mixes, anywhere in it, and some coordinates that nothing mixes."""
    rng = np.random.default_rng(seed)
    dense, diagonals, matrices = [], [], []
    for array, (count, m, free) in enumerate(shapes):
        small = rng.normal(size=(m, m))
        small = small + small.T
        where = rng.permutation(count * m + free)
        index = where[: count * m].reshape(count, m)
        diagonal = np.zeros(len(where))
        diagonal[where[count * m :]] = rng.normal(size=free)
        K = np.diag(diagonal)
        for row in index:
            K[np.ix_(row, row)] = small
        dense.append(torch.tensor(K))
        diagonals.append(torch.tensor(diagonal))
        matrices.append(SmallMatrices(count, m, m, torch.tensor(small), index, index, array))
    for dtype, tolerance in ((torch.float64, 1e-11), (torch.float32, 1e-3)):
        x = [torch.tensor(rng.normal(size=len(K))).to(dtype) for K in dense]
        products, form, square = Quadratic(diagonals, matrices, dtype).run(x)
        expected = [K.to(dtype) @ part for K, part in zip(dense, x, strict=True)]
        for a, b in zip(products, expected, strict=True):
            assert torch.allclose(a, b, rtol=tolerance, atol=tolerance)
        total = sum(float(part @ Kx) for part, Kx in zip(x, expected, strict=True))
        assert form == pytest.approx(total, rel=tolerance, abs=10 * tolerance)
        assert square == pytest.approx(sum(float(part @ part) for part in x), rel=tolerance)


def test_sums_do_not_depend_on_threads():
    d = torch.randn(300_000, generator=torch.Generator().manual_seed(0))
    form = Quadratic([d], [], torch.float32)
    threads = torch.get_num_threads()
    try:
        sums = []
        for n in (1, 2, 3):
            torch.set_num_threads(n)
            sums.append(form.run([d])[1:])
    finally:
        torch.set_num_threads(threads)
    assert sums[0] == sums[1] == sums[2]


@pytest.mark.parametrize("shape", [(3,), (0,), (1, 1), (2**23 + 3,), (4099, 2049)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_memory_like_torchs(shape, dtype):
    like = torch.ones(shape, dtype=dtype)
    out = blocks._empty_like(like)
    assert (out.shape, out.dtype, out.is_contiguous()) == (like.shape, like.dtype, True)
    assert out.data_ptr() != like.data_ptr() or not like.numel()
    out.copy_(like)
    assert torch.equal(out, like)


def test_memory_of_other_systems(monkeypatch):
    monkeypatch.delattr(blocks.mmap, "MADV_HUGEPAGE", raising=False)
    blocks._ask_for_large_pages.cache_clear()
    assert blocks._empty_like(torch.ones(2**23)).shape == (2**23,)
    blocks._ask_for_large_pages.cache_clear()


@pytest.mark.skipif(
    not PAGES.exists() or "[never]" in PAGES.read_text(), reason="the system has no large pages"
)
def test_large_pages_are_fewer():
    like = torch.ones(2**24)  # 64 megabytes, which no allocator keeps
    small = like.nbytes // 4096
    assert page_faults(lambda: blocks._empty_like(like).zero_()) < small / 4


def resolvent_example(shapes, rng):
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
    dense, diagonals, spectra = resolvent_example(shapes, rng)
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


def test_resolvents_that_are_too_large_are_refused():
    spectra = SmallSpectra(
        np.zeros((1, 1, 1025), dtype=np.int64), np.zeros((1, 1025)), np.zeros((1, 1025, 1025))
    )
    with pytest.raises(ValueError, match="more than 1024 rows"):
        Resolvent([torch.zeros(1025)], [spectra], torch.float32)
