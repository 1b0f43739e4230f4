"""Products of tensors."""

import pytest
import torch

from tests.maps.trace.watch import watched


@pytest.mark.parametrize("function", [
    lambda m, x: x @ m.w, lambda m, x: torch.einsum("btc,cd->btd", x, m.w), lambda m, x: torch.matmul(x, m.w),
    lambda m, x: torch.addmm(m.b, x.flatten(0, 1), m.w),
])  # fmt: skip
def test_a_parameter_by_itself_is_a_map(function):
    found = watched(function, w=torch.ones(8, 8), b=torch.ones(8))
    assert found["w"].space("C(4)@z").dim == 8 * 8 // 4
    assert str(found["w"]) == "2Regular(C(4)@z) -> 2Regular(C(4)@z)"


def test_scores():
    def attend(m, x):
        return torch.nn.functional.scaled_dot_product_attention(x, x, x)

    found = watched(attend, groups=["O(2)@z"])
    assert str(found["first.bias"]) == "5S + V"
    assert found.not_understood == ()


@pytest.mark.parametrize(
    "function",
    [
        lambda m, x: torch.einsum("btc->bt", x)[..., None].expand(-1, -1, 8),
        lambda m, x: x @ x[0, 0].outer(x[0, 0]),
    ],
)
def test_not_followed(function):
    assert watched(function).not_understood
