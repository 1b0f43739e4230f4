"""How many generators hold exactly."""

from dataclasses import replace

import numpy as np
import pytest

import softsym as ss
from softsym.inference.propose.algebra.closure import angle
from softsym.inference.propose.matrix_action import actions
from softsym.inference.propose.sample_split import split_and_fit
from softsym.inference.propose.search import search
from tests.inference.propose.target_functions import rows


def _search(name, n, noise, use_invariants=True, rotated=False):
    X, Y, rep_in, rep_out, Q = rows(name, n, noise, rotated=rotated)
    source, target = actions(X, Y, ss.rep(rep_in), ss.rep(rep_out))
    first, second = split_and_fit(X, Y, source, target)
    return search(first if use_invariants else replace(first, Y=None), second, 0.05), Q


@pytest.mark.parametrize(("name", "k"), [("cross product", 3), ("along z", 1), ("nothing", 0)])
def test_dimensions(name, k):
    found, _ = _search(name, 300, 0.02)
    assert (0 if found.exact is None else len(found.exact.span)) == k


def test_a_poor_fit_needs_the_invariants():
    assert _search("signed area", 300, 0.02, use_invariants=False)[0].exact is None
    found, _ = _search("signed area", 300, 0.02)
    assert found.invariant_lie is not None
    assert angle(found.exact.span, ss.SL(2).lie_algebra) < 1e-6


def test_rotated_functions_are_found_in_their_frame():
    found, Q = _search("along z", 500, 0.02, rotated=True)
    truth = np.einsum("ij,kjl,ml->kim", Q, ss.SO(2).about("z").lie_algebra, Q)
    assert angle(found.exact.span, truth) < 3.0


def test_rotations_are_found_inside_an_algebra_without_a_name():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((400, 3))
    Y = X + np.array(
        [0.4, 0.8, 0.0]
    )  # every matrix that leaves the constant alone is a symmetry of a linear function
    source, target = actions(X, Y, ss.rep("V"), ss.rep("V"))
    first, second = split_and_fit(X, Y + 0.01 * rng.standard_normal(Y.shape), source, target)
    found = search(first, second, 0.05)
    assert len(found.exact.span) == 6
    assert angle(found.rotations.span, ss.SO(2).about((1, 2, 0)).lie_algebra) < 3.0
