"""Splitting the base space into coordinate blocks."""

import numpy as np

import softsym as ss
from softsym.reps.atoms import Base, group_element
from softsym.spaces.split import split


def blocks(G, atom=None):
    found = split(
        Base() if atom is None else atom,
        tuple(ss.group(text) for text in (G if isinstance(G, tuple) else (G,))),
    )
    return [coordinates for _, coordinates in found.moving], found.fixed


def test_plane_and_axis():
    assert blocks("O(2)@z") == ([(0, 1)], (2,))
    assert blocks("O(2)@x") == ([(1, 2)], (0,))
    assert blocks("O(2)@y") == ([(0, 2)], (1,))


def test_whole_and_nothing():
    assert blocks("O(3)") == ([(0, 1, 2)], ())
    assert blocks("Trivial(3)") == ([], (0, 1, 2))
    assert blocks("Scaling(2)") == ([(0,), (1,)], ())


def test_several_groups_share_the_coarsest_blocks():
    assert blocks(("O(2)@x", "O(2)@z")) == ([(0, 1, 2)], ())
    assert blocks(("SO(2)@z", "O(2)@z")) == ([(0, 1)], (2,))


def test_parts_and_points_are_not_mixed_up():
    G = "O(2)@z * S(2)"
    assert blocks(G, Base(part=0)) == ([(0, 1)], (2,))
    assert blocks("C(4)", ss.Grid(1, 1).terms[0][1].atoms[0]) == ([(0,)], ())


def test_a_slice_acts_as_its_block():
    G = ss.group("SL(2)@y")
    ((piece, coordinates),) = split(Base(is_dual=True), (G,)).moving
    g = group_element(G, G.sample(1)[0])
    assert np.allclose(piece.rho(G, g), np.linalg.inv(g.whole).T[np.ix_(coordinates, coordinates)])
    assert str(piece) == "V'{0,2}"
    assert piece.dual.dual == piece
