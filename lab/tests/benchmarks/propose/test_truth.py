"""Truth by finite differences."""

import numpy as np
import pytest

import softsym as ss
from softsym_lab.benchmarks.propose.targets import TARGETS
from softsym_lab.benchmarks.propose.truth import truth


def test_true_generators_violate_nothing_and_others_do():
    X = np.random.default_rng(0).standard_normal((100, 6))
    setting = TARGETS["cross product"]
    own, violation = truth(setting.function, X, setting, ss.SO(3).lie_algebra)
    assert own.shape == (3, 3, 3)
    assert violation == pytest.approx(0.0, abs=1e-6)
    assert truth(setting.function, X, setting, np.eye(3)[None])[1] > 0.1
