"""Round numbers near a span."""

import numpy as np
import pytest

import softsym as ss
from softsym.evidence.propose.algebra.closure import angle, orthonormal
from softsym.evidence.propose.algebra.round_numbers import NEAR, rounder


@pytest.mark.parametrize(
    "text", ["SO(3)", "SO(2)@y", "SL(3)", "Scaling(3)", "SO13p()", "SU(2)", "SO(3) | Scaling(3)"]
)
def test_the_roundest_comes_first(text):
    truth = orthonormal(ss.group(text).lie_algebra)
    noisy = orthonormal(truth + 0.02 * np.random.default_rng(0).standard_normal(truth.shape))
    assert angle(next(rounder(noisy)), truth) < 1e-5


def test_affine_ones():
    truth = orthonormal(ss.SE(2).lie_algebra)
    noise = 0.02 * np.random.default_rng(0).standard_normal(truth.shape)
    noise[:, -1] = 0.0
    assert angle(next(rounder(orthonormal(truth + noise), affine=True)), truth) < 1e-5


def test_all_are_near_and_of_the_same_dimension():
    span = orthonormal(np.random.default_rng(0).standard_normal((2, 3, 3)))
    for other in rounder(span):
        assert len(other) == 2
        assert angle(other, span) < NEAR
