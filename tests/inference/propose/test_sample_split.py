"""The sample split of a proposal."""

import numpy as np

import softsym as ss
from softsym.inference.propose.matrix_action import actions
from softsym.inference.propose.sample_split import split_and_fit
from tests.inference.propose.target_functions import rows


def test_parts_share_no_rows_and_one_kernel():
    X, Y, rep_in, rep_out, _ = rows("cross product", 101, 0.02)
    source, target = actions(X, Y, ss.rep(rep_in), ss.rep(rep_out))
    first, second = split_and_fit(X, Y, source, target)
    assert (len(first.X), len(second.X)) == (50, 51)
    assert np.array_equal(np.concatenate([first.X, second.X]), X)
    assert first.fit.kernel == second.fit.kernel


def test_what_a_model_leaves_is_fitted():
    X, Y, rep_in, rep_out, _ = rows("cross product", 100, 0.0)
    source, target = actions(X, Y, ss.rep(rep_in), ss.rep(rep_out))
    base = target.scaled(Y), np.zeros((100, 3, 6))
    first, _ = split_and_fit(X, Y, source, target, base)
    assert first.Y is None
    assert np.allclose(first.fit.weights, 0.0, atol=1e-9)
