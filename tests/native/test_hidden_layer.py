"""Hidden layers in compiled code against the same layers in torch operations: values and all gradients."""

import copy
import pickle
from contextlib import nullcontext

import pytest
import torch

import softsym as ss
from softsym.errors import InputError
from softsym.native import HiddenLayer, torch_only
from softsym.native import hidden_layer as module
from softsym.nn.bilinear import Bilinear
from softsym.nn.gate import Gated, gated_rep
from softsym.nn.network import Block
from tests.nn.networks import NETWORKS, SIZE_IN, normal
from tests.nn.test_bilinear import CASES

pytestmark = pytest.mark.usefixtures("compiled_code")
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
        torch.nn.Identity(), Bilinear(gated_rep(ss.rep(rep), G), G, generator), Gated(ss.rep(rep), G, soft=soft)
    )
    for parameter in layer.parameters():
        parameter.data = torch.randn(parameter.shape, generator=generator)
    return layer.to(dtype).train()


def gradients(layer, x):
    """Output and gradients of input and weights, for one random direction of the output."""
    x = x.clone().requires_grad_()
    layer.zero_grad()
    out = layer(x)
    out.backward(normal(*out.shape, seed=7).to(out))
    filled = (torch.zeros_like(p) if p.grad is None else p.grad for p in layer.parameters())
    return [out.detach(), x.grad, *filled]  # weights that no term has get a gradient of zero, or none


def both(layer, x):
    """The same in compiled code and in torch operations."""
    ours = gradients(layer, x)
    with torch_only():
        return zip(ours, gradients(layer, x), strict=True)


@pytest.mark.parametrize(("rep", "G"), [*CASES, *MORE])
@pytest.mark.parametrize("batch", [1, 65, 200])
@pytest.mark.parametrize("soft", [True, False])
def test_values_and_gradients(rep, G, batch, soft):
    layer = block_of(rep, G, soft)
    x = normal(batch, layer.bilinear.size, seed=batch, dtype=torch.float64)
    for a, b in both(layer, x):
        assert torch.allclose(a, b, atol=1e-10, rtol=1e-10)


@pytest.mark.parametrize(("rep", "G"), [*CASES, *MORE])
def test_values_and_gradients_in_single_precision(rep, G):
    layer = block_of(rep, G, dtype=torch.float32)
    for a, b in both(layer, normal(70, layer.bilinear.size)):
        assert a.dtype == torch.float32
        assert float((a - b).norm() / b.norm().clamp_min(1e-12)) < 1e-5


def test_gates_are_accurate_from_end_to_end():
    """Swish of everything that a float can be, against double precision."""
    layer = block_of("1000S", "O(3)", soft=False, dtype=torch.float32)
    x = torch.cat([torch.linspace(-120, 120, 900), torch.tensor([0.0, -0.0, 1e-30, -1e-30, 1e30, 88.7, -88.7, 1e-3])])
    x = torch.nn.functional.pad(x, (0, 1000 - len(x)))[None]
    expected = torch.nn.functional.silu(x.double())
    error = (layer(x).detach().double() - expected).abs() / (expected.abs() + 1e-30)
    assert float(error[expected.abs() > 1e-30].max()) < 5e-7
    assert layer(torch.full((1, 1000), torch.nan)).isnan().all()


def test_the_number_of_threads_changes_rounding_only():
    layer = block_of("40S + 9V + 8T(2)", "O(3)")
    x = normal(1000, layer.bilinear.size, dtype=torch.float64)
    before = torch.get_num_threads()
    by_threads = []
    for threads in (1, 2, 3):
        torch.set_num_threads(threads)
        try:
            by_threads.append(gradients(layer, x))
        finally:
            torch.set_num_threads(before)
    for other in by_threads[1:]:
        for a, b in zip(other, by_threads[0], strict=True):
            assert torch.allclose(a, b, rtol=1e-12, atol=1e-12)


def test_threads_may_change_between_forward_and_backward_pass():
    layer = block_of("40S + 9V + 8T(2)", "O(3)")
    x = normal(1000, layer.bilinear.size, dtype=torch.float64)
    expected = gradients(layer, x)[1]
    before, again = torch.get_num_threads(), x.clone().requires_grad_()
    out = layer(again)
    torch.set_num_threads(3)
    try:
        out.backward(normal(*out.shape, seed=7).to(out))
    finally:
        torch.set_num_threads(before)
    assert torch.allclose(again.grad, expected, rtol=1e-12, atol=1e-12)


