"""Layers note what their parameters are; the models of `test_infer.py` use all of them."""

import torch
from torch import nn

import softsym as ss


def test_a_bilinear_layer():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.pair = nn.Bilinear(3, 3, 3)

        def forward(self, x):
            return self.pair(x[:, :3], x[:, 3:])

    found = ss.infer_reps(Two(), "2V", "V", ["SO(3)"])
    assert found["pair.weight"].space("SO(3)").dim == 1  # the cross product
    assert str(found["pair.bias"]) == "V"


def test_norms_over_pixels_and_groups():
    model = nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1),
        nn.LayerNorm([8, 4, 4]),
        nn.GroupNorm(2, 8),
        nn.InstanceNorm2d(8, affine=True),
        nn.RMSNorm([8, 4, 4]),
    )
    found = ss.infer_reps(
        model,
        "Grid(4,4)",
        "8Grid(4,4)",
        ["C(4)"],
        {"0": "2Regular(C(4))", "3": "2Regular(C(4))", "4": "2Regular(C(4))"},
    )
    assert found["1.weight"].space("C(4)").dim == 8 * 16 // 4
    assert (
        str(found["2.weight"]) == "Regular(C(4)) + Regular(C(4))" or found["2.weight"].space("C(4)").dim == 2
    )


def test_a_layer_that_is_used_twice_has_one_map():
    shared = nn.Linear(8, 8)
    model = nn.Sequential(nn.Linear(6, 8), shared, nn.ReLU(), shared, nn.Linear(8, 3))
    found = ss.infer_reps(model, "2V", "V", ["C(4)@z"])
    assert str(found["1.weight"]) == "2Regular(C(4)@z) -> 2Regular(C(4)@z)"
    assert len(found) == 6


def test_a_layer_that_is_used_differently_is_left_alone():
    class Odd(nn.Module):
        def __init__(self):
            super().__init__()
            self.shared = nn.Linear(6, 6)

        def forward(self, x):
            return self.shared(self.shared(x))

    found = ss.infer_reps(Odd(), "2V", "6S", ["C(4)@z"])
    assert "is used as" in found.left_alone["shared.weight"]


def test_convolutions_along_channels_are_not_understood():
    class Odd(nn.Module):
        def __init__(self):
            super().__init__()
            self.conv = nn.Conv1d(5, 5, 3, padding=1)

        def forward(self, x):
            return self.conv(x)[:, 0]

    found = ss.infer_reps(Odd(), "2V", "2V", ["C(4)@z"], example=torch.zeros(2, 5, 6))
    assert "conv.weight" in found.left_alone
