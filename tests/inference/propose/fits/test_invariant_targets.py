"""Numbers that tell outputs."""

import numpy as np
import pytest

import softsym as ss
from softsym.inference.propose.fits.invariant_targets import (
    Homogeneous,
    Identity,
    invariant_targets,
    keeps_lengths,
)
from softsym.inference.propose.matrix_action import actions


def _targets(rep_in, rep_out, group, function, is_bounded=False):
    rng = np.random.default_rng(0)
    g = ss.group(group)
    X = rng.standard_normal((50, ss.rep(rep_in).size(g)))
    Y = function(X)
    source, target = actions(X, Y, ss.rep(rep_in), ss.rep(rep_out))
    span = g.lie_algebra
    scaling = group.startswith("Scaling")
    targets = invariant_targets(
        span, source, target, np.arange(X.shape[1]), X, is_scaling=scaling, is_bounded=is_bounded
    )
    return targets, X, Y, source, target, span


def test_invariant_outputs_are_their_own_targets():
    targets, X, Y, *_ = _targets("V", "S", "SO(3)", lambda X: X[:, :1])
    assert isinstance(targets, Identity)
    assert targets.values(X, Y) is Y


@pytest.mark.parametrize("is_bounded", [False, True])
def test_targets_are_invariant_and_determine_an_equivariant_function(is_bounded):
    targets, X, Y, source, target, span = _targets(
        "2V", "V", "SO(3)", lambda X: np.cross(X[:, :3], X[:, 3:]) + X[:, :3], is_bounded
    )
    R = ss.SO(3).sample(1, seed=0)[0] if hasattr(ss.SO(3), "sample") else np.eye(3)
    transformed = targets.values(source.transform(R, X), target.transform(R, Y))
    assert np.allclose(transformed, targets.values(X, Y), atol=1e-8)
    assert targets.residual(X, Y)[0] < 1e-12
    assert keeps_lengths(span, target)


def test_what_is_outside_is_missed():
    targets, X, Y, *_ = _targets("V", "V", "SO(3)", lambda X: X[:, [1, 2, 0]])
    square, dimensions = targets.residual(X, Y)
    assert square > 0.1
    assert dimensions == pytest.approx(2.0, abs=1e-6)


def test_what_grows_tells_itself_and_says_how():
    targets, X, Y, _, target, _ = _targets("V", "V", "Scaling(3)", lambda X: X * [1.0, 2.0, 3.0])
    assert isinstance(targets, Homogeneous)
    assert targets.values(X, Y) is Y
    assert np.allclose(targets.gain.values(2 * X), 2 * targets.gain.values(X))
    assert not targets.columns(Y, target).shift.any()


def test_outputs_that_grow_in_several_ways_have_no_targets():
    targets, *_ = _targets("V", "V + T(2)", "Scaling(3)", lambda X: np.hstack([X, np.ones((len(X), 9))]))
    assert targets is None
