"""Projected weights in compiled code against the layers' own torch operations."""

import copy
import pickle

import numpy as np
import pytest
import torch

import softsym as ss
from softsym.native import Projection, Subspace, project, torch_only
from softsym.nn.linear import EquivariantLinear
from tests.nn.networks import normal

LAYERS = pytest.mark.parametrize(
    ("rep_in", "rep_out", "G"),
    [
        ("2S + 3V", "S + 2V + T(2)", "O(3)"),
        ("3V + T(2)", "2T(3)", "SO(3)"),
        ("4V", "V + 2S", "S(3)"),
        ("2V", "3V", "SO(2)"),
        ("2V", "S", "Trivial(3)"),
    ],
)


def map_and_gradients(layer, directions):
    layer.zero_grad()
    out = layer.map()
    sum((part * d).sum() for part, d in zip(out, directions, strict=True)).backward()
    return [*(part.detach() for part in out), *(p.grad.clone() for p in layer.parameters())]


@LAYERS
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_projected_weights_and_gradients(rep_in, rep_out, G, dtype, compiled_code):
    layer = EquivariantLinear(ss.rep(rep_in), ss.rep(rep_out), ss.group(G)).to(dtype).train()
    weight, bias = layer.map()
    directions = normal(*weight.shape, seed=3, dtype=dtype), normal(*bias.shape, seed=4, dtype=dtype)
    ours = map_and_gradients(layer, directions)
    with torch_only():
        theirs = map_and_gradients(layer, directions)
    tolerance = 1e-5 if dtype == torch.float32 else 1e-12
    for a, b in zip(ours, theirs, strict=True):
        assert torch.allclose(a, b, rtol=tolerance, atol=tolerance)


def a_line() -> Projection:
    """Onto multiples of (1, 1) in the first two of three numbers."""
    factor = torch.full((2, 1), 0.5**0.5, dtype=torch.float64)
    return Projection([Subspace(0, np.array([[0, 1]]), factor)])


def test_by_hand(compiled_code):
    (out,) = project(a_line(), [torch.tensor([1.0, 3.0, 5.0])])
    assert torch.allclose(out, torch.tensor([2.0, 2.0, 0.0]))


def test_prepared_under_autocast(compiled_code):
    with torch.autocast("cpu", torch.bfloat16):
        (out,) = project(a_line(), [torch.tensor([1.0, 3.0, 5.0])])
    assert out.dtype == torch.float32
    assert torch.allclose(out, torch.tensor([2.0, 2.0, 0.0]))


def test_what_does_not_run_compiled(compiled_code):
    x = torch.ones(3)
    assert project(a_line(), [x]) is not None
    with torch_only():
        assert project(a_line(), [x]) is None
    assert project(a_line(), [x.half()]) is None
    assert project(a_line(), [x.to("meta")]) is None
    wide = Projection([Subspace(0, np.arange(513)[None], None)])
    assert project(wide, [torch.ones(513)]) is None


def test_known_by_number_and_shared_by_copies():
    line = a_line()
    assert Projection.numbered(line.number) is line
    assert copy.deepcopy(line) is line
    assert pickle.loads(pickle.dumps(line)).number != line.number
