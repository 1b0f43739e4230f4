"""Hidden layers in compiled code against the same layers in torch operations: values and all gradients."""

import copy

import pytest
import torch

import softsym as ss
from softsym.nn.bilinear import Bilinear
from softsym.nn.gating import Gated, gated_rep
from softsym.nn.linear import EquivariantLinear
from softsym.nn.native import can_run
from softsym.nn.native.program import Split, usable
from softsym.nn.network import Block
from tests.nn.networks import NETWORKS, SIZE_IN, normal
from tests.nn.test_bilinear import CASES

pytestmark = pytest.mark.skipif(not usable(torch.float32), reason="no compiled code on this machine")
MORE = [
    ("40S + 9V + 8T(2) + 2T(3)", "O(3)"),
    ("V + 3S + T(2) + 2V + S", "O(3)"),
    ("3S + 2V + V' + T(1,1) + T(2)", "GL(2)"),
    ("3V + 2T(2)", "SO(2)"),
    ("7S", "O(3)"),
    ("2S + 3V", "S(4)"),
]


def block_of(rep, G, soft=True, dtype=torch.float64):
    """A hidden layer without its linear map."""
    G = ss.group(G)
    generator = torch.Generator().manual_seed(0)
    layer = Block(
        torch.nn.Identity(),
        Bilinear(gated_rep(ss.rep(rep), G), G, generator),
        Gated(ss.rep(rep), G, soft=soft),
    )
    for parameter in layer.parameters():
        parameter.data = torch.randn(parameter.shape, generator=generator)
    return layer.to(dtype).train()


def gradients(layer, x, compiled, monkeypatch):
    """Output and gradients of input and weights, for one random direction of the output."""
    if not compiled:
        monkeypatch.setattr("softsym.nn.network.can_run", lambda *_: False)
    else:
        assert can_run(layer, x)
    x = x.clone().requires_grad_()
    layer.zero_grad()
    out = layer(x)
    out.backward(normal(*out.shape, seed=7).to(out))
    monkeypatch.undo()
    return [out.detach(), x.grad, *(p.grad for p in layer.parameters() if p.numel() and p.grad is not None)]


@pytest.mark.parametrize(("rep", "G"), [*CASES, *MORE])
@pytest.mark.parametrize("batch", [1, 65, 200])
@pytest.mark.parametrize("soft", [True, False])
def test_values_and_gradients(rep, G, batch, soft, monkeypatch):
    layer = block_of(rep, G, soft)
    x = normal(batch, layer.bilinear.size, seed=batch, dtype=torch.float64)
    ours = gradients(layer, x, True, monkeypatch)
    theirs = gradients(layer, x, False, monkeypatch)
    assert len(ours) >= len(theirs)  # weights that no term has get a gradient of zero
    for a, b in zip(ours, theirs, strict=False):
        assert torch.allclose(a, b, atol=1e-10, rtol=1e-10)


@pytest.mark.parametrize(("rep", "G"), [*CASES, *MORE])
def test_values_and_gradients_in_single_precision(rep, G, monkeypatch):
    layer = block_of(rep, G, dtype=torch.float32)
    x = normal(70, layer.bilinear.size)
    ours, theirs = gradients(layer, x, True, monkeypatch), gradients(layer, x, False, monkeypatch)
    for a, b in zip(ours, theirs, strict=False):
        assert a.dtype == torch.float32
        assert float((a - b).norm() / b.norm().clamp_min(1e-12)) < 1e-5


def test_gates_are_accurate_from_end_to_end():
    """Swish of everything that a float can be, against double precision."""
    layer = block_of("1000S", "O(3)", soft=False, dtype=torch.float32)
    x = torch.cat(
        [torch.linspace(-120, 120, 900), torch.tensor([0.0, -0.0, 1e-30, -1e-30, 1e30, 88.7, -88.7, 1e-3])]
    )
    x = torch.nn.functional.pad(x, (0, 1000 - len(x)))[None]
    expected = torch.nn.functional.silu(x.double())
    error = (layer(x).detach().double() - expected).abs() / (expected.abs() + 1e-30)
    assert float(error[expected.abs() > 1e-30].max()) < 5e-7
    assert layer(torch.full((1, 1000), torch.nan)).isnan().all()


