"""The penalty as a differentiable operation."""

import pytest
import torch

from softsym.regularize.joint import JointOperator
from softsym.regularize.penalty import Penalty
from softsym.regularize.stacked import Stacked
from tests.regularize.models import AXES, soft_model


@pytest.mark.parametrize("relative", [False, True])
def test_against_finite_differences(relative):
    model = soft_model(AXES, width=6)
    stacked = Stacked.of(model, model.representations())
    operator = JointOperator(stacked, model.candidates)
    parameters = [p.detach().clone().requires_grad_() for p in stacked.parameters]
    assert torch.autograd.gradcheck(
        lambda *ps: Penalty.apply(operator, (1.0, 0.5, 2.0), relative, *ps), parameters, fast_mode=True
    )


def test_scales_with_what_comes_after():
    model = soft_model(AXES, width=6)
    stacked = Stacked.of(model, model.representations())
    operator = JointOperator(stacked, model.candidates)
    one, three = (
        torch.autograd.grad(k * Penalty.apply(operator, (1.0, 1.0, 1.0), False, *stacked.parameters), stacked.parameters)
        for k in (1, 3)
    )  # fmt: skip
    assert all(torch.allclose(3 * a, b, atol=1e-12) for a, b in zip(one, three, strict=True))
