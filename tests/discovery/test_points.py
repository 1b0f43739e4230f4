"""Points in estimators: centred before, put back after."""

import numpy as np
import pytest
import torch

import softsym as ss
from softsym.discovery.points import as_vectors, has_points, read_points
from softsym.errors import InputError


def _pairs(n=120, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, 6)) + 100.0
    apart = X[:, :3] - X[:, 3:]
    return X, apart * np.sum(apart**2, axis=1, keepdims=True) / 4


def test_translation_equivariance_by_construction():
    table, acting = read_points("2P", "P", [ss.SE(3)], 6)
    X, _ = _pairs(5)
    Y = X[:, :3] + X[:, 3:] / 7
    assert acting == [ss.SO(3)]
    assert np.allclose(table.inputs(X + np.tile([1.0, 2.0, 3.0], 2)), table.inputs(X))
    assert np.allclose(table.restore_outputs(X, table.outputs(X, Y)), Y)


def test_groups_without_translations_act_about_the_origin():
    for group in (ss.SO(3), ss.SO(3).embed(4, (0, 1, 2))):
        table, acting = read_points("2P", "V", [group], 6)
        X, Y = _pairs(5)
        assert not table.is_centred
        assert acting == [ss.SO(3)]
        assert table.inputs(X) is X
        assert table.outputs(X, Y) is Y
    table, acting = read_points("2P", "V", [ss.SE(3), ss.O(3), ss.Translation(3)], 6)
    assert table.is_centred
    assert acting == [ss.SO(3), ss.O(3)]


@pytest.mark.parametrize(("rep_in", "groups", "message"), [
    ("2D", [ss.SE(3)], "has no points P"),
    ("2P", [ss.SE(3), ss.O(2)], "O\\(2\\) acts on R\\^2, the points are in R\\^3"),
])  # fmt: skip
def test_refusals(rep_in, groups, message):
    with pytest.raises(InputError, match=message):
        read_points(rep_in, "D", groups, 6)


def test_words():
    assert has_points("S + D")
    assert not has_points("2V", "S", None)
    assert str(as_vectors("2P + S")) == "2V + S"


def test_an_estimator_takes_points():
    X, Y = _pairs()
    est = ss.SoftEquivariantRegressor("2P", "V", ["SE(3)"], model="linear").fit(X, Y)
    transformed = est.predict(X + np.tile([5.0, -3.0, 2.0], 2))
    assert np.allclose(transformed, est.predict(X), atol=1e-6 * np.abs(Y).max())
    assert [row.name for row in est.symmetries_] == ["SO(3)"]


def test_a_saved_model_knows_its_origin(tmp_path):
    X, _ = _pairs()
    Y = (X[:, :3] + 2 * X[:, 3:]) / 3
    est = ss.SoftEquivariantRegressor("2P", "P", ["SE(3)"], model="linear").fit(X, Y)
    again = ss.load(est.save(tmp_path / "model"))
    assert np.allclose(again.predict(X), est.predict(X))
    assert np.allclose(est.predict(X), Y, atol=1e-3)


def test_translations_that_the_evidence_refutes_are_not_enforced():
    rng = np.random.default_rng(0)
    X = rng.standard_normal((200, 6))
    apart = X[:, :3] - X[:, 3:]
    Y = -apart - 2.0 * X[:, :3] * np.sum(X[:, :3] ** 2, axis=1, keepdims=True) + 0.01 * rng.standard_normal((200, 3))
    est = ss.SoftEquivariantRegressor("2P", "D", ["SE(3)", "O(3)"], model="linear").fit(X, Y)
    assert not est.is_centred_
    assert {row.name: row.verdict for row in est.symmetries_}["O(3)"] == "exact"


def test_a_module_of_classes_takes_points():
    X, _ = _pairs(60)
    small = ss.discovery.NetworkConfig(width=8, layers=2, epochs=1, seeds=1)
    far = np.linalg.norm(X[:, :3] - X[:, 3:], axis=1) > 2
    est = ss.SoftEquivariantClassifier("2P", groups=["SE(3)"], network=small).fit(X, far)
    assert est.is_centred_
    predicted = est.module_(torch.from_numpy(X)).detach().numpy()
    assert np.allclose(predicted, est.predict_proba(X))
