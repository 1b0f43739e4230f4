"""Finding a matrix product, and calling it."""

import ctypes

import pytest
import torch

from softsym.native import matrix_product as room
from softsym.native.matrix_product import from_scipy, from_torch, matrix_product
from tests.native.test_hidden_layer import block_of, gradients
from tests.nn.networks import normal

KINDS = pytest.mark.parametrize(
    ("dtype", "number"), [(torch.float32, ctypes.c_float), (torch.float64, ctypes.c_double)]
)


@KINDS
@pytest.mark.parametrize("origin", [from_torch, from_scipy])
def test_multiplies(dtype, number, origin):
    product = origin(dtype)
    if product is None:
        pytest.skip("hidden on this platform")
    call = ctypes.CFUNCTYPE(None, *[ctypes.c_char_p] * 2, *[ctypes.c_void_p] * 11)(product.address.value)
    a, b = normal(3, 4, dtype=dtype), normal(4, 5, seed=1, dtype=dtype)
    out = torch.zeros(3, 5, dtype=dtype)
    m, k, n = (ctypes.byref(ctypes.c_int(size)) for size in (3, 4, 5))
    one, zero = (ctypes.byref(number(value)) for value in (1, 0))
    call(b"N", b"N", n, m, k, one, b.data_ptr(), n, a.data_ptr(), k, zero, out.data_ptr(), n)
    assert torch.allclose(out, a @ b, rtol=1e-5)


def test_torch_comes_first():
    first = from_torch(torch.float32) or from_scipy(torch.float32)
    assert matrix_product(torch.float32).address.value == first.address.value
    assert matrix_product(torch.float16) is None


def test_hidden_layers_run_with_scipys_too(monkeypatch, compiled_code):
    layer = block_of("4S + 2V + T(2)", "O(3)")
    x = normal(70, layer.bilinear.size, dtype=torch.float64)
    before = gradients(layer, x)
    monkeypatch.setattr("softsym.native.program.matrix_product", from_scipy)
    for a, b in zip(gradients(layer, x), before, strict=True):
        assert torch.allclose(a, b, atol=1e-12, rtol=1e-12)


def test_nothing_where_both_are_hidden(monkeypatch):
    monkeypatch.setattr(room, "_symbol", lambda *_: None)
    assert from_torch(torch.float32) is None
    assert from_scipy(torch.float32).limit is None
