"""Small matrices in compiled code against the definition."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from softsym.native import Blocks, SmallMatrices

pytestmark = pytest.mark.skipif(not Blocks.usable(torch.float32), reason="no compiled code on this machine")


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


def test_too_large_ones_are_refused():
    with pytest.raises(ValueError, match="more than 1024 rows or columns"):
        Blocks([SmallMatrices(1, 1025, 1, torch.zeros(1025, 1), 0, 0)], torch.float32)
