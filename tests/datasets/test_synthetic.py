from dataclasses import dataclass
from typing import ClassVar

import pytest
import torch

from softsym.datasets.builtin import OBSERVED, Synthetic
from softsym.groups import group
from softsym.reps import rep

AXIS, ALL, NONE = group("O(2)@z"), group("O(3)"), group("SO(3)")


@dataclass(frozen=True)
class Doubled(Synthetic):
    """y = 2 x, in float64."""

    name: ClassVar[str] = "doubled"
    rep_in: ClassVar = rep("V")
    rep_out: ClassVar = rep("V")
    groups: ClassVar = (AXIS, ALL, NONE)
    largest: ClassVar = ALL
    breaking: ClassVar = {AXIS: 0.0, ALL: 0.1, NONE: 0.3}

    def inputs(self, n, generator):
        return torch.randn(n, 3, generator=generator, dtype=torch.float64)

    def truth(self, x):
        return 2 * x


@pytest.fixture
def doubled():
    return Doubled()


def test_outputs_are_the_truth_of_inputs_before_rounding(doubled):
    x, y = doubled.sample(20, seed=3)
    assert torch.equal(y, 2 * x)
    assert x.dtype == y.dtype == torch.float32
    assert doubled.target is not None


def test_words_for_how_much_is_broken(doubled):
    assert doubled.expected == {AXIS: "exact", ALL: "soft", NONE: "absent"}


def test_every_part_has_its_own_stream(doubled):
    splits = doubled.splits(0, (10, 10, 10))
    parts = [splits.train[0], splits.val[0], splits.test[0], doubled.sample(10, 0)[0]]
    assert len({tuple(part[0].tolist()) for part in parts}) == 4
    longer = doubled.splits(0, (50, 10, 10))
    assert torch.equal(longer.val[0], splits.val[0])


def test_a_formula_can_be_observed_as_often_as_wanted(doubled):
    x, y = doubled.observations(seed=2)
    assert (len(x), len(y)) == (OBSERVED, OBSERVED)
    assert torch.equal(x, doubled.sample(OBSERVED, 2)[0])


def test_sizes_and_origin(doubled):
    assert doubled.sizes == (1000, 1000, 1000)
    assert doubled.origin == "computed from a formula"
    assert doubled.error.name == "MSE"
