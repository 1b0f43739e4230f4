"""The Lie derivative's null space, and how defects are judged."""

import numpy as np
import pytest

import softsym as ss
from softsym.inference.propose.derivative import LEVEL, Defect, LieDerivative
from softsym.inference.propose.fits.features import Features
from softsym.inference.propose.fits.fit import Fit
from softsym.inference.propose.matrix_action import actions, basis_of
from tests.inference.propose.target_functions import rows


def _lie(name, n=300, noise=0.02, seed=0):
    X, Y, rep_in, rep_out, _ = rows(name, n, noise, seed)
    source, target = actions(X, Y, ss.rep(rep_in), ss.rep(rep_out))
    fit = Fit.of(source.scaled(X), target.scaled(Y))
    return LieDerivative.of(fit, Features(source), target, basis_of(source.dim, False), X)


@pytest.mark.parametrize(("name", "k"), [("cross product", 3), ("along z", 1), ("nothing", 0)])
def test_the_gap_is_where_theory_says(name, k):
    values, _ = _lie(name).spectrum()
    assert k == 0 or values[k - 1] < 1e-3
    assert values[k] > 0.01


def test_true_generators_are_rarely_refuted():
    rotations = ss.SO(3).lie_algebra.reshape(3, -1)
    p_values = [_lie("cross product", 100, 0.1, seed).defect(rotations[0]).p_value for seed in range(15)]
    assert min(p_values) > 1e-4
    assert np.mean(np.array(p_values) < 0.2) < 0.5


def test_broken_generators_are_refuted_and_bounded():
    defect = _lie("cross product").defect(np.eye(3).ravel())
    assert defect.p_value < 1e-10
    low, high = defect.interval
    assert low < defect.violation < high


def test_a_wrong_element_is_refuted_and_a_right_one_is_not():
    lie = _lie("cross product")

    def tried(h):
        values = lie.fit.predict(lie.features.values(lie.X))
        return lie.element_defect(
            h, values, lie.fit.predict(lie.features.values(lie.source.transform(h, lie.X)))
        )

    assert tried(ss.SO(3).sample(1)[0]).p_value > LEVEL
    assert tried(-np.eye(3)).p_value < 1e-10
    assert tried(-np.eye(3)).violation == pytest.approx(1.0, abs=0.05)


def test_defects_without_size_bound_nothing():
    assert Defect(0.0, 0.0, 1.0, 0.0).interval == (0.0, np.inf)
    assert Defect(0.0, 0.0, 1.0, 1.0).p_value == 1.0
    assert Defect(1.0, 0.0, 1.0, 1.0).p_value == 0.0
