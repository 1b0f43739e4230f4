"""Frames of algebras, by regression on Lie derivatives."""

import numpy as np
import pytest

import softsym as ss
from softsym.inference.propose.algebra.closure import angle, orthonormal
from softsym.inference.propose.fits.frame import Frame, moving
from softsym.inference.propose.fits.invariant_fit import fit_invariants
from softsym.inference.propose.matrix_action import actions, basis_of
from tests.inference.propose.target_functions import rows


def _off(algebra, size):
    M = np.eye(algebra.shape[-1]) + size * np.random.default_rng(1).standard_normal(algebra.shape[1:])
    return orthonormal(np.linalg.inv(M) @ algebra @ M)


def _frame(name, span, n=300):
    X, Y, rep_in, rep_out, _ = rows(name, n, 0.02)
    source, target = actions(X, Y, ss.rep(rep_in), ss.rep(rep_out))
    basis, fitted = basis_of(source.dim, False), fit_invariants(span, source, target, X, Y)
    return Frame.of(fitted, target, basis, X, Y, span), fitted.lie(basis, X), basis


def test_steps_lead_to_the_true_frame():
    true = ss.SO13p().lie_algebra
    span = _off(true, 0.02)
    assert angle(span, true) > 0.9
    for _ in range(3):
        span = _frame("four-vectors", span)[0].transform_span()
    assert angle(span, true) < 0.6


def test_the_bound_covers_what_a_frame_is_off():
    for size in (0.003, 0.01):
        span = _off(ss.SO13p().lie_algebra, size)
        frame, lie, basis = _frame("four-vectors", span)
        sine = np.sin(np.radians(angle(span, ss.SO13p().lie_algebra)))
        assert sine / 3 < frame.bound(basis, lie.N, 0.005) < 20 * sine + 0.05


def test_no_frame_no_bound():
    span = ss.SL(2).lie_algebra
    frame, lie, basis = _frame("signed area", span)
    assert frame.bound(basis, lie.N, 0.01) == 0.0
    assert np.array_equal(frame.transform_span(), span)


@pytest.mark.parametrize(("group", "p"), [("SO(3)", 5), ("SO(2)@z", 6), ("GL(3)", 0), ("SL(2)", 0)])
def test_directions_move_the_algebra(group, p):
    span = orthonormal(ss.group(group).lie_algebra)
    directions = moving(span)
    assert len(directions) == p
    for B in directions:
        M = np.eye(len(B)) + 1e-3 * B
        assert angle(np.linalg.inv(M) @ span @ M, span) > 1e-3
