"""The golf ball in a wind along (1, 2, 0): found within three degrees, and judged as physics says."""

import numpy as np
import pytest

import softsym as ss
from softsym_lab.benchmarks.propose.golf import flights, off


@pytest.mark.parametrize("gravity", [0.0, 9.8])
def test_plane_and_axis(gravity):
    X, Y = flights(300, gravity)
    found = ss.propose(X, Y, "6V", "6V")
    assert off(found, gravity) < 3.0
    assert found.algebra == ("none" if gravity else "so(2)")


def test_a_missing_plane_is_ninety_degrees_off():
    X, _ = flights(60, 9.8)
    found = ss.propose(X, np.random.default_rng(0).standard_normal(X.shape), "6V", "6V")
    assert off(found, 9.8) == pytest.approx(90.0)
