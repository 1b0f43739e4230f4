"""Violations: equivariance errors on data over what mistakes explain."""

import pytest
import torch
from torch import nn

import softsym as ss
from softsym.metrics.violation import Violations

GROUPS = (ss.group("SO(2)"), ss.group("O(2)"))


def data(n=400, seed=0):
    generator = torch.Generator().manual_seed(seed)
    x = torch.randn(n, 2, generator=generator)
    return x, x.norm(dim=1, keepdim=True)


class Function(nn.Module):
    def __init__(self, f):
        super().__init__()
        self.f, self.weight = f, nn.Parameter(torch.zeros(1))

    def forward(self, x):
        return self.f(x)


def read(f, **options):
    return Violations(ss.rep("V"), ss.rep("S"), GROUPS, data(), data(seed=1), **options)(Function(f), 0)


def test_an_equivariant_model_violates_nothing_however_wrong():
    assert read(lambda x: 3 * x.norm(dim=1, keepdim=True)) == pytest.approx(
        {"SO(2)": 0.0, "O(2)": 0.0}, abs=1e-9
    )


def test_mistakes_of_their_own_at_every_input_are_a_violation_of_one():
    """Predictions that miss the truth by independent amounts of equal size differ by twice their square."""

    def f(x):
        return x.norm(dim=1, keepdim=True) + 0.1 * torch.sin(1e4 * x.sum(1, keepdim=True))

    assert read(f) == pytest.approx({"SO(2)": 1.0, "O(2)": 1.0}, rel=0.15)


def test_a_model_that_breaks_a_symmetry_beyond_its_mistakes():
    x, _ = data(seed=1)

    def f(rows):
        return rows[:, :1]

    violations = Violations(ss.rep("V"), ss.rep("S"), GROUPS, data(), (x, x[:, :1] + 0.01))(Function(f), 0)
    assert min(violations.values()) > 1e3


def test_classes_are_compared_as_probabilities():
    same = read(lambda x: 50 * torch.sign(x[:, :1]) + 100, link=torch.sigmoid)
    assert max(same.values()) < 1e-6


def test_other_seeds_draw_other_elements_and_the_same_seed_the_same():
    gauge = Violations(ss.rep("V"), ss.rep("S"), GROUPS, data(), data(seed=1))
    f = Function(lambda x: x[:, :1])
    assert gauge(f, 1) == gauge(f, 1) != gauge(f, 2)
