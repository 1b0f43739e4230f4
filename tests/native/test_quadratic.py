"""A quadratic form in compiled code against the dense matrix."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from softsym.native import Blocks, Quadratic, SmallMatrices

pytestmark = pytest.mark.skipif(not Blocks.usable(torch.float32), reason="no compiled code on this machine")


@given(
    st.lists(st.tuples(st.integers(1, 30), st.integers(1, 12), st.integers(0, 40)), min_size=1, max_size=4),
    st.integers(0, 2**32),
)
@settings(max_examples=40, deadline=None)
def test_definition(shapes, seed):
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
        found, form, square = Quadratic(diagonals, matrices, dtype).run(x)
        expected = [K.to(dtype) @ part for K, part in zip(dense, x, strict=True)]
        for a, b in zip(found, expected, strict=True):
            assert torch.allclose(a, b, rtol=tolerance, atol=tolerance)
        total = sum(float(part @ Kx) for part, Kx in zip(x, expected, strict=True))
        assert form == pytest.approx(total, rel=tolerance, abs=10 * tolerance)
        assert square == pytest.approx(sum(float(part @ part) for part in x), rel=tolerance)


def test_sums_do_not_depend_on_threads():
    d = torch.randn(300_000, generator=torch.Generator().manual_seed(0))
    form = Quadratic([d], [], torch.float32)
    threads = torch.get_num_threads()
    try:
        results = []
        for n in (1, 2, 3):
            torch.set_num_threads(n)
            results.append(form.run([d])[1:])
    finally:
        torch.set_num_threads(threads)
    assert results[0] == results[1] == results[2]
