"""The likeliest algebra."""

import numpy as np
import pytest

import softsym as ss
from softsym.propose.algebra import angle
from softsym.propose.columns import Columns, prepare
from softsym.propose.lie_derivative import fit_smooth, lie_matrix
from softsym.propose.search import Candidate, fit_group, gap_sizes, moving, refine, search, without_identity
from tests.propose.target_functions import TARGETS, rows


def prepared(name, n, noise, rotated=False):
    X, Y, rep_in, rep_out, Q = rows(name, n, noise, rotated=rotated)
    return prepare(X, Y, Columns.read(X, Y, ss.rep(rep_in), ss.rep(rep_out)), np.arange(n)).blur(0), Q


@pytest.mark.parametrize("name", ["cross product", "four-vectors", "signed area", "along z"])
@pytest.mark.parametrize("rotated", [False, True])
def test_the_algebra_is_the_likeliest(name, rotated):
    part, Q = prepared(name, 250, 0.02, rotated)
    smooth = fit_smooth(part.X, part.Y)
    found = search(part, lie_matrix(smooth, part), smooth)
    truth = {"so(3)": "SO(3)", "so(1,3)": "SO13p()", "sl(2)": "SL(2)", "so(2)": "SO(2)@z"}[TARGETS[name][4]]
    assert angle(found[0].span, Q @ ss.group(truth).lie_algebra @ Q.T) < 2.0
    assert found[0].score > smooth.log_likelihood


def test_nothing_is_likelier_than_no_symmetry():
    part, _ = prepared("nothing", 250, 0.02)
    smooth = fit_smooth(part.X, part.Y)
    assert search(part, lie_matrix(smooth, part), smooth)[0].score < smooth.log_likelihood


def test_likelihood_grows_with_a_symmetry_that_holds_and_falls_with_others():
    part, _ = prepared("cross product", 200, 0.05)
    heights = [fit_group(part, ss.group(text)).log_likelihood for text in ("SL(3)", "SO(2)@z", "SO(3)")]
    assert heights == sorted(heights)


def test_functions_are_equivariant_in_their_basis():
    part, _ = prepared("four-vectors", 200, 0.05)
    basis = np.eye(4) + 0.2 * np.random.default_rng(0).standard_normal((4, 4))
    fitted = fit_group(part, ss.SO13p(), basis)
    lie = basis @ ss.SO13p().lie_algebra @ np.linalg.inv(basis)
    assert np.abs(fitted.derivatives(lie)).max() < 1e-5 * np.abs(fitted.predict(part.X)).max()


def test_the_basis_is_moved_to_the_likeliest():
    part, _ = prepared("four-vectors", 300, 0.02)
    off = np.linalg.qr(np.eye(4) + 0.1 * np.random.default_rng(0).standard_normal((4, 4)))[0]
    span = off @ ss.SO13p().lie_algebra @ off.T
    start = fit_group(part, ss.Group.from_generators(span))
    refined = refine(Candidate(span, start, 9))
    assert angle(span, ss.SO13p().lie_algebra) > 3.0
    assert angle(refined.span, ss.SO13p().lie_algebra) < 0.5


def test_gaps():
    assert gap_sizes(np.array([0.0, 1e-5, 1e-5, 0.09, 0.16]))[0] == 3
    assert 1 in gap_sizes(np.array([0.01, 0.011]))


def test_the_identity_is_taken_off():
    span = np.concatenate([ss.SO(3).lie_algebra, np.eye(3)[None]]) / np.sqrt([2, 2, 2, 3])[:, None, None]
    assert angle(without_identity(span), ss.SO(3).lie_algebra) < 1e-6
    assert len(without_identity(ss.SO(3).lie_algebra / np.sqrt(2))) == 3


def test_only_directions_outside_the_normaliser_move_an_algebra():
    groups = (ss.SO(2).about("z"), ss.SO13p(), ss.SL(3))
    assert [len(moving(group.lie_algebra)) for group in groups] == [2, 9, 0]
