"""Views."""

import pytest

import softsym as ss
from softsym.maps.trace.layout import Axis, carrying, free
from softsym.maps.trace.reshape import merged, reshaped
from softsym.maps.trace.slots import DisagreementError, fresh, resolved

G = ss.C(4)
PIXELS = (Axis(5, "pixel", None, 0), Axis(5, "pixel", None, 1))


def roles(layout):
    return [(axis.role, axis.size) for axis in layout]


def test_flattening_an_image():
    layout = (free(2), carrying(fresh(3)), *PIXELS)
    flat = reshaped(layout, (2, 75), G)
    assert roles(flat) == [("free", 2), ("carries", 75)]
    (part,) = resolved(flat[1].carry())
    assert part.trail == ss.Grid(5, 5)


def test_heads_and_back():
    layout = (free(2), free(7), carrying(fresh(8)))
    heads = reshaped(layout, (2, 7, 4, 2), G)
    assert roles(heads) == [("free", 2), ("free", 7), ("free", 4), ("carries", 2)]
    back = reshaped(heads, (2, 7, 8), G)
    assert [part.slot for part in resolved(back[2].carry())] == [resolved(heads[3].carry())[0].slot] * 4


def test_axes_of_one_come_and_go():
    layout = (free(2), carrying(fresh(3)), Axis(1, "pixel", None, 0), Axis(1, "pixel", None, 1))
    assert roles(reshaped(layout, (2, 3), G)) == [("free", 2), ("carries", 3)]
    assert roles(reshaped(layout[:2], (2, 1, 3, 1), G)) == [
        ("free", 2),
        ("free", 1),
        ("carries", 3),
        ("free", 1),
    ]
    assert roles(reshaped((free(6), free(4)), (24,), G)) == [("free", 24)]


def test_what_cannot_be_flattened():
    with pytest.raises(DisagreementError, match="some, not all, axes of an image"):
        merged([carrying(fresh(3)), PIXELS[1]], G)
    with pytest.raises(DisagreementError, match="pixels are flattened without their channels"):
        merged(PIXELS, G)
    with pytest.raises(DisagreementError, match="channels behind pixels"):
        merged([*PIXELS, carrying(fresh(3))], G)
