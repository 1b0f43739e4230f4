"""Views, transposes, concatenation and slices."""

import pytest
import torch

import softsym as ss
from softsym.errors import UntracedWarning
from softsym.maps.trace.rules import merge_axes, reshape
from softsym.maps.trace.unify import TracedAxis, TraceError, channel_axis, free_axis, new_variable, substitute
from tests.maps.trace.between import infer_between

R = "2Regular(C(4)@z)"


@pytest.mark.parametrize(
    ("function", "middle", "source"),
    [
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
    ],
)
def test_followed(function, middle, source):
    proposal = infer_between(function, middle)
    if source is not None:
        assert proposal.not_understood == ()
        assert proposal["last.weight"].axes[1].factor.size("C(4)@z") == middle
        assert proposal["last.weight"].space("C(4)@z").dim > 0
    assert not proposal.left_alone


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (lambda m, x: x[..., ::2].repeat(1, 1, 2), "takes every 2th entry of a channel axis"),
        (lambda m, x: x.roll(1, -1), "roll goes along a channel axis"),
        (lambda m, x: x.flip(-1), "flip goes along a channel axis"),
        (lambda m, x: x.sort(-1)[0], "sort is not understood"),
    ],
)
def test_functions_that_are_not_understood(function, words):
    with pytest.warns(UntracedWarning, match=words):
        proposal = infer_between(function)
    assert any(words in line for line in proposal.not_understood)
    assert "last.weight" in proposal  # its output is open


G = ss.C(4)
PIXELS = (TracedAxis(5, "pixel", None, 0), TracedAxis(5, "pixel", None, 1))


def roles(layout):
    return [(axis.role, axis.size) for axis in layout]


def test_flattening_an_image():
    layout = (free_axis(2), channel_axis(new_variable(3)), *PIXELS)
    flat = reshape(layout, (2, 75), G)
    assert roles(flat) == [("free", 2), ("channel", 75)]
    (part,) = substitute(flat[1].channels())
    assert part.factor == ss.Grid(5, 5)


def test_heads_and_back():
    layout = (free_axis(2), free_axis(7), channel_axis(new_variable(8)))
    heads = reshape(layout, (2, 7, 4, 2), G)
    assert roles(heads) == [("free", 2), ("free", 7), ("free", 4), ("channel", 2)]
    back = reshape(heads, (2, 7, 8), G)
    assert [part.variable for part in substitute(back[2].channels())] == [
        substitute(heads[3].channels())[0].variable
    ] * 4


def test_axes_of_one_come_and_go():
    layout = (
        free_axis(2),
        channel_axis(new_variable(3)),
        TracedAxis(1, "pixel", None, 0),
        TracedAxis(1, "pixel", None, 1),
    )
    assert roles(reshape(layout, (2, 3), G)) == [("free", 2), ("channel", 3)]
    assert roles(reshape(layout[:2], (2, 1, 3, 1), G)) == [("free", 2), ("free", 1), ("channel", 3), ("free", 1)]
    assert roles(reshape((free_axis(6), free_axis(4)), (24,), G)) == [("free", 24)]


def test_what_cannot_be_flattened():
    with pytest.raises(TraceError, match="some, not all, axes of an image"):
        merge_axes([channel_axis(new_variable(3)), PIXELS[1]])
    (tokens,) = merge_axes(PIXELS).channels()
    assert tokens.variable.rep == ss.Grid(5, 5)
    with pytest.raises(TraceError, match="channels behind pixels"):
        merge_axes([*PIXELS, channel_axis(new_variable(3))])
