"""Fits through invariants: better where the symmetry is there, honest where it is not."""

import numpy as np

import softsym as ss
from softsym.inference.propose.candidates import examined
from softsym.inference.propose.fits.fit import Fit
from softsym.inference.propose.fits.symmetrised import symmetrised
from softsym.inference.propose.matrix_action import actions, basis_of
from tests.inference.propose.laws import rows


def _look(name, group, n=300):
    X, Y, rep_in, rep_out, _ = rows(name, n, 0.02)
    source, target = actions(X, Y, ss.rep(rep_in), ss.rep(rep_out))
    look = symmetrised(ss.group(group).lie_algebra, source, target, X, Y)
    return look, X, Fit.of(source.scaled(X), target.scaled(Y)), basis_of(source.dim, False)


def test_a_true_symmetry_explains_more_and_is_bounded():
    look, X, plain, basis = _look("signed area", "SL(2)")
    assert look.fit.explained > max(0.98, plain.explained)
    assert examined(look.lie(basis, X, look.highest), ss.SL(2).lie_algebra).bound() < 0.05


def test_a_broken_symmetry_is_not():
    look, X, _, basis = _look("four-vectors", "SO(4)")
    told = examined(look.lie(basis, X, look.highest), ss.SO(4).lie_algebra)
    assert told.is_refuted or told.bound() > 0.05


def test_outputs_that_move_are_told_by_invariant_numbers():
    look, X, _, basis = _look("along z", "SO(2)@z")
    assert look.missed[0] < 1e-2
    assert examined(look.lie(basis, X, look.highest), ss.SO(2).about("z").lie_algebra).bound() < 0.05
    broken, X, _, basis = _look("along z", "SO(2)@x")
    told = examined(broken.lie(basis, X, broken.highest), ss.SO(2).about("x").lie_algebra)
    assert told.is_refuted or np.hypot(told.bound(), broken.unseen(0.0004, 1.0, 0.01)) > 0.05


def test_no_invariants_no_look():
    assert _look("cross product", "GL(3)")[0] is None
