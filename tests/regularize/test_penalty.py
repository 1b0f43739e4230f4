"""The penalty as a differentiable operation."""

import pytest
import torch

from softsym.native import torch_only
from softsym.regularize import operator as operator_module
from softsym.regularize.operator import JointOperator, Penalty, StackedParameters
from tests.regularize.models import AXES, soft_model


@pytest.mark.parametrize("relative", [False, True])
def test_against_finite_differences(relative):
    model = soft_model(AXES, width=6)
    stacked = StackedParameters.from_model(model, model.representations())
    operator = JointOperator(stacked, model.candidates)
    parameters = [p.detach().clone().requires_grad_() for p in stacked.parameters]
    assert torch.autograd.gradcheck(
        lambda *ps: Penalty.apply(operator, (1.0, 0.5, 2.0), relative, *ps), parameters, fast_mode=True
    )


def test_scales_with_what_comes_after():
    model = soft_model(AXES, width=6)
    stacked = StackedParameters.from_model(model, model.representations())
    operator = JointOperator(stacked, model.candidates)
    one, three = (
        torch.autograd.grad(
            k * Penalty.apply(operator, (1.0, 1.0, 1.0), False, *stacked.parameters), stacked.parameters
        )
        for k in (1, 3)
    )
    assert all(torch.allclose(3 * a, b, atol=1e-12) for a, b in zip(one, three, strict=True))


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("largest", [2_500, 20])  # with 20 some types go through every group's own projector
@pytest.mark.parametrize(("dtype", "tolerance"), [(torch.float64, 1e-12), (torch.float32, 1e-5)])
def test_compiled_code_agrees_with_torch(relative, largest, dtype, tolerance, monkeypatch):
    monkeypatch.setattr(operator_module, "LARGEST_TYPE", largest)
    model = soft_model(AXES, width=48).to(dtype)
    stacked = StackedParameters.from_model(model, model.representations())
    operator = JointOperator(stacked, model.candidates)
    assert (operator.large is not None) == (largest == 20)

    def value_and_gradients():
        value = Penalty.apply(operator, (1.0, 0.5, 2.0), relative, *stacked.parameters)
        return value, *torch.autograd.grad(value, stacked.parameters)

    compiled = value_and_gradients()
    with torch_only():
        expected = value_and_gradients()
    for a, b in zip(compiled, expected, strict=True):
        assert torch.allclose(a, b, rtol=tolerance, atol=tolerance)


def test_backward_twice():
    """The gradient is given away the first time, so that it can be added to in place."""
    model = soft_model(AXES, width=6)
    stacked = StackedParameters.from_model(model, model.representations())
    operator = JointOperator(stacked, model.candidates)
    value = Penalty.apply(operator, (1.0, 1.0, 1.0), False, *stacked.parameters)
    first = torch.autograd.grad(value, stacked.parameters, retain_graph=True)
    copies = [g.clone() for g in first]
    for g in first:
        g.add_(1)
    second = torch.autograd.grad(value, stacked.parameters)
    assert all(torch.allclose(a, b) for a, b in zip(copies, second, strict=True))


def test_gradients_of_loss_and_penalty_add_up():
    model = soft_model(AXES, width=6)
    stacked = StackedParameters.from_model(model, model.representations())
    operator = JointOperator(stacked, model.candidates)

    def gradients(*losses):
        model.zero_grad(set_to_none=True)
        sum(losses).backward()
        return [p.grad for p in stacked.parameters]

    def penalty():
        return Penalty.apply(operator, (1.0, 1.0, 1.0), False, *stacked.parameters)

    def loss():
        return sum(p.square().sum() for p in stacked.parameters)

    both, one, other = gradients(loss(), penalty()), gradients(loss()), gradients(penalty())
    for a, b, c in zip(both, one, other, strict=True):
        assert torch.allclose(a, b + c, atol=1e-12)


def test_parameters_in_another_memory_order():
    model = soft_model(AXES, width=6)
    stacked = StackedParameters.from_model(model, model.representations())
    operator = JointOperator(stacked, model.candidates)
    transposed = [p.detach().t().contiguous().t() if p.dim() == 2 else p.detach() for p in stacked.parameters]
    Kw, form, square = operator.products(transposed, (1.0, 1.0, 1.0))
    contiguous = [p.detach() for p in stacked.parameters]
    expected, same_form, same_square = operator.products(contiguous, (1.0, 1.0, 1.0))
    assert all(torch.allclose(a, b, atol=1e-12) for a, b in zip(Kw, expected, strict=True))
    assert float(form) == pytest.approx(float(same_form))
    assert float(square) == pytest.approx(float(same_square))
