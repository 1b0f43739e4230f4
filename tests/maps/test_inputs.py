"""What goes into a model."""

import pytest
import torch
from torch import nn

import softsym as ss
from softsym.errors import InputError
from softsym.maps.inputs import (
    convolution_dims,
    examples,
    groups_act_on_pixels,
    input_layout,
    restore_after,
    split_image,
)

C4 = ss.C(4)


@pytest.mark.parametrize(
    ("rep", "shape", "roles"),
    [
        ("3Grid(4,4)", (2, 3, 4, 4), ["free", "channel", "pixel", "pixel"]),
        ("V*Grid(4,4)", (2, 32), ["free", "channel"]),
        ("3S", (2, 3, 5, 5), ["free", "channel", "pixel", "pixel"]),
        ("V", (2, 7, 2), ["free", "free", "channel"]),
        ("7V", (2, 7, 2), ["free", "free", "channel"]),
        ("2V", (2, 4), ["free", "channel"]),
    ],
)
def test_axes(rep, shape, roles):
    layout = input_layout(torch.zeros(shape), ss.rep(rep), C4, True, 2)
    assert [axis.role for axis in layout] == roles
    assert tuple(axis.size for axis in layout) == shape


def test_pixels_stand_still():
    assert [a.role for a in input_layout(torch.zeros(2, 3, 5, 5), ss.rep("3S"), C4, False, 2)] == [
        "free",
        "channel",
        "free",
        "free",
    ]
    model = nn.Conv2d(3, 3, 3)
    assert groups_act_on_pixels(model, ss.rep("3S"), [C4])
    assert not groups_act_on_pixels(model, ss.rep("V"), [ss.O(3)])
    assert not groups_act_on_pixels(nn.Linear(2, 2), ss.rep("V"), [C4])


def test_images_are_told_by_their_last_factor():
    assert split_image(ss.rep("V*Grid(2,3) + S*Grid(2,3)")) == (ss.rep("V + S"), (2, 3))
    assert split_image(ss.rep("Grid(2,3) + S")) is None
    assert split_image(ss.Regular("C(4)")) is None


def test_examples():
    assert convolution_dims(nn.Sequential(nn.Linear(1, 1), nn.Conv3d(1, 1, 1))) == 3
    assert [tuple(x.shape) for (x,) in examples(nn.Linear(2, 2), ss.rep("V"), C4)] == [(2, 2), (2, 5, 2)]
    assert next(examples(nn.LSTM(2, 2), ss.rep("V"), C4))[0].shape == (2, 5, 2)
    assert next(examples(nn.Embedding(2, 2), ss.rep("V"), C4))[0].dtype == torch.long
    assert next(examples(nn.Conv2d(1, 1, 1).double(), ss.rep("Grid(7,7)"), C4))[0].dtype == torch.float64


def test_a_wrong_shape():
    with pytest.raises(
        InputError, match=r"`rep_in` is 3V of size 6, which is no axis of an input of shape \(2, 5\)"
    ):
        input_layout(torch.zeros(2, 5), ss.rep("3V"), C4, False, 0)


def test_restore_after_puts_everything_back():
    norm = nn.BatchNorm1d(2).eval()
    with restore_after(norm):
        norm(torch.randn(4, 2))
    assert not norm.training
    assert norm.num_batches_tracked == 0
