"""Convex combinations: weights, safety, spread."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from softsym.discovery.models.ensemble import (
    LEAST,
    StackedEnsemble,
    WeightedModel,
    convex_weights,
    fit_ensemble,
    single_model_ensemble,
)
from softsym.discovery.models.simple import fit_linear, fit_mean
from softsym.reps import rep

RNG = np.random.default_rng(0)
X = RNG.standard_normal((200, 2))
Y = X[:, :1] + 0.1 * RNG.standard_normal((200, 1))


@given(st.lists(st.floats(1e-9, 1e9), min_size=1, max_size=5), st.integers(0, 100))
@settings(max_examples=30, deadline=None)
def test_weights_are_convex_and_never_much_worse_than_the_best(sizes, seed):
    errors = [size * np.random.default_rng(seed + k).standard_normal((50, 2)) for k, size in enumerate(sizes)]
    weights = convex_weights(errors)
    assert weights.sum() == pytest.approx(1)
    assert ((weights == 0) | (weights >= LEAST)).all()
    together = np.mean(sum(w * e for w, e in zip(weights, errors, strict=True)) ** 2)
    assert together <= 1.1 * min(np.mean(error**2) for error in errors)


def test_copies_and_broken_models_do_no_harm():
    error = RNG.standard_normal((40, 1))
    assert convex_weights([error, error]).sum() == pytest.approx(1)
    assert convex_weights([error, np.full((40, 1), np.nan), np.full((40, 1), np.inf)])[0] == 1
    assert convex_weights([np.zeros((40, 1)), error])[0] == 1
    assert convex_weights([np.zeros((40, 1)), np.zeros((40, 1))]).sum() == 1


def test_parts_predict_together():
    low, high = fit_mean(X, Y, rep("2S"), rep("S")), fit_linear(X, Y, rep("2S"), rep("S"))
    ensemble = StackedEnsemble((WeightedModel(0.75, high, high), WeightedModel(0.25, low, low)))
    assert np.allclose(ensemble(X), 0.75 * high(X) + 0.25 * low(X))
    assert ensemble.name == "linear"
    assert ensemble.weights == {"linear": 0.75, "mean": 0.25}
    gap = (high(X) - low(X)) ** 2 * 0.75 * 0.25
    assert np.allclose(ensemble.std(X) ** 2, 0.75 * high.noise**2 + 0.25 * low.noise**2 + gap)
    assert fit_ensemble([low, high], X, Y).name == "linear"
    assert np.array_equal(single_model_ensemble(high).std(X), high.std(X))


def test_the_final_form_sees_other_rows_and_the_early_one_does_not():
    high = fit_linear(X[:50], Y[:50], rep("2S"), rep("S"))
    ensemble = single_model_ensemble(high).refit(X, Y)
    assert np.array_equal(ensemble.predict_from_train(X), high(X))
    assert np.array_equal(ensemble(X), high.refit(X, Y)(X))
    assert not np.array_equal(ensemble(X), ensemble.predict_from_train(X))
