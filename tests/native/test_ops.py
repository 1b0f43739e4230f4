"""Operators as torch sees them: registered, differentiable to any order, mapped, compiled and exported."""

import pytest
import torch

import softsym as ss
from softsym.native import run_hidden_layer, torch_only
from tests.native.test_hidden_layer import block_of
from tests.nn.networks import NETWORKS, SIZE_IN, normal

pytestmark = [
    pytest.mark.usefixtures("compiled_code"),
    # torch compiles its own forward-mode rules with a function it has deprecated
    pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated:DeprecationWarning"),
]
KINDS = pytest.mark.parametrize("name", ["SoftMLP", "RPP"])  # free weights, and projected ones
MODES = pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])


def parts():
    """A small layer with everything its operator takes."""
    block = block_of("4S + 2V + T(2)", "O(3)")
    x = normal(5, block.bilinear.size, dtype=torch.float64).requires_grad_()
    weights = torch.cat([w.detach().flatten() for w in (block.gated.weight, *block.bilinear.weights)])
    return block, x, weights.requires_grad_()


def test_hidden_layer_is_a_proper_operator():
    block, x, weights = parts()
    torch.library.opcheck(torch.ops.softsym.hidden_layer.default, (x, weights, block._layer.number))


def test_its_backward_pass_is_one_too():
    block, x, weights = parts()
    out, kept = block._layer.forward(x.detach(), weights.detach())
    arguments = (out, weights.detach(), kept, block._layer.number)
    torch.library.opcheck(torch.ops.softsym.hidden_layer_backward.default, arguments)


def test_projection_is_a_proper_operator():
    layer = ss.nn.EquivariantLinear(ss.rep("2S + V"), ss.rep("V + T(2)"), ss.O(3))
    tensors = [layer.weight.free, layer.bias.free]
    torch.library.opcheck(torch.ops.softsym.project.default, (tensors, layer._projection.number))


def test_operators_agree_with_the_functions_that_training_calls():
    block, x, weights = parts()
    direction = normal(5, block.gated.size, dtype=torch.float64, seed=3)
    block.requires_grad_(False)
    shaped = (part.detach().requires_grad_() for part in (block.gated.weight, *block.bilinear.weights))
    by_operator = torch.ops.softsym.hidden_layer(x, weights, block._layer.number)[0]
    by_function = run_hidden_layer(block._layer, x, *(tensors := tuple(shaped)))
    assert torch.equal(by_operator, by_function)
    d_x, d_weights = torch.autograd.grad(by_operator, (x, weights), direction)
    d_x_again, *d_tensors = torch.autograd.grad(by_function, (x, *tensors), direction)
    assert torch.equal(d_x, d_x_again)
    assert torch.equal(d_weights, torch.cat([d.flatten() for d in d_tensors]))


@KINDS
@MODES
@pytest.mark.parametrize("derivative", [torch.func.jacrev, torch.func.jacfwd, torch.func.hessian])
def test_derivatives_of_torch_func(name, training, derivative):
    net = NETWORKS[name](0).double().train(training)
    x = normal(2, SIZE_IN, dtype=torch.float64)
    ours = derivative(net)(x)
    with torch_only():
        assert torch.allclose(ours, derivative(net)(x), atol=1e-10)


@KINDS
@MODES
def test_derivatives_of_gradients(name, training):
    net = NETWORKS[name](0).double().train(training)

    def twice():
        x = normal(3, SIZE_IN, dtype=torch.float64).requires_grad_()
        (slope,) = torch.autograd.grad(net(x).square().sum(), x, create_graph=True)
        return torch.autograd.grad(slope.square().sum(), (x, *net.parameters()), allow_unused=True)

    ours = twice()
    with torch_only():
        theirs = twice()
    for a, b in zip(ours, theirs, strict=True):
        assert (a is None and b is None) or torch.allclose(a, b, atol=1e-9)


@KINDS
@MODES
def test_several_networks_at_once(name, training):
    """As in ensembles: vmap over stacked weights."""
    nets = [NETWORKS[name](seed).train(training) for seed in range(3)]
    weights, buffers = torch.func.stack_module_state(nets)
    x = normal(4, SIZE_IN)

    def one(weights, buffers):
        return torch.func.functional_call(nets[0], (weights, buffers), (x,))

    assert torch.allclose(torch.vmap(one)(weights, buffers), torch.stack([net(x) for net in nets]), atol=1e-5)
    with torch.no_grad():
        assert torch.allclose(torch.vmap(nets[0])(x), nets[0](x), atol=1e-5)


@KINDS
def test_in_a_compiled_graph(name):
    net = NETWORKS[name](0).train()
    seen = []

    def backend(graph, _):
        seen.extend(str(node.target) for node in graph.graph.nodes if "softsym" in str(node.target))
        return graph.forward

    compiled = torch.compile(net, backend=backend, fullgraph=True)
    x = normal(4, SIZE_IN)
    assert torch.equal(compiled(x), net(x))
    torch.compiler.reset()
    assert seen.count("softsym.hidden_layer.default") == len(net.blocks)
    assert ("softsym.project.default" in seen) == (name == "RPP")


def test_gradients_of_a_compiled_graph():
    net, x = NETWORKS["RPP"](0), normal(4, SIZE_IN)
    grads = []
    for call in (net, torch.compile(net, backend="aot_eager", fullgraph=True)):
        net.zero_grad()
        call(x).square().sum().backward()
        grads.append([p.grad.clone() for p in net.parameters() if p.grad is not None])
    torch.compiler.reset()
    for a, b in zip(*grads, strict=True):
        assert torch.allclose(a, b, atol=1e-6)


@KINDS
def test_exported_programs_do_not_need_softsym(name):
    net = NETWORKS[name](0).eval()
    with torch.no_grad():
        exported = torch.export.export(net, (normal(4, SIZE_IN),))
    assert not [node for node in exported.graph.nodes if "softsym" in str(node.target)]


def test_under_autocast_layers_are_computed_in_single_precision():
    block = block_of("4S + 2V", "O(3)", dtype=torch.float32)
    x = normal(5, block.bilinear.size)
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(block(x), block(x.float()))
        assert block(x.bfloat16()).dtype == torch.float32


def test_frozen_weights_get_no_gradients():
    block = block_of("2S + V + T(2)", "O(2)")
    block.bilinear.scale_weight.requires_grad_(False)
    x = normal(3, block.bilinear.size, dtype=torch.float64)
    block(x).sum().backward()
    assert block.bilinear.scale_weight.grad is None
    assert block.bilinear.inner_weight.grad is not None


def test_inputs_are_not_written_to():
    block = block_of("2S + V + T(2)", "O(2)")
    x = normal(3, block.bilinear.size, dtype=torch.float64)
    before = x.clone()
    first = block(x)
    kept = first.detach().clone()
    first.sum().backward()
    assert torch.equal(x, before)
    assert torch.equal(first.detach(), kept)
