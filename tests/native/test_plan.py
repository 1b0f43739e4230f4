"""What a layer computes, in plain numbers."""

import pytest

import softsym as ss
from softsym.native import Gates, Run
from softsym.nn.bilinear import SCALE, plan


def test_terms_of_all_kinds():
    made = plan(ss.rep("2S + V + T(2)"), ss.O(2))
    assert (len(made.scaled), len(made.inner), len(made.mixed)) == (2, 2, 1)
    assert made.terms == made.scaled + made.inner + made.mixed
    assert made.scale == SCALE
    assert made.types[made.scalars].size == 1


def test_no_scalars_no_terms_from_or_to_them():
    made = plan(ss.rep("2V"), ss.SO(3))
    assert made.scalar is None
    with pytest.raises(AssertionError):
        _ = made.scalars


def test_gates_in_the_order_of_runs():
    gates = Gates(5, 11, (Run(0, 2, 0, 1), Run(2, 8, 2, 3), Run(8, 11, 3, 1)))
    assert gates.gated == [(Run(2, 8, 2, 3), 0), (Run(8, 11, 3, 1), 2)]


def test_plans_are_values():
    made = plan(ss.rep("2S + V"), ss.O(3))
    assert made == plan(ss.rep("2S + V"), ss.O(3))
    assert hash(made) == hash(plan(ss.rep("2S + V"), ss.O(3)))
