"""The gated nonlinearity, copy by copy."""

import pytest
import torch
from torch import Tensor

import softsym as ss
from softsym.nn import Gated, gated_rep
from softsym.nn.gate import gate_count
from tests.nn.networks import gap, normal

CASES = [
    ("3S + 2V", "O(3)"),
    ("V + 2S + T(2) + S + 3V", "O(3)"),
    ("2V", "SO(2)"),
    ("4S", "SO(2)"),
    ("2S + 2V + T(2)", "S(4)"),
    ("2S + V' + T(1,1)", "SL(2)"),
    ("Grid(2,2) + V + S + V*Grid(2,2)", "C(4)"),
    ("V[0] + V[1] + S", "SO(2) * S(3)"),
    ("2V + S", "Trivial(3)"),
    ("V", "O(1)"),
]
every = pytest.mark.parametrize(("rep", "G"), CASES)
soft_or_not = pytest.mark.parametrize("soft", [False, True])


def layer_of(rep: str, G: str, soft: bool) -> Gated:
    layer = Gated(ss.rep(rep), ss.group(G), soft=soft).double()
    if soft:
        with torch.no_grad():
            layer.soft.copy_(normal(layer.size, seed=9))
    return layer


def slow(layer: Gated, rep: ss.Rep, G: ss.Group, x: Tensor) -> Tensor:
    """One copy after the other."""
    gates, values = list(x[: layer.gates]), x[layer.gates :]
    out = torch.zeros_like(values)
    for segment in rep.segments(G):
        for start in range(segment.start, segment.stop, segment.size):
            copy = slice(start, start + segment.size)
            matrices = segment.type.rho(G, ss.reps.atoms.group_element(G, G.sample_parts(6, 0)))
            permutes = bool(((abs(matrices) < 1e-12) | (abs(matrices - 1) < 1e-12)).all())
            gates_itself = segment.type.is_permutation(G)
            assert permutes or not gates_itself
            gate = values[copy] if gates_itself else gates.pop(0)
            out[copy] = values[copy] * torch.sigmoid(gate)
    assert not gates
    swish = values * torch.sigmoid(values)
    return out if layer.soft is None else out + layer.soft * swish


@every
@soft_or_not
def test_agrees_with_the_slow_twin(rep, G, soft):
    layer = layer_of(rep, G, soft)
    x = normal(5, layer.gates + layer.size, dtype=torch.float64)
    with torch.no_grad():
        expected = torch.stack([slow(layer, ss.rep(rep), ss.group(G), row) for row in x])
    assert torch.allclose(layer.train()(x).detach(), expected, atol=1e-12)
    assert torch.allclose(layer.eval()(x).detach(), expected, atol=1e-12)


@every
def test_equivariant(rep, G):
    layer = layer_of(rep, G, soft=False)
    produced = gated_rep(ss.rep(rep), ss.group(G))
    x = normal(8, produced.size(G), dtype=torch.float64)
    assert gap(layer, produced, rep, G, x) < 1e-12


def test_the_soft_path_breaks_the_symmetry_of_vectors_only():
    for rep, G, broken in (("2V", "O(3)", True), ("2V", "S(3)", False), ("3S", "O(3)", False)):
        layer = layer_of(rep, G, soft=True)
        with torch.no_grad():
            layer.soft.fill_(0.3)
        produced = gated_rep(ss.rep(rep), ss.group(G))
        x = normal(8, produced.size(G), dtype=torch.float64)
        assert (gap(layer, produced, rep, G, x) > 1e-3) == broken


@every
def test_one_gate_for_every_copy_that_cannot_gate_itself(rep, G):
    layer = layer_of(rep, G, soft=False)
    assert gated_rep(ss.rep(rep), ss.group(G)).size(G) == layer.gates + layer.size
    assert layer.gates == gate_count(ss.rep(rep), ss.group(G))


def test_counts_by_hand():
    # V[1] of SO(2) * S(3) is merely permuted too, but has a gate like the whole of V
    counts = [gate_count(ss.rep(rep), ss.group(G)) for rep, G in CASES]
    assert counts == [2, 5, 2, 0, 0, 2, 2, 2, 0, 1]
    assert gated_rep(ss.rep("V + 2S"), ss.O(3)) == ss.rep("S + V + 2S")


def test_soft_coefficients_start_small():
    layer = Gated(ss.rep("2S + V"), ss.O(3), soft=True)
    assert torch.equal(layer.soft.detach(), torch.full((5,), 1e-3))
    assert not list(Gated(ss.rep("2S + V"), ss.O(3)).parameters())


@soft_or_not
@pytest.mark.parametrize("training", [True, False])
def test_batches_of_any_shape(soft, training):
    layer = layer_of("V + 2S + T(2)", "O(3)", soft).train(training)
    n = layer.gates + layer.size
    x = normal(2, 3, n, dtype=torch.float64)
    assert torch.allclose(layer(x).view(6, -1), layer(x.view(6, n)), atol=1e-14)
    assert torch.allclose(layer(x[0, 0]), layer(x)[0, 0], atol=1e-14)
    assert layer(x[:0]).shape == (0, 3, layer.size)
    wide = normal(4, 2 * n, dtype=torch.float64)[:, ::2]
    assert torch.allclose(layer(wide), layer(wide.contiguous()), atol=1e-14)
