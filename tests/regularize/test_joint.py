"""The joint operator K = sum_k lambda_k (1 - P_k), entry by entry."""

import pytest
import torch

import softsym as ss
from softsym.regularize.joint import JointOperator
from softsym.regularize.stacked import Stacked
from tests.regularize.models import GROUPS, dense_bases, soft_model


@pytest.mark.parametrize("groups", GROUPS.values(), ids=GROUPS)
def test_agrees_with_dense_projectors(groups):
    model = ss.nn.SoftMLP("S + V", "V'", groups, hidden="2S + V + V'", layers=2).double()
    maps = model.representations()
    stacked = Stacked.of(model, maps)
    read = [ss.group(G) for G in groups]
    strengths = [0.3 + k for k in range(len(groups))]
    found = JointOperator(stacked, read)
    x = torch.randn(stacked.size, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    expected = torch.zeros_like(x)
    for strength, G in zip(strengths, groups, strict=True):
        pieces = zip(x.split(stacked.sizes), dense_bases(model, maps, G).values(), strict=True)
        expected += strength * torch.cat([v - Q @ (Q.T @ v) for v, Q in pieces])
    assert torch.allclose(found.apply(x, strengths), expected, atol=1e-12)
    again = found.apply(x, [2 * s for s in strengths])  # constants are made anew for other strengths
    assert torch.allclose(again, 2 * expected, atol=1e-12)
    single = found.apply(x.float(), strengths)
    assert single.dtype == torch.float32
    assert torch.allclose(single.double(), expected, atol=1e-4)


def test_a_vector_stays_as_it_was():
    model = soft_model(["O(3)"])
    stacked = Stacked.of(model, model.representations())
    w = stacked.flat()
    before = w.clone()
    JointOperator(stacked, [ss.O(3)]).apply(w, [1.0])
    assert torch.equal(w, before)
