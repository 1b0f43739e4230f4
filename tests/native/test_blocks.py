"""Small matrices, quadratic forms and resolvents in compiled code against the definition."""

from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from softsym.errors import InputError
from softsym.native import Blocks, Quadratic, Resolvent, SmallMatrices, SmallSpectra
from softsym.native import blocks as module
from tests.processes import page_faults

pytestmark = pytest.mark.usefixtures("compiled_code")
PAGES = Path("/sys/kernel/mm/transparent_hugepage/enabled")


def definition(matrices, x):
    """Vector by vector."""
    out = torch.zeros_like(x)
    for m in matrices:
        for where in torch.tensor(m.index):
            out[where] = x[where] if m.matrix is None else x[where] @ m.matrix.to(x.dtype)
    return out


@given(
    st.lists(st.tuples(st.integers(1, 40), st.integers(1, 12)), min_size=1, max_size=6),
    st.booleans(),
    st.integers(0, 2**32),
)
@settings(max_examples=60, deadline=None)
def test_definition(shapes, copies, seed):
    rng = np.random.default_rng(seed)
    places = rng.permutation(sum(n * size for n, size in shapes))
    matrices, at = [], 0
    for n, size in shapes:
        matrix = None if copies else torch.tensor(rng.normal(size=(size, size)))
        matrices.append(SmallMatrices(places[at : at + n * size].reshape(n, size), matrix))
        at += n * size
    for dtype, tolerance in ((torch.float64, 1e-12), (torch.float32, 1e-4)):
        x = torch.tensor(rng.normal(size=len(places))).to(dtype)
        out = torch.zeros_like(x)
        Blocks(matrices, dtype).run([x], [out])
        assert torch.allclose(out, definition(matrices, x), rtol=tolerance, atol=tolerance)


def test_large_ones_with_threads():
    rng = np.random.default_rng(0)
    index = rng.permutation(300 * 700).reshape(700, 300)
    m = SmallMatrices(index, torch.tensor(rng.normal(size=(300, 300))))
    x = torch.tensor(rng.normal(size=index.size))
    out = torch.zeros(index.size, dtype=torch.float64)
    Blocks([m], torch.float64).run([x], [out])
    assert torch.allclose(out[torch.tensor(index)], x[torch.tensor(index)] @ m.matrix)


def test_what_no_matrix_writes_stays_as_it_was():
    out = torch.full((3,), 7.0)
    Blocks([SmallMatrices(np.array([[1]]), torch.tensor([[2.0]]))], torch.float32).run([torch.ones(3)], [out])
    assert out.tolist() == [7.0, 2.0, 7.0]


def test_several_arrays_in_one_call():
    double = torch.tensor([[2.0]])
    first, second = np.arange(3)[:, None], np.arange(2)[:, None]
    blocks = Blocks([SmallMatrices(first, double, 0), SmallMatrices(second, None, 1)], torch.float64)
    outs = [torch.zeros(3).double(), torch.zeros(2).double()]
    blocks.run([torch.arange(3.0).double(), torch.ones(2).double()], outs)
    assert [out.tolist() for out in outs] == [[0.0, 2.0, 4.0], [1.0, 1.0]]


def test_too_large_ones_are_refused():
    with pytest.raises(ValueError, match="more than 1024 rows"):
        Blocks([SmallMatrices(np.arange(1025)[None], torch.eye(1025))], torch.float32)
    with pytest.raises(ValueError, match="outside of array 0"):
        Quadratic([torch.ones(3)], [SmallMatrices(np.array([[2, 3]]), torch.eye(2))], torch.float32)
    with pytest.raises(ValueError, match="outside of array 0"):
        Blocks([SmallMatrices(np.array([[-1]]), None)], torch.float32)


def hostile(size, dtype=torch.float32):
    """Tensors that are no vector of so many numbers in memory, whatever they say."""
    released = torch.ones(size, dtype=dtype)
    released.untyped_storage().resize_(0)
    shorter = torch.ones(size - 1, dtype=dtype)
    spread = torch.ones(2 * size, dtype=dtype)[::2]
    return [
        shorter,
        torch.ones(0, dtype=dtype),
        torch.ones(size, dtype=torch.float64),
        torch.ones(size).half(),
        spread,
        released,
    ]


