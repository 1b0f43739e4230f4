"""Moving data, against the dense matrices of a representation."""

import numpy as np
import pytest
import torch

import softsym as ss
from softsym.errors import InputError
from softsym.groups import gaussian
from softsym.metrics import act
from softsym.metrics.transform import transforms
from tests.catalogue import GROUPS, SMALL, each, elements, reps_of


@each(SMALL)
def test_agrees_with_the_dense_matrices(G):
    parts = elements(G, 3)
    for rep in reps_of(G, limit=40):
        x = np.random.default_rng(1).standard_normal((2, rep.size(G)))
        expected = np.einsum("tij,nj->tni", rep.rho(G, parts), x)
        assert np.allclose(act(rep, G, parts, x), expected, atol=1e-12)
        transformed = act(rep, G, parts, torch.tensor(x))
        assert transformed.dtype == torch.float64
        assert np.allclose(transformed.numpy(), expected, atol=1e-12)


def test_keeps_kind_and_dtype_and_reads_text():
    parts = ss.O(3).sample_parts(2)
    assert act("S + V", "O(3)", parts, np.zeros((5, 4), np.float32)).dtype == np.float32
    assert act("S + V", "O(3)", parts, torch.zeros(5, 4)).dtype == torch.float32
    assert act("S + V", "O(3)", parts, np.zeros((5, 4), int)).dtype == np.float64
    assert act("S + V", "O(3)", parts, torch.zeros(5, 4, dtype=torch.int64)).dtype == torch.float32
    assert act("0", "O(3)", parts, np.zeros((5, 0))).shape == (2, 5, 0)
    assert act("0", "O(3)", parts, torch.zeros(5, 0)).shape == (2, 5, 0)


def test_takes_whole_matrices_and_differentiates():
    x = torch.randn(2, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0), requires_grad=True)
    assert torch.autograd.gradcheck(lambda x: act("V", ss.SO(3), ss.SO(3).sample(2), x), (x,))


@pytest.mark.parametrize(
    ("parts", "x", "message"),
    [
        (ss.O(3).sample_parts(2), np.zeros((8, 5)), r"`rep` has size 4, got `x` of shape \(8, 5\)"),
        (ss.O(3).sample_parts(2), np.zeros(4), r"got `x` of shape \(4,\)"),
        (ss.O(3).sample_parts(2), np.zeros((8, 4), complex), "`x` holds complex numbers"),
        (ss.O(3).sample_parts(2), torch.zeros(8, 4, dtype=torch.complex64), "real numbers, got a tensor"),
        (np.eye(3), np.zeros((8, 4)), r"batch of elements \(t, 3, 3\), got \(3, 3\)"),
        (np.zeros((2, 2, 2)), np.zeros((8, 4)), r"shape \(..., 3, 3\)"),
    ],
)
def test_refuses(parts, x, message):
    with pytest.raises(InputError, match=message):
        act("S + V", "O(3)", parts, x)


def test_samplers():
    G = ss.O(2).about("z")
    assert np.array_equal(transforms(G, 4, 1)[0], G.sample(4, 1))
    assert np.array_equal(transforms(G, 4, 1, "gaussian")[0], gaussian(G, 4, 1))
    with pytest.raises(InputError, match="unknown sampler 'uniform'; pass 'haar' or 'gaussian'"):
        transforms(G, 4, 1, "uniform")
    with pytest.raises(InputError, match="at least 1, got 0"):
        transforms(G, 0)


@pytest.mark.parametrize("text", ["SO(2) * S(3)", "(SO(2) | Scaling(2)) * S(2)", "SO(3) * Trivial(2)"])
def test_gaussian_draws_of_a_product_leave_its_equivariant_maps_alone(text):
    G = GROUPS.get(text) or ss.group(text)
    parts = transforms(G, 5, 0, "gaussian")
    assert [p.shape for p in parts] == [(5, d, d) for d in G.part_dims]
    invariant = ss.invariants("V[0]*V[0]' + V[1]*V[1]'", G).basis().T
    assert np.allclose(act("V[0]*V[0]' + V[1]*V[1]'", G, parts, invariant), invariant, atol=1e-9)
