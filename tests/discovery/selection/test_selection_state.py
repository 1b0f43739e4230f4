"""Closed-form models and ensemble in files: there and back, networks by name."""

import numpy as np
import pytest

import softsym as ss
from softsym.discovery.selection.selection_state import MODELS_KEY, pack_models, unpack_models
from tests.discovery.small import fitted, rows


@pytest.mark.parametrize("model", ["gp", "linear", "auto"])
def test_there_and_back(model, tmp_path):
    X, Y = rows(200)
    est = ss.SoftEquivariantRegressor("2V", "V", ["O(2)@x", "O(2)@z"], model=model).fit(X, Y)
    again = ss.load(est.save(tmp_path / "model"))
    assert np.array_equal(again.predict(X), est.predict(X))
    for one, other in zip(again.predict(X, return_std=True), est.predict(X, return_std=True), strict=True):
        assert np.array_equal(one, other)
    assert again.fit_.test_error() == est.fit_.test_error()
    assert again.fit_.ensemble.weights == est.fit_.ensemble.weights
    assert again.fit_.exact_groups == est.fit_.exact_groups
    assert again.evidence_ == est.evidence_
    assert np.array_equal(again.project("O(2)@z").model.predict(X), est.project("O(2)@z").model.predict(X))
    assert b"pickle" not in (tmp_path / "model" / "model.json").read_bytes()


def test_models_of_before_have_no_closed_form_models():
    fit = fitted().fit_
    arrays = {}
    about = pack_models(fit, arrays)
    assert (about[MODELS_KEY], about["blend"], arrays) == ([], [], {})
    assert unpack_models(fit, {}, {}).ensemble is None