def test_every_entry_compares_tensors_with_what_it_was_prepared_for():
    index = np.arange(40).reshape(10, 4)
    blocks = Blocks([SmallMatrices(index, torch.eye(4))], torch.float32)
    quadratic = Quadratic([torch.ones(40)], [SmallMatrices(index, torch.eye(4))], torch.float32)
    spectra = SmallSpectra(index[None], np.ones((1, 4)), np.eye(4)[None])
    resolvent = Resolvent([torch.zeros(40)], [spectra], torch.float32)
    whole = torch.ones(40)
    for bad in hostile(40):
        for call in (
            lambda bad=bad: blocks.run([bad], [whole]),
            lambda bad=bad: blocks.run([whole], [bad]),
            lambda bad=bad: quadratic.quadratic([bad]),
            lambda bad=bad: resolvent.run_([bad], 0.1),
        ):
            with pytest.raises(InputError, match=r"compiled code|memory of tensor"):
                call()
    with pytest.raises(InputError, match="prepared for 1 tensors, got 2"):
        quadratic.quadratic([whole, whole])
    with pytest.raises(InputError, match="prepared for 40 numbers"):
        quadratic.quadratic([torch.ones(41)])


def test_c_refuses_short_arrays_itself(monkeypatch):
    """With Python's own check out of the way."""
    monkeypatch.setattr(module, "check_tensors", lambda *arguments, **options: None)
    index = np.arange(2_000_000).reshape(-1, 4)
    blocks = Blocks([SmallMatrices(index, torch.eye(4))], torch.float32)
    quadratic = Quadratic([torch.ones(index.size)], [SmallMatrices(index, torch.eye(4))], torch.float32)
    spectra = SmallSpectra(index[None], np.ones((1, 4)), np.eye(4)[None])
    resolvent = Resolvent([torch.zeros(index.size)], [spectra], torch.float32)
    short, whole = torch.ones(1), torch.ones(index.size)
    for call in (
        lambda: blocks.run([short], [whole]),
        lambda: blocks.run([whole], [short]),
        lambda: quadratic.quadratic([short]),
        lambda: resolvent.run_([short], 0.1),
    ):
        with pytest.raises(InputError, match="shorter than it was prepared for"):
            call()
    assert short.item() == 1


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
        matrices.append(SmallMatrices(index, torch.tensor(small), array))
    for dtype, tolerance in ((torch.float64, 1e-11), (torch.float32, 1e-3)):
        x = [torch.tensor(rng.normal(size=len(K))).to(dtype) for K in dense]
        products, form, square = Quadratic(diagonals, matrices, dtype).quadratic(x)
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
            sums.append(form.quadratic([d])[1:])
    finally:
        torch.set_num_threads(threads)
    assert sums[0] == sums[1] == sums[2]


@pytest.mark.parametrize("shape", [(3,), (0,), (1, 1), (2**23 + 3,), (4099, 2049)])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_memory_like_torchs(shape, dtype):
    like = torch.ones(shape, dtype=dtype)
    out = module._empty_like(like)
    assert (out.shape, out.dtype, out.is_contiguous()) == (like.shape, like.dtype, True)
    assert out.data_ptr() != like.data_ptr() or not like.numel()
    out.copy_(like)
    assert torch.equal(out, like)


@pytest.mark.skipif(not PAGES.exists() or "[never]" in PAGES.read_text(), reason="the system has no large pages")
def test_large_pages_are_fewer():
    like = torch.ones(2**24)  # 64 megabytes, which no allocator keeps
    small = like.nbytes // 4096
    assert page_faults(lambda: module._empty_like(like).zero_()) < small / 4


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
    Resolvent([torch.zeros(60)], [SmallSpectra(index, np.zeros((1, 10)), vectors)], torch.float32).run_([x], 3.0)
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
    spectra = SmallSpectra(np.zeros((1, 1, 1025), dtype=np.int64), np.zeros((1, 1025)), np.zeros((1, 1025, 1025)))
    with pytest.raises(ValueError, match="more than 1024 rows"):
        Resolvent([torch.zeros(1025)], [spectra], torch.float32)
