"""Functions of single numbers, reductions and products of tensors."""

import pytest
import torch
from torch import nn

import softsym as ss
from softsym.errors import BrokenSymmetryWarning, UntracedWarning
from tests.maps.trace.between import Function, infer_between


@pytest.mark.parametrize(
    "function", [torch.relu, nn.functional.gelu, torch.exp, lambda x: x.clamp(0), lambda x: x + 1.0, lambda x: x * x]
)
def test_pointwise_nonlinearities_make_scalars_of_continuous_groups(function):
    proposal = infer_between(lambda m, x: function(x), groups=["O(2)@z"])
    assert str(proposal["first.bias"]) == "8S"
    assert proposal.breaks == ()


@pytest.mark.parametrize(
    "function", [lambda x: x, lambda x: 2 * x, lambda x: x / 3 - x, lambda x: -x, lambda x: x + x.mean(1, keepdim=True)]
)
def test_linear_functions_do_not(function):
    proposal = infer_between(lambda m, x: function(x), groups=["O(2)@z"])
    assert str(proposal["first.bias"]) == "5S + V"
    assert proposal.not_understood == proposal.breaks == ()


def test_where_a_known_representation_breaks():
    model = nn.Sequential(nn.ReLU(), nn.Linear(6, 3), nn.BatchNorm1d(3))
    with pytest.warns(UntracedWarning, match="2.weight: scales"), pytest.warns(BrokenSymmetryWarning):
        proposal = ss.infer_reps(model, "2V", "V", ["O(2)@z", "S(3)"])
    assert proposal.breaks == (
        "breaks O(2)@z here: relu in '0' acts on each number of 2V",
        "breaks O(2)@z here: batch_norm in '2' acts on each number of V",
    )


def test_a_gate_of_one_number():
    proposal = infer_between(lambda m, x: x * torch.sigmoid(x[..., :1]), groups=["O(2)@z"])
    assert "last.weight" in proposal


@pytest.mark.parametrize(
    "function",
    [
        lambda m, x: x.mean(-1, keepdim=True).expand(-1, -1, 8),
        lambda m, x: x.amax(dim=-1, keepdim=True).repeat(1, 1, 8),
    ],
)
def test_sums_of_channels_are_invariant_to_permutations_of_them(function):
    proposal = infer_between(function)
    assert str(proposal["first.bias"]) == "2Regular(C(4)@z)"
    assert str(proposal["last.weight"]) == "8S -> V"
    assert str(infer_between(function, groups=["O(2)@z"])["first.bias"]) == "8S"
    with pytest.warns(BrokenSymmetryWarning, match=r"(mean|amax) in 'the model' acts on each number of 6V"):
        ss.infer_reps(Function(function, 8, n_mid=18), "2V", "V", "O(3)", {"first": "6V"}, example=torch.zeros(2, 5, 6))


def test_some_axes_of_an_image():
    class Rows(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv, self.last = nn.Conv2d(1, 4, 3), nn.Linear(4, 1)

        def forward(self, x):
            return self.last(self.conv(x).mean(2).mean(2))

    with pytest.warns(UntracedWarning, match="the model: mean goes over some"):
        proposal = ss.infer_reps(Rows(), "S", "S", ["C(4)"])
    assert "the model: mean goes over some, not all, axes of an image" in proposal.not_understood


def test_uneven_padding():
    model = nn.Sequential(
        nn.ZeroPad2d((0, 1, 0, 1)), nn.Conv2d(1, 4, 2), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.PReLU(4)
    )
    with pytest.warns(BrokenSymmetryWarning, match="0 pads"):
        proposal = ss.infer_reps(model, "Grid(6,6)", "4S", ["C(4)"])
    assert "breaks C(4) here: 0 pads 0 pixels on one side and 1 on the other" in proposal.breaks
    assert str(proposal["4.weight"]) == "4S"


@pytest.mark.parametrize(
    "function",
    [
        lambda m, x: x @ m.w + m.b,
        lambda m, x: torch.einsum("btc,cd->btd", x, m.w) - m.b,
        lambda m, x: torch.matmul(x, m.w).sub_(m.b),
        lambda m, x: torch.addmm(m.b, x.flatten(0, 1), m.w),
    ],
)
def test_a_parameter_by_itself_is_a_map(function):
    proposal = infer_between(function, w=torch.ones(8, 8), b=torch.ones(8))
    assert proposal["w"].space("C(4)@z").dim == 8 * 8 // 4
    assert str(proposal["w"]) == "2Regular(C(4)@z) -> 2Regular(C(4)@z)"


def test_scores():
    def attend(m, x):
        return torch.nn.functional.scaled_dot_product_attention(x, x, x)

    proposal = infer_between(attend, groups=["O(2)@z"])
    assert str(proposal["first.bias"]) == "5S + V"
    assert proposal.not_understood == ()


@pytest.mark.parametrize(
    "function",
    [lambda m, x: torch.einsum("btc->bt", x)[..., None].expand(-1, -1, 8), lambda m, x: x @ x[0, 0].outer(x[0, 0])],
)
def test_products_that_are_not_understood(function):
    with pytest.warns(UntracedWarning, match="the model: (einsum|outer)"):
        assert infer_between(function).not_understood
