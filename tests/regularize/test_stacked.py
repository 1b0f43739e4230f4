"""Parameters as one flat vector."""

import pytest
import torch

import softsym as ss
from softsym.regularize.stacked import Stacked
from tests.regularize.models import AXES, soft_model


@pytest.fixture
def stacked() -> Stacked:
    model = soft_model(AXES)
    return Stacked.of(model, model.representations())


def test_flat_and_split_are_inverse(stacked):
    flat = stacked.flat()
    assert flat.shape == (stacked.size,) == (sum(stacked.sizes),)
    for piece, p in zip(stacked.split(flat), stacked.parameters, strict=True):
        assert torch.equal(piece, p)
    flat.zero_()
    assert stacked.flat().abs().sum() > 0  # a copy


def test_offsets(stacked):
    flat = stacked.flat()
    for offset, p in zip(stacked.offsets, stacked.parameters, strict=True):
        assert flat[offset] == p.flatten()[0]


def test_projects_like_each_space_alone(stacked):
    G = ss.group("SO(2)@z")
    flat = stacked.flat()
    found = stacked.split(stacked.packed(G).project(flat[None])[0])
    for value, space, p in zip(found, stacked.spaces(G), stacked.parameters, strict=True):
        assert torch.allclose(value, space.project(p.detach()), atol=1e-12)
    assert stacked.packed(G).dim == sum(space.dim for space in stacked.spaces(G))


def test_sums_by_layer(stacked):
    assert stacked.layers() == ["blocks.0.linear", "blocks.1.linear", "last"]
    assert stacked.by_layer([1, 2, 3, 4, 5, 6]) == {"blocks.0.linear": 3, "blocks.1.linear": 7, "last": 11}
