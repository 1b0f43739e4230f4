import numpy as np
import pytest

import softsym as ss
from softsym_lab.benchmarks.calibration_laws import ADJUSTED, FRESH

LAWS = (*ADJUSTED, *FRESH)


@pytest.mark.parametrize("law", LAWS, ids=[law.name for law in LAWS])
def test_sizes_fit_the_representations(law):
    groups = [ss.group(text) for text in law.groups]
    assert {group.dim for group in groups} == {law.dim}
    X = np.random.default_rng(0).standard_normal((5, ss.rep(law.rep_in).size(groups[0])))
    Y = law(X)
    assert Y.shape == (5, ss.rep(law.rep_out).size(groups[0]))
    assert np.isfinite(Y).all()
    assert Y.std() > 0


def test_no_law_is_in_both_lists():
    names = [law.name for law in LAWS]
    assert len(set(names)) == len(names)
    assert min(len(ADJUSTED), len(FRESH)) >= 12
