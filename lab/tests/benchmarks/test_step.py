"""One training step of every network."""

import pytest
import torch

from softsym.nn import EMLP
from softsym_lab.benchmarks import step


@pytest.mark.parametrize("name", step.NETWORKS)
def test_a_step_learns(name):
    net = step.build(name, 12)
    x = torch.randn(8, 20, generator=torch.Generator().manual_seed(0))
    before = net(x).detach().clone()
    step.training_step(net, None, 8)()
    assert not torch.equal(net(x).detach(), before)


def test_penalties_have_as_many_groups_as_their_name_says():
    assert {name: len(groups) for name, groups in step.PENALTIES.items()} == {
        "soft_per1": 1,
        "soft_per3": 3,
        "soft_per8": 8,
    }
    for name in step.PENALTIES:
        step.make_step(name, 12, 8)()


def test_the_unconstrained_baseline_has_every_weight_free():
    net = EMLP(step.IN, step.OUT, "O(3)", 12)
    freed = step._without_constraints(net)
    assert all(type(block.linear) is torch.nn.Linear for block in freed.blocks)
    assert all(parameter.requires_grad for parameter in freed.parameters())
    x = torch.randn(8, 20, generator=torch.Generator().manual_seed(0))
    assert torch.allclose(freed(x), net(x), atol=1e-5)  # until it learns


def test_growth_of_the_regularizer():
    numbers = step.growth((16, 32))
    assert [row["width"] for row in numbers["rows"]] == [16, 32]
    assert numbers["rows"][0]["weights"] < numbers["rows"][1]["weights"]