def test_no_samples():
    layer = block_of("4S + 2V", "O(3)")
    out, *grads = gradients(layer, torch.empty(0, layer.bilinear.size, dtype=torch.float64))
    assert out.shape == (0, layer.gated.size)
    assert not any(grad.any() for grad in grads)


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


def test_weights_need_not_be_contiguous():
    layer = block_of("4S + 2V + T(2)", "O(3)")
    layer.bilinear.scale_weight.data = layer.bilinear.scale_weight.data.T.contiguous().T
    x = normal(5, layer.bilinear.size, dtype=torch.float64)
    for a, b in both(layer, x):
        assert torch.allclose(a, b, atol=1e-10, rtol=1e-10)


def test_copies_of_a_network_do_not_share_weights():
    net = ss.nn.SoftMLP("2S + 3V", "S + V", ["O(2)@z"], width=24, layers=3)
    x = normal(6, SIZE_IN)
    before = net(x)
    twin = copy.deepcopy(net)
    with torch.no_grad():
        for parameter in twin.parameters():
            parameter.add_(1.0)
    assert torch.equal(net(x), before)
    assert not torch.equal(twin(x), before)


@pytest.mark.parametrize("name", NETWORKS)
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_whole_networks(name, dtype):
    net = NETWORKS[name](0).to(dtype).train()
    tolerance = 1e-4 if dtype == torch.float32 else 1e-10
    for a, b in both(net, normal(40, SIZE_IN, dtype=dtype)):
        assert float((a - b).norm()) <= tolerance * float(b.norm()) + 1e-12


def test_layers_are_known_by_number_as_long_as_they_live():
    layer = block_of("2S + V", "O(3)")._layer
    number = layer.number
    assert HiddenLayer.numbered(number) is layer
    assert copy.deepcopy(layer) is layer  # nothing in it changes
    again = pickle.loads(pickle.dumps(layer))
    assert (again.plan, again.gates, again.twin) == (layer.plan, layer.gates, layer.twin)
    assert again.number != number
    del layer
    with pytest.raises(InputError, match="there is no HiddenLayer of number"):
        HiddenLayer.numbered(number)


def test_weights_whose_data_were_exchanged_are_refused():
    net = ss.nn.SoftMLP("2S + 3V", "S + V", ["O(2)@z"], width=24, layers=3)
    x = torch.ones(4, 11)
    for name, parameter in net.named_parameters():
        whole = parameter.data
        for other in (torch.zeros(1), torch.zeros(0), whole.flatten()[:-1]):
            parameter.data = other
            outcomes = []
            for context in (nullcontext, torch_only):  # torch itself takes a bias of one number
                with context():
                    try:
                        outcomes.append(net(x))
                    except (InputError, RuntimeError):
                        outcomes.append(None)
            ours, theirs = outcomes
            assert (ours is None) == (theirs is None), name
            assert ours is None or torch.allclose(ours, theirs, rtol=1e-4, atol=1e-5), name
        parameter.data = whole
        assert net(x).isfinite().all(), name


def test_operators_refuse_hostile_sizes_and_unknown_numbers():
    layer = block_of("2S + 3V", "O(3)")._layer
    size, values = layer.plan.size, layer.gates.size
    x, weights = normal(5, size, seed=1), normal(layer._weights, seed=2)
    forward = torch.ops.softsym.hidden_layer
    out, kept = forward(x, weights, layer.number)
    assert out.shape == (5, values)
    backward = torch.ops.softsym.hidden_layer_backward
    for call in (
        lambda: forward(x, weights[:-1], layer.number),
        lambda: forward(x[:, :-1], weights, layer.number),
        lambda: forward(x.float(), weights.double(), layer.number),
        lambda: backward(out, weights, kept[:-1], layer.number),
        lambda: backward(out[:, :-1], weights, kept, layer.number),
        lambda: backward(out, weights[:3], kept, layer.number),
        lambda: forward(x, weights, 10**9),
        lambda: torch.ops.softsym.project([x], layer.number),
    ):
        with pytest.raises(InputError):
            call()


def test_c_refuses_short_arrays_itself(monkeypatch):
    monkeypatch.setattr(module, "check_tensors", lambda *arguments, **options: None)
    layer = block_of("40S + 9V + 8T(2)", "O(3)")._layer
    with pytest.raises(InputError, match="shorter than the layer needs"):
        layer.forward(normal(200, layer.plan.size, seed=1), torch.ones(1).double())