def test_the_number_of_threads_changes_rounding_only(monkeypatch):
    layer = block_of("40S + 9V + 8T(2)", "O(3)")
    x = normal(1000, layer.bilinear.size, dtype=torch.float64)
    before = torch.get_num_threads()
    found = []
    for threads in (1, 2, 3):
        torch.set_num_threads(threads)
        try:
            found.append(gradients(layer, x, True, monkeypatch))
        finally:
            torch.set_num_threads(before)
    for other in found[1:]:
        for a, b in zip(other, found[0], strict=True):
            assert torch.allclose(a, b, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("width", [10, 1000])
@pytest.mark.parametrize("batch", [1, 63, 64, 65, 127, 129, 500, 1000])
def test_chunks_cover_the_batch(batch, width):
    split = Split.of(batch, width)
    assert split.chunk * split.threads * -(-batch // (split.chunk * split.threads)) >= batch
    assert 1 <= split.chunk <= 64


def test_a_graph_may_be_used_twice():
    layer = block_of("4S + 2V", "O(3)")
    x = normal(5, layer.bilinear.size, dtype=torch.float64).requires_grad_()
    out = layer(x).sum()
    out.backward(retain_graph=True)
    once = x.grad.clone()
    out.backward()
    assert torch.equal(x.grad, 2 * once)


def test_inputs_need_not_be_contiguous_or_flat():
    layer = block_of("4S + 2V", "O(3)")
    x = normal(layer.bilinear.size, 3, 5, dtype=torch.float64)
    flat = layer(x.permute(1, 2, 0).reshape(15, -1))
    assert torch.equal(layer(x.permute(1, 2, 0)), flat.view(3, 5, -1))


def test_weights_need_not_be_contiguous(monkeypatch):
    layer = block_of("4S + 2V + T(2)", "O(3)")
    layer.bilinear.scale_weight.data = layer.bilinear.scale_weight.data.T.contiguous().T
    x = normal(5, layer.bilinear.size, dtype=torch.float64)
    ours, theirs = gradients(layer, x, True, monkeypatch), gradients(layer, x, False, monkeypatch)
    for a, b in zip(ours, theirs, strict=True):
        assert torch.allclose(a, b, atol=1e-10, rtol=1e-10)


def test_copies_of_a_network_do_not_share_anything():
    net = ss.nn.SoftMLP("2S + 3V", "S + V", ["O(2)@z"], width=24, layers=3)
    x = normal(6, SIZE_IN)
    before = net(x)
    twin = copy.deepcopy(net)
    with torch.no_grad():
        for parameter in twin.parameters():
            parameter.add_(1.0)
    assert torch.equal(net(x), before)
    assert not torch.equal(twin(x), before)


@pytest.mark.parametrize("kind", NETWORKS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_whole_networks(kind, dtype, monkeypatch):
    net = NETWORKS[kind](0).to(dtype).train()
    x = normal(40, SIZE_IN, dtype=dtype)
    ours = gradients(net, x, True, monkeypatch)
    monkeypatch.setattr("softsym.nn.network.can_run", lambda *_: False)
    monkeypatch.setattr("softsym.nn.linear.can_project", lambda *_: False)
    theirs = gradients(net, x, True, pytest.MonkeyPatch())
    tolerance = 1e-4 if dtype == torch.float32 else 1e-10
    for a, b in zip(ours, theirs, strict=True):
        assert float((a - b).norm()) <= tolerance * float(b.norm()) + 1e-12


@pytest.mark.parametrize(
    ("rep_in", "rep_out", "G"),
    [
        ("2S + 3V", "S + 2V + T(2)", "O(3)"),
        ("3V + T(2)", "2T(3)", "SO(3)"),
        ("4V", "V + 2S", "S(3)"),
        ("2V", "3V", "SO(2)"),
    ],
)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_projected_weights(rep_in, rep_out, G, dtype):
    layer = EquivariantLinear(ss.rep(rep_in), ss.rep(rep_out), ss.group(G)).to(dtype).train()
    weight, bias = layer.map()
    directions = normal(*weight.shape, seed=3, dtype=dtype), normal(*bias.shape, seed=4, dtype=dtype)
    found = []
    for way in (layer.map, lambda: (layer.weight(), layer.bias())):
        layer.zero_grad()
        out = way()
        sum((part * d).sum() for part, d in zip(out, directions, strict=True)).backward()
        found.append([*(part.detach() for part in out), *(p.grad.clone() for p in layer.parameters())])
    tolerance = 1e-5 if dtype == torch.float32 else 1e-12
    for a, b in zip(*found, strict=True):
        assert torch.allclose(a, b, rtol=tolerance, atol=tolerance)
