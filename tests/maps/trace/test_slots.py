"""Unknown representations that meet."""

import pytest

import softsym as ss
from softsym.maps.trace.slots import (
    DisagreementError,
    Part,
    equal_parts,
    fresh,
    resolved,
    size_of,
    sliced,
    tensored,
    unify,
)

G = ss.group("O(3)")


def known(text):
    return fresh(ss.rep(text).size(G), rep=ss.rep(text))


def reps(content):
    return [str(part.slot.rep) for part in resolved(content)]


def test_an_unknown_becomes_what_it_meets():
    a = fresh(6)
    unify(a, known("2V"), G)
    assert reps(a) == ["2V"]
    b, c = fresh(6), fresh(6)
    unify(b, c, G)
    unify(c, a, G)
    assert reps(b) == ["2V"]


def test_sizes_that_differ_are_cut():
    whole = fresh(9)
    unify(whole, known("V") + known("2V"), G)
    assert reps(whole) == ["V", "2V"]
    parts = fresh(2) + fresh(3)
    unify(known("2S + V"), parts, G)
    assert reps(parts) == ["2S", "V"]


def test_disagreements():
    for other in ("6S", "2V"):
        with pytest.raises(DisagreementError):
            unify(known("S + V + 2S"), known(other), G)
    with pytest.raises(DisagreementError, match="3 coordinates meet 6"):
        unify(fresh(3), fresh(6), G)


def test_equal_parts_and_slices():
    whole = known("S + V + S + V")
    assert reps(equal_parts(whole, 2, G)) == ["S + V"]
    assert reps(sliced(known("2S + 2V"), 1, 5, G)) == ["S", "V"] or reps(
        sliced(known("2S + 2V"), 1, 5, G)
    ) == ["S + V"]
    with pytest.raises(DisagreementError):
        equal_parts(fresh(5), 2, G)
    heads = fresh(8)
    head = equal_parts(heads, 4, G)
    assert [part.slot for part in resolved(heads)] == [resolved(head)[0].slot] * 4


def test_pixels():
    channels = fresh(3)
    flat = tensored(channels, ss.Grid(2, 2), 4)
    assert size_of(flat) == 12
    unify(flat, (Part(fresh(3, rep=ss.rep("3S"))[0].slot, ss.Grid(2, 2), 4),), ss.C(4))
    assert reps(channels) == ["3S"]
    image = fresh(8, rep=ss.rep("2Grid(2,2)"))
    unify(image, tensored(fresh(2), ss.Grid(2, 2), 4), ss.C(4))
    with pytest.raises(DisagreementError, match="is not so many channels times"):
        unify(fresh(8, rep=ss.rep("8S")), tensored(fresh(2), ss.Grid(2, 2), 4), ss.C(4))


def test_places_of_nonlinearities_are_kept():
    a, b = fresh(4), fresh(4)
    a[0].slot.pointwise.append("relu")
    unify(a, b, G)
    assert resolved(b)[0].slot.pointwise == ["relu"]
