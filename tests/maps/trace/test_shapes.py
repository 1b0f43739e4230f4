"""Functions that rearrange numbers keep track of what they carry."""

import pytest
import torch

from tests.maps.trace.watch import watched

R = "2Regular(C(4)@z)"


@pytest.mark.parametrize(("function", "middle", "source"), [
    (lambda m, x: x.transpose(0, 1).contiguous().transpose(0, 1), 8, R),
    (lambda m, x: x.permute(1, 0, 2).permute((1, 0, 2)), 8, R),
    (lambda m, x: x.unsqueeze(1).squeeze(1), 8, R),
    (lambda m, x: x[:, -1], 8, R),
    (lambda m, x: x[..., :4], 4, "Regular(C(4)@z)"),
    (lambda m, x: torch.cat([x, x], -1), 16, f"{R} + {R}"),
    (lambda m, x: torch.cat([x, x], 1), 8, R),
    (lambda m, x: torch.stack([x, x]).sum(0), 8, R),
    (lambda m, x: sum(x.chunk(2, -1)), 4, "Regular(C(4)@z)"),
    (lambda m, x: x.split([4, 4], dim=-1)[1], 4, "Regular(C(4)@z)"),
    (lambda m, x: x.unbind(1)[0], 8, R),
    (lambda m, x: x.flatten(0, 1), 8, R),
    (lambda m, x: x.flatten(1), 40, " + ".join([R] * 5)),
    (lambda m, x: x.repeat(1, 1, 2), 16, f"{R} + {R}"),
    (lambda m, x: x[:, [0, 1]].mean(1), 8, None),
    (lambda m, x: x.mT.mT, 8, R),
    (lambda m, x: x.select(1, 0), 8, R),
    (lambda m, x: x[:, :1].expand(-1, 3, -1), 8, R),
])  # fmt: skip
def test_followed(function, middle, source):
    found = watched(function, middle)
    if source is not None:
        assert found.not_understood == ()
        assert found["last.weight"].axes[1].factor.size("C(4)@z") == middle
        assert found["last.weight"].space("C(4)@z").dim > 0
    assert not found.left_alone


@pytest.mark.parametrize(("function", "words"), [
    (lambda m, x: x[..., ::2].repeat(1, 1, 2), "takes every 2th of an axis that is carries"),
    (lambda m, x: x.roll(1, -1), "roll is not understood"),
    (lambda m, x: x.flip(-1), "flip is not understood"),
])  # fmt: skip
def test_not_followed(function, words):
    found = watched(function)
    assert any(words in line for line in found.not_understood)
    assert "last.weight" in found  # it is taken as it comes
