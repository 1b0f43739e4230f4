"""Parameters and numbers that do not fit what the regularizer was made for: they are used rightly or refused in one line."""

from contextlib import nullcontext

import numpy as np
import pytest
import torch

import softsym as ss
from softsym.errors import InputError
from softsym.native import torch_only

CALLS = {
    "penalty": lambda per: per(),
    "prox_": lambda per: per.prox_(0.1),
    "step_": lambda per: per.step_(0.1),
    "initialize_": lambda per: per.initialize_(),
    "project_": lambda per: per.project_("O(3)"),
    "residuals": lambda per: per.residuals(),
}


def regularized(dtype=torch.float32):
    torch.manual_seed(0)
    model = torch.nn.Linear(60, 30, bias=False).to(dtype)
    return model, ss.EquivarianceRegularizer(model, ["O(3)", "O(2)@z"], "20V", "10V")


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
@pytest.mark.parametrize("is_prepared", [True, False])
def test_exchanged_data_are_refused(call, is_prepared):
    for other in (
        torch.zeros(1),
        torch.zeros(0),
        torch.zeros(60, 30),
        torch.zeros(30, 61),
        torch.zeros(30, 60, dtype=torch.int8),
    ):
        model, per = regularized()
        if is_prepared:
            per()
            per.prox_(0.1)
        if other.dtype == torch.int8:
            model.weight.requires_grad_(False)
        model.weight.data = other
        with pytest.raises(InputError, match="weight"):
            call(per)
        assert (model.weight == 0).all()


@pytest.mark.parametrize("native", [True, False])
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_released_memory_is_refused(call, native):
    model, per = regularized()
    per()
    model.weight.untyped_storage().resize_(0)
    with nullcontext() if native else torch_only(), pytest.raises(InputError, match="memory of weight"):
        call(per)


@pytest.mark.parametrize("native", [True, False])
def test_frozen_parameters_stay(native):
    model, per = regularized()
    per()
    before = model.weight.requires_grad_(False).clone()
    with nullcontext() if native else torch_only():
        for call in ("prox_", "step_", "initialize_"):
            CALLS[call](per)
            assert torch.equal(model.weight, before), call
        with pytest.raises(InputError, match="weight is frozen and not equivariant to O"):
            per.project_("O(3)")
        assert torch.equal(model.weight, before)
    model.weight.requires_grad_(True)
    per.prox_(0.1)
    assert not torch.equal(model.weight, before)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), -1.0, "a", None, [1.0], 1j])
def test_steps_that_are_no_numbers(number):
    model, per = regularized()
    before = model.weight.detach().clone()
    for call in (per.step_, per.prox_):
        with pytest.raises(InputError, match="finite and at least 0, got"):
            call(number)
    with pytest.raises(InputError, match="finite and at least 0, got"):
        per.strengths["O(3)"] = number
    assert torch.equal(model.weight, before)


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.int64, torch.tensor, int])
def test_numbers_of_any_library(kind):
    model, per = regularized()
    per.strengths["O(3)"] = kind(2.0) if kind is torch.tensor else kind(2)
    assert per.strengths["O(3)"] == 2.0
    assert type(per.strengths["O(3)"]) is float
    per.prox_(kind(1.0) if kind is torch.tensor else kind(1))
    assert model.weight.isfinite().all()


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_half_precision_starts_as_single_precision_does(dtype):
    model, per = regularized(dtype)
    twin, other = regularized()
    twin.weight.data = model.weight.data.float()
    for call in ("initialize_", "prox_", "step_"):
        CALLS[call](per)
        CALLS[call](other)
        assert torch.allclose(model.weight.float(), twin.weight, rtol=0.05, atol=0.01), call
    per.strengths = {"O(3)": 1e6}
    other.strengths = {"O(3)": 1e6}
    assert per().isfinite()
    assert torch.allclose(per().float(), other(), rtol=0.5, atol=1e3)


@pytest.mark.filterwarnings("ignore:The .grad attribute")  # torch's own, of what comes out of the penalty
def test_the_first_penalty_inside_a_compiled_function():
    model, per = regularized()
    expected = regularized()[1]()

    @torch.compile(backend="eager")
    def loss(x):
        return model(x).square().mean() + per()

    x = torch.ones(4, 60)
    assert loss(x).item() == pytest.approx((model(x).square().mean() + expected).item(), rel=1e-5)
