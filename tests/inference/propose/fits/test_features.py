"""Features and their derivatives."""

from dataclasses import replace

import numpy as np

import softsym as ss
from softsym.inference.propose.fits.features import Features, Gain
from softsym.inference.propose.fits.invariant_polynomials import invariant_polynomials
from softsym.inference.propose.matrix_action import actions


def _features(lean):
    X = np.random.default_rng(0).standard_normal((20, 7))
    source, _ = actions(X, X[:, :1], ss.rep("2V + S"), ss.rep("S"))
    found = invariant_polynomials(ss.SO(3).lie_algebra, source, np.arange(6), 2)
    return X, source, Features.of(source, X, (found,), np.array([6])).leaning(lean)


def test_slopes_are_derivatives():
    for X, source, features in (_features(0.1), (*_features(0)[:2], Features(_features(0)[1]))):
        numeric = [
            (features.values(X + 1e-6 * u * e) - features.values(X - 1e-6 * u * e)) / 2e-6
            for e, u in zip(np.eye(7), source.unit, strict=True)
        ]
        assert np.allclose(features.slopes(X), np.stack(numeric, axis=2), atol=1e-6)


def test_without_lean_features_do_not_change_along_the_group():
    X, _, features = _features(0.0)
    transformed = X @ ss.rep("2V + S").rho("SO(3)", ss.SO(3).sample(1)[0]).T
    assert np.allclose(features.values(transformed), features.values(X), atol=1e-6)
    assert not np.allclose(
        features.leaning(1.0).values(transformed), features.leaning(1.0).values(X), atol=0.1
    )


def test_a_gain_is_the_last_column():
    X, source, features = _features(0.1)
    gained = replace(features, gain=Gain(np.arange(6), 1.5))
    assert np.allclose(gained.values(X)[:, :-1], features.values(X))
    size = np.sqrt(np.mean((X[:, :6] / source.unit[:6]) ** 2, axis=1))
    assert np.allclose(gained.values(X)[:, -1], size**1.5)
    numeric = [
        (gained.values(X + 1e-6 * u * e) - gained.values(X - 1e-6 * u * e)) / 2e-6
        for e, u in zip(np.eye(7), source.unit, strict=True)
    ]
    assert np.allclose(gained.slopes(X), np.stack(numeric, axis=2), atol=1e-6)
