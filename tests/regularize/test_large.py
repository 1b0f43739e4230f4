"""Large types: what every group's own projector takes away, against dense projectors."""

import numpy as np
import pytest
import torch

import softsym as ss
from softsym.regularize import joint
from softsym.regularize.joint import JointOperator
from softsym.regularize.large import LargeTypes
from softsym.regularize.stacked import Stacked
from tests.regularize.models import AXES, dense_bases, soft_model

STRENGTHS = (1.0, 0.5, 2.0)


@pytest.fixture
def stacked() -> Stacked:
    model = soft_model(AXES)
    return Stacked.of(model, model.representations())


def everything_large(stacked: Stacked, groups: list[ss.Group]) -> LargeTypes:
    """All types of a model, as if none of them were small."""
    positions: dict[ss.reps.TensorType, list[np.ndarray]] = {}
    for one, offset in zip(stacked.maps, stacked.offsets, strict=True):
        for kind, index in one.positions(groups).items():
            positions.setdefault(kind, []).append(index + offset)
    joined = {kind: np.concatenate(parts) for kind, parts in positions.items()}
    return LargeTypes(joined, groups, stacked.offsets)


def test_takes_the_weighted_projections_away(stacked):
    model = soft_model(AXES)
    groups = [ss.group(G) for G in AXES]
    large = everything_large(stacked, groups)
    out = [torch.zeros_like(p) for p in stacked.parameters]
    product = large.subtract_(out, stacked.parameters, STRENGTHS)
    expected = torch.zeros(stacked.size, dtype=torch.float64)
    for strength, G in zip(STRENGTHS, AXES, strict=True):
        bases = dense_bases(model, model.representations(), G).values()
        pieces = zip(stacked.flat().split(stacked.sizes), bases, strict=True)
        expected += strength * torch.cat([Q @ (Q.T @ v) for v, Q in pieces])
    assert torch.allclose(torch.cat([piece.flatten() for piece in out]), -expected, atol=1e-12)
    assert float(product) == pytest.approx(float(stacked.flat() @ expected))
    assert torch.equal(large.index, torch.arange(stacked.size))


@pytest.mark.parametrize(("name", "limit"), [("LARGEST_TYPE", 20), ("LARGEST_BLOCK", 2)])
def test_large_and_small_types_add_up_to_the_same_operator(stacked, name, limit, monkeypatch):
    groups = [ss.group(G) for G in AXES]
    whole = JointOperator(stacked, groups).apply(stacked.flat(), STRENGTHS)
    monkeypatch.setattr(joint, name, limit)
    split = JointOperator(stacked, groups)
    assert split.large is not None
    assert torch.allclose(split.apply(stacked.flat(), STRENGTHS), whole, atol=1e-12)
