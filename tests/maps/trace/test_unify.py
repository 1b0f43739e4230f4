"""Type inference: terms and axes that are unified."""

import pytest

import softsym as ss
from softsym.maps.trace.unify import (
    Summand,
    TracedAxis,
    TraceError,
    channel_axis,
    free_axis,
    new_variable,
    open_axes,
    slice_term,
    split_evenly,
    substitute,
    tensor_product,
    term_size,
    unify,
    unify_axes,
)

G = ss.group("O(3)")


def known(text):
    return new_variable(ss.rep(text).size(G), rep=ss.rep(text))


def reps(term):
    return [str(part.variable.rep) for part in substitute(term)]


def test_an_unknown_becomes_what_it_meets():
    a = new_variable(6)
    unify(a, known("2V"), G)
    assert reps(a) == ["2V"]
    b, c = new_variable(6), new_variable(6)
    unify(b, c, G)
    unify(c, a, G)
    assert reps(b) == ["2V"]


def test_sizes_that_differ_are_cut():
    whole = new_variable(9)
    unify(whole, known("V") + known("2V"), G)
    assert reps(whole) == ["V", "2V"]
    parts = new_variable(2) + new_variable(3)
    unify(known("2S + V"), parts, G)
    assert reps(parts) == ["2S", "V"]


def test_disagreements():
    for other in ("6S", "2V"):
        with pytest.raises(TraceError):
            unify(known("S + V + 2S"), known(other), G)
    with pytest.raises(TraceError, match="3 coordinates meet 6"):
        unify(new_variable(3), new_variable(6), G)


def test_equal_parts_and_slices():
    whole = known("S + V + S + V")
    assert reps(split_evenly(whole, 2, G)) == ["S + V"]
    assert reps(slice_term(known("2S + 2V"), 1, 5, G)) == ["S", "V"] or reps(slice_term(known("2S + 2V"), 1, 5, G)) == [
        "S + V"
    ]
    with pytest.raises(TraceError):
        split_evenly(new_variable(5), 2, G)
    heads = new_variable(8)
    head = split_evenly(heads, 4, G)
    assert [part.variable for part in substitute(heads)] == [substitute(head)[0].variable] * 4


def test_pixels():
    channels = new_variable(3)
    flat = tensor_product(channels, ss.Grid(2, 2), 4)
    assert term_size(flat) == 12
    unify(flat, (Summand(new_variable(3, rep=ss.rep("3S"))[0].variable, ss.Grid(2, 2), 4),), ss.C(4))
    assert reps(channels) == ["3S"]
    image = new_variable(8, rep=ss.rep("2Grid(2,2)"))
    unify(image, tensor_product(new_variable(2), ss.Grid(2, 2), 4), ss.C(4))
    with pytest.raises(TraceError, match="is not 2 channels times"):
        unify(new_variable(8, rep=ss.rep("8S")), tensor_product(new_variable(2), ss.Grid(2, 2), 4), ss.C(4))


def test_places_of_nonlinearities_are_kept():
    a, b = new_variable(4), new_variable(4)
    a[0].variable.pointwise.append("relu")
    unify(a, b, G)
    assert substitute(b)[0].variable.pointwise == ["relu"]


G = ss.group("O(3)")


def test_an_open_axis_becomes_what_it_meets():
    channel, open_one = channel_axis(new_variable(3)), open_axes((3,))[0]
    assert unify_axes(channel, open_one, G, "in") is channel
    assert (open_one.role, open_one.sign) == ("channel", "in")
    batch = open_axes((3,))[0]
    unify_axes(batch, free_axis(3), G)
    assert batch.role == "free"


def test_an_axis_on_which_no_group_acts_holds_scalars():
    channels = new_variable(3)
    assert unify_axes(free_axis(3), channel_axis(channels), G).role == "free"
    assert substitute(channels)[0].variable.rep == ss.rep("3S")


def test_two_open_axes_carry_the_same():
    a, b = open_axes((4, 4))
    unify_axes(a, b, G)
    assert substitute(a.channels()) == substitute(b.channels())


def test_roles_must_agree():
    with pytest.raises(TraceError, match="meets"):
        unify_axes(free_axis(3), channel_axis(new_variable(3, ss.rep("V"))), G)
    with pytest.raises(TraceError, match="without a representation is used as channels"):
        TracedAxis(3, "pixel", None, 0).channels()
    with pytest.raises(TraceError):
        unify_axes(TracedAxis(3, "pixel", None, 0), TracedAxis(3, "pixel", None, 1), G)
