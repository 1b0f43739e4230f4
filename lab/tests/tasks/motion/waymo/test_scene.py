import numpy as np
import pytest

from softsym_lab.tasks.motion.waymo import OBJECT_TYPES, Tracks
from softsym_lab.tasks.motion.waymo.scene import STEPS


def test_numbers_are_waymos():
    assert STEPS == 10 + 1 + 80
    assert OBJECT_TYPES == {"vehicle": 1, "pedestrian": 2, "cyclist": 3, "other": 4}


@pytest.mark.parametrize("n", [0, 3])
def test_as_many_tracks_as_pasts(n):
    names = np.array(["s"] * n, dtype=np.str_)
    assert len(Tracks(np.zeros((n, 6, 3)), np.zeros((n, 6, 3)), names, names)) == n
