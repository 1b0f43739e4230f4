"""The golf ball in a wind along (1, 2, 0): found within three degrees, and judged as physics says."""

import pytest

import softsym as ss
from softsym.benchmarks.propose.golf import flights, off


@pytest.mark.parametrize("gravity", [0.0, 9.8])
def test_plane_and_axis(gravity):
    X, Y = flights(300, gravity)
    found = ss.propose(X, Y, "6V", "6V")
    assert off(found, gravity) < 3.0
    assert found.algebra == ("none" if gravity else "so(2)")
    assert off(ss.propose(X[:, :3], X[:, :3], "V", "V"), 9.8) > 3.0 or not gravity
