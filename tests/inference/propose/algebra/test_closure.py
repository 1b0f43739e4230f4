"""Nearest algebras."""

import numpy as np
import pytest

import softsym as ss
from softsym.inference.propose.algebra.closure import angle, is_closed, leaving, nearest_algebra, orthonormal

RNG = np.random.default_rng(0)


@pytest.mark.parametrize(
    "text", ["SO(3)", "SO(4)", "SO13p()", "Sp(2)", "SU(2)", "SL(2)", "SO(2)@z | Scaling(3)"]
)
def test_steps_lead_to_an_algebra_no_further_from_the_truth(text):
    truth = orthonormal(ss.group(text).lie_algebra)
    noisy = orthonormal(truth + 0.01 * RNG.standard_normal(truth.shape))
    near = nearest_algebra(noisy)
    assert is_closed(near)
    assert angle(near, truth) <= 1.1 * angle(noisy, truth)


def test_what_is_closed_stays():
    truth = orthonormal(ss.SO(3).lie_algebra)
    assert np.array_equal(nearest_algebra(truth), truth)
    assert not leaving(truth).any() or np.abs(leaving(truth)).max() < 1e-12
    assert not is_closed(orthonormal(ss.SO(3).lie_algebra[:2]))


def test_angles():
    a = ss.SO(3).lie_algebra
    assert angle(a, a[[2, 0, 1]] * 3) == 0.0
    assert angle(a[:1], a[1:2]) == pytest.approx(90.0)
    assert angle(a[:2], a) == 90.0
    assert angle(a[:0], a[:0]) == 0.0
