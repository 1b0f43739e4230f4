"""Axes that meet."""

import pytest

import softsym as ss
from softsym.maps.trace.layout import Axis, carrying, free, match, open_axes
from softsym.maps.trace.slots import DisagreementError, fresh, resolved

G = ss.group("O(3)")


def test_an_open_axis_becomes_what_it_meets():
    channel, open_one = carrying(fresh(3)), open_axes((3,))[0]
    assert match(channel, open_one, G, "in") is channel
    assert (open_one.role, open_one.sign) == ("carries", "in")
    batch = open_axes((3,))[0]
    match(batch, free(3), G)
    assert batch.role == "free"


def test_two_open_axes_carry_the_same():
    a, b = open_axes((4, 4), "name")
    match(a, b, G)
    assert resolved(a.carry()) == resolved(b.carry())


def test_roles_must_agree():
    with pytest.raises(DisagreementError, match="an axis that is free meets one that is carries"):
        match(free(3), carrying(fresh(3)), G)
    with pytest.raises(DisagreementError, match="carries nothing is used as channels"):
        free(3).carry()
    with pytest.raises(DisagreementError):
        match(Axis(3, "pixel", None, 0), Axis(3, "pixel", None, 1), G)
