import numpy as np
import pytest

import softsym as ss
from softsym.errors import InputError
from softsym.inference.candidate_tests import CandidateTests, fit_sample_split
from softsym.inference.kernel_selection import KernelSelection
from softsym.inference.kernels import Kernel

CUBIC = [Kernel("polynomial", 3)]
V = ss.rep("V")


def select_kernels(n=80):
    rng = np.random.default_rng(0)
    X = rng.standard_normal((n, 3))
    Y = X * np.sum(X**2, axis=1, keepdims=True) + 0.05 * rng.standard_normal((n, 3))
    return X, Y, KernelSelection.fit(X, Y, V, V, [ss.O(3)], kernels=CUBIC)


def test_the_predictor_sees_one_half_and_predicts_the_other():
    X, Y, _ = select_kernels()
    split = fit_sample_split(X, Y, V, V, [ss.O(3)], CUBIC, None, 0)
    assert split.X.shape == split.Y.shape == (40, 3)
    assert np.mean((split.predictor(split.X) - split.Y) ** 2) < 0.05 * Y.var()
    assert split.uncertainty(np.zeros((1, 3))) < split.uncertainty(np.full((1, 3), 5.0))
    with pytest.raises(InputError, match="all rows are of one row group"):
        fit_sample_split(X, Y, V, V, [ss.O(3)], CUBIC, np.zeros(80, dtype=np.int64), 0)


def test_everything_is_measured():
    X, Y, selection = select_kernels()
    one = CandidateTests.run(
        ss.O(3), selection, fit_sample_split(X, Y, V, V, [ss.O(3)], CUBIC, None, 0), X, None, 0
    )
    assert one.ratio_p == 1.0
    assert 0 < one.test_p <= 1
    assert one.coverage > 0.9
    assert one.seconds > 0


@pytest.mark.parametrize(("squeezed", "is_even"), [(1.0, True), (0.3, False)])
def test_inputs_alone_are_tested_for_invariance(squeezed, is_even):
    rng = np.random.default_rng(0)
    p_values = []
    for seed in range(8 if is_even else 2):
        X = rng.standard_normal((200, 3)) * [1.0, 1.0, squeezed]
        Y = X + 0.1 * rng.standard_normal((200, 3))
        one = CandidateTests(ss.O(3))
        selection = KernelSelection.fit(X, Y, V, V, [ss.O(3)], kernels=CUBIC)
        one.test_inputs(selection, fit_sample_split(X, Y, V, V, [ss.O(3)], CUBIC, None, seed), seed)
        p_values.append(one.inputs_p)
    assert (np.median(p_values) > 0.1) if is_even else (max(p_values) < 0.01)


def test_nothing_is_known_of_a_group_that_was_not_tested():
    one = CandidateTests(ss.O(3))
    assert np.isnan(one.test_p)
    assert np.isnan(one.ratio_p)
