"""Fits through invariants: better where the symmetry is there, honest where it is not."""

import numpy as np

import softsym as ss
from softsym.inference.propose.candidates import measure_span
from softsym.inference.propose.fits.fit import Fit
from softsym.inference.propose.fits.invariant_fit import fit_invariants
from softsym.inference.propose.matrix_action import actions, basis_of
from tests.inference.propose.target_functions import rows


def _fit(name, group, n=300):
    X, Y, rep_in, rep_out, _ = rows(name, n, 0.02)
    source, target = actions(X, Y, ss.rep(rep_in), ss.rep(rep_out))
    fitted = fit_invariants(ss.group(group).lie_algebra, source, target, X, Y)
    return fitted, X, Fit.of(source.scaled(X), target.scaled(Y)), basis_of(source.dim, False)


def test_a_true_symmetry_explains_more_and_is_bounded():
    fitted, X, unconstrained, basis = _fit("signed area", "SL(2)")
    assert fitted.fit.r2 > max(0.98, unconstrained.r2)
    assert measure_span(fitted.lie(basis, X, fitted.highest), ss.SL(2).lie_algebra).bound() < 0.05


def test_a_broken_symmetry_is_not():
    fitted, X, _, basis = _fit("four-vectors", "SO(4)")
    targets = measure_span(fitted.lie(basis, X, fitted.highest), ss.SO(4).lie_algebra)
    assert targets.is_refuted or targets.bound() > 0.05


def test_vector_outputs_have_invariant_targets():
    fitted, X, _, basis = _fit("along z", "SO(2)@z")
    assert fitted.residual[0] < 1e-2
    assert measure_span(fitted.lie(basis, X, fitted.highest), ss.SO(2).about("z").lie_algebra).bound() < 0.05
    broken, X, _, basis = _fit("along z", "SO(2)@x")
    targets = measure_span(broken.lie(basis, X, broken.highest), ss.SO(2).about("x").lie_algebra)
    assert targets.is_refuted or np.hypot(targets.bound(), broken.undetected_bound(0.0004, 1.0, 0.01)) > 0.05


def test_no_invariants_no_fit():
    assert _fit("cross product", "GL(3)")[0] is None
