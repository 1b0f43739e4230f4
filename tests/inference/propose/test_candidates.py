"""Candidate algebras of the selection rows."""

import numpy as np

import softsym as ss
from softsym.inference.propose.algebra.closure import angle
from softsym.inference.propose.candidates import (
    eigenvector_candidates,
    invariant_candidates,
    near_spans,
    sizes_of,
)
from softsym.inference.propose.matrix_action import actions
from softsym.inference.propose.sample_split import split_and_fit
from tests.inference.propose.target_functions import rows


def _first(name, n=300):
    X, Y, rep_in, rep_out, _ = rows(name, n, 0.02)
    source, target = actions(X, Y, ss.rep(rep_in), ss.rep(rep_out))
    part = split_and_fit(X, Y, source, target)[0]
    return part, *part.lie.spectrum()


def test_eigenvector_candidates_are_the_largest_first():
    part, _, vectors = _first("cross product")
    listed = eigenvector_candidates(part, vectors)
    assert len(listed[0].span) == 3
    assert listed[0].is_round
    assert [len(one.span) for one in listed] == sorted((len(one.span) for one in listed), reverse=True)


def test_gaps_give_sizes_and_invariants_find_the_algebra():
    part, values, vectors = _first("signed area", 400)
    assert sizes_of(values, 0)[0] == 3
    near = near_spans(part, vectors, sizes_of(values, 0))[0]
    listed = list(invariant_candidates(part, near))
    assert any(angle(one.span, ss.SL(2).lie_algebra) < 1e-6 for one in listed)


def test_sizes_are_above_what_is_known():
    assert sizes_of(np.array([1.0, 10.0, 100.0, 101.0]), 1) == [2]
