import numpy as np
import pytest

import softsym as ss
from softsym_lab.benchmarks.calibration_targets import ADJUSTED, FRESH

TARGETS = (*ADJUSTED, *FRESH)


@pytest.mark.parametrize("target", TARGETS, ids=[target.name for target in TARGETS])
def test_sizes_fit_the_representations(target):
    groups = [ss.group(text) for text in target.groups]
    assert {group.dim for group in groups} == {target.dim}
    X = np.random.default_rng(0).standard_normal((5, ss.rep(target.rep_in).size(groups[0])))
    Y = target(X)
    assert Y.shape == (5, ss.rep(target.rep_out).size(groups[0]))
    assert np.isfinite(Y).all()
    assert Y.std() > 0


def test_no_target_function_is_in_both_lists():
    names = [target.name for target in TARGETS]
    assert len(set(names)) == len(names)
    assert min(len(ADJUSTED), len(FRESH)) >= 12
