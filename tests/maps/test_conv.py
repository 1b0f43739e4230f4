"""Convolutions of every kind."""

import pytest
from torch import nn

import softsym as ss
from softsym.errors import InputError
from softsym.maps.conv import Convolution, read_conv
from tests.maps.twins import check


@pytest.mark.parametrize(("module", "rep_in", "rep_out", "G"), [
    (nn.Conv2d(3, 8, 3), "3S", "2Regular(C(4))", "C(4)"),
    (nn.Conv2d(3, 8, 3, stride=2, dilation=2, padding=1), "S + V", "Regular(D(4))", "D(4)"),
    (nn.Conv2d(8, 8, 3, groups=2), "2Regular(C(4))", "2Regular(C(4))", "C(4)"),
    (nn.Conv2d(4, 4, 3, groups=4), "Regular(C(4))", "Regular(C(4))", "C(4)"),
    (nn.Conv2d(2, 3, (3, 1)), "2S", "3S", "O(1)@2[0]"),
    (nn.Conv1d(2, 3, 4), "V + S", "S + 2V", "O(1)"),
    (nn.Conv3d(1, 3, 2), "S", "V", "Octahedral()"),
    (nn.ConvTranspose2d(4, 2, 3), "Regular(C(4))", "V", "C(4)"),
    (nn.ConvTranspose2d(8, 4, 2, groups=2), "2Regular(C(4))", "2V", "C(4)"),
    (nn.ConvTranspose1d(4, 4, 3, groups=4), "2Regular(O(1))", "2Regular(O(1))", "O(1)"),
    (nn.Conv1d(6, 3, 3, bias=False), "2V", "V", "C(4)@z"),
])  # fmt: skip
def test_agrees_with_the_average(module, rep_in, rep_out, G):
    assert max(check(module, rep_in, rep_out, G).values()) > 0


def test_offsets_stand_still_where_groups_act_on_channels_only():
    details = Convolution((3, 3), moves=False)
    assert str(details.weight(ss.rep("V"), ss.rep("V"), ss.C(4))) == "V * (9S) -> V"


def test_parts_must_be_equal():
    with pytest.raises(InputError, match=r"S \+ V is not 3 equal representations"):
        Convolution((3, 3), parts=3).weight(ss.rep("S + V"), ss.rep("3S"), ss.group("O(3)"))
    with pytest.raises(InputError, match="Linear is not a convolution of torch"):
        read_conv("a", nn.Linear(1, 1), ss.rep("S"), ss.rep("S"), [ss.C(4)])
