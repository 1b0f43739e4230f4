"""Target functions that were fresh once stay as they were."""

import numpy as np
import pytest

from softsym_lab.benchmarks.propose.earlier import EARLIER
from softsym_lab.benchmarks.propose.sets import sample
from softsym_lab.benchmarks.propose.truth import truth


@pytest.mark.parametrize("name", EARLIER)
def test_their_algebras_hold(name):
    setting = EARLIER[name]
    X, _, function = sample(setting, 1, 200, 0.0)
    own, _ = truth(function, X, setting, np.zeros((0, setting.dim, setting.dim)))
    assert len(own) == setting.dimension
    if len(own):
        assert truth(function, X, setting, own)[1] < 1e-4
