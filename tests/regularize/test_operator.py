"""The flat vector of all parameters, projectors on it, and K = sum_k lambda_k (1 - P_k) against dense projectors."""

import pytest
import torch

import softsym as ss
from softsym.regularize import operator as operator_module
from softsym.regularize.operator import JointOperator, LargeTypes, StackedParameters, projector
from tests.regularize.models import AXES, GROUPS, dense_bases, soft_model

STRENGTHS = (1.0, 0.5, 2.0)


@pytest.fixture
def stacked() -> StackedParameters:
    model = soft_model(AXES)
    return StackedParameters.from_model(model, model.representations())


def test_large_types_have_the_sum_of_weighted_projections(stacked):
    model = soft_model(AXES)
    groups = [ss.group(G) for G in AXES]
    large = LargeTypes(stacked.positions(groups), groups)
    expected = torch.zeros(stacked.size, dtype=torch.float64)
    for strength, G in zip(STRENGTHS, AXES, strict=True):
        bases = dense_bases(model, model.representations(), G).values()
        pieces = zip(stacked.flat().split(stacked.sizes), bases, strict=True)
        expected += strength * torch.cat([Q @ (Q.T @ v) for v, Q in pieces])
    assert torch.equal(large.index, torch.arange(stacked.size))
    assert torch.allclose(large.project(stacked.flat(), STRENGTHS), expected, atol=1e-12)


@pytest.mark.parametrize(("name", "limit"), [("LARGEST_TYPE", 20), ("LARGEST_BLOCK", 2)])
def test_large_and_small_types_add_up_to_the_same_operator(stacked, name, limit, monkeypatch):
    groups = [ss.group(G) for G in AXES]
    whole = JointOperator(stacked, groups).apply(stacked.flat(), STRENGTHS)
    monkeypatch.setattr(operator_module, name, limit)
    split = JointOperator(stacked, groups)
    assert split.large is not None
    assert torch.allclose(split.apply(stacked.flat(), STRENGTHS), whole, atol=1e-12)


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


@pytest.mark.parametrize("together", [["SO(2)@z"], ["SO(2)@z", "O(2)@x"]])
def test_projects_like_each_space_alone(stacked, together):
    """Whether types are those of the group alone or of several groups."""
    G = ss.group("SO(2)@z")
    P = projector(G, stacked.positions([ss.group(name) for name in together]), stacked.size)
    pieces = stacked.split(P.project(stacked.flat()[None])[0])
    spaces = [tensor_map.space(G) for tensor_map in stacked.maps]
    for value, space, p in zip(pieces, spaces, stacked.parameters, strict=True):
        assert torch.allclose(value, space.project(p.detach()), atol=1e-12)
    assert P.dim == sum(space.dim for space in spaces)


def test_sums_by_layer(stacked):
    assert stacked.sum_by_layer([1, 2, 3, 4, 5, 6]) == {"blocks.0.linear": 3, "blocks.1.linear": 7, "last": 11}


@pytest.mark.parametrize("groups", GROUPS.values(), ids=GROUPS)
def test_agrees_with_dense_projectors(groups):
    model = ss.nn.SoftMLP("S + V", "V'", groups, hidden="2S + V + V'", layers=2).double()
    maps = model.representations()
    stacked = StackedParameters.from_model(model, maps)
    read = [ss.group(G) for G in groups]
    strengths = [0.3 + k for k in range(len(groups))]
    operator = JointOperator(stacked, read)
    x = torch.randn(stacked.size, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    expected = torch.zeros_like(x)
    for strength, G in zip(strengths, groups, strict=True):
        pieces = zip(x.split(stacked.sizes), dense_bases(model, maps, G).values(), strict=True)
        expected += strength * torch.cat([v - Q @ (Q.T @ v) for v, Q in pieces])
    assert torch.allclose(operator.apply(x, strengths), expected, atol=1e-12)
    again = operator.apply(x, [2 * s for s in strengths])  # constants are made anew for other strengths
    assert torch.allclose(again, 2 * expected, atol=1e-12)
    single = operator.apply(x.float(), strengths)
    assert single.dtype == torch.float32
    assert torch.allclose(single.double(), expected, atol=1e-4)


def test_a_vector_stays_as_it_was():
    model = soft_model(["O(3)"])
    stacked = StackedParameters.from_model(model, model.representations())
    w = stacked.flat()
    before = w.clone()
    JointOperator(stacked, [ss.O(3)]).apply(w, [1.0])
    assert torch.equal(w, before)
