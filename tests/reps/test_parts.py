"""Cutting representations."""

import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.reps.parts import cut, equal_part

G = ss.group("O(3)")


def test_pieces_put_together_are_the_whole():
    rep = ss.rep("2S + 3V + T(2) + S")
    pieces = cut(rep, [1, 4, 6, 10], G)
    assert [str(piece) for piece in pieces] == ["S", "S + V", "2V", "T(2) + S"]
    assert sum(pieces, ss.Rep(())) == rep


def test_no_cut_through_a_vector():
    with pytest.raises(InputError, match=r"2V cannot be cut there: V has 3 coordinates"):
        cut(ss.rep("2V"), [4, 2], G)
    with pytest.raises(InputError, match=r"V has 3 coordinates, which are not 1 \+ 1"):
        cut(ss.rep("V"), [1, 1], G)


def test_equal_parts():
    assert equal_part(ss.rep("6V"), 3, G) == ss.rep("2V")
    for rep, parts in (("S + V", 2), ("2S + 2V", 2), ("V", 2)):
        with pytest.raises(InputError):
            equal_part(ss.rep(rep), parts, G)
