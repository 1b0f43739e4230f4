"""Models on disk: the way there and back, damage, and what is never overwritten."""

import json
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

import softsym as ss
from softsym.discovery import storage
from softsym.discovery.fit.train import Session, prepare, train_ensemble
from softsym.discovery.judge.judge import judge_all
from softsym.errors import InputError
from tests.discovery.fit.training_data import SHAPE, plan
from tests.discovery.small import estimator, fitted, rows


@pytest.fixture
def folder(tmp_path):
    return fitted().save(tmp_path / "model")


def test_there_and_back(folder):
    again = ss.load(folder)
    X, _ = rows()
    assert type(again) is type(fitted())
    assert np.array_equal(again.predict(X), fitted().predict(X))
    assert again.symmetries_ == fitted().symmetries_
    assert again.report() == fitted().report()
    assert again.project("O(2)@z").test_error == fitted().project("O(2)@z").test_error
    assert {file.name for file in folder.iterdir()} == {"manifest.json", "model.json", "tensors.safetensors"}


def test_classes_come_back(tmp_path):
    X = np.random.default_rng(0).standard_normal((60, 3))
    y = np.where(X[:, 0] > 0, "a", "b")
    est = ss.SoftEquivariantClassifier(
        network=ss.discovery.NetworkConfig(width=8, layers=2, epochs=3, seeds=1)
    ).fit(X, y)
    again = ss.load(est.save(tmp_path / "model"))
    assert (again.predict(X) == est.predict(X)).all()


def test_all_that_a_fit_leaves_comes_back(folder):
    fit, again = fitted().fit_, ss.load(folder).fit_
    assert np.array_equal(again.checked.X, fit.checked.X)
    assert np.array_equal(again.checked.Y, fit.checked.Y)
    assert again.checked.is_separate == fit.checked.is_separate
    assert again.baselines == fit.baselines
    assert again.exact_groups == fit.exact_groups == ("O(2)@z",)
    assert again.ordinary is None
    for one, other in zip(again.members, fit.members, strict=True):
        states = (member.model.state_dict() for member in (one, other))
        assert all(torch.equal(a, b) for a, b in zip(*(state.values() for state in states), strict=True))


def test_weights_are_short_where_nothing_is_lost(folder, tmp_path):
    def kinds(folder):
        tensors = load_file(folder / storage.TENSORS)
        return {values.dtype.name for name, values in tensors.items() if name.startswith("member/")}

    assert "float64" in kinds(folder)  # projected onto an exact group
    plain = ss.SoftEquivariantRegressor(
        model="network", network=ss.discovery.NetworkConfig(width=8, layers=2, epochs=2, seeds=1)
    ).fit(*rows(60))
    assert kinds(plain.save(tmp_path / "plain")) == {"float32"}


def test_ordinary_networks_that_predict_come_back(tmp_path):
    X, Y = rows(120)
    est = estimator(epochs=3, seeds=2, lr=1e-9).fit(X, Y)  # it has learned nothing
    assert est.fit_.ordinary is not None
    again = ss.load(est.save(tmp_path / "model"))
    assert np.array_equal(again.predict(X), est.predict(X))
    assert again.baselines_ == est.baselines_
    assert np.array_equal(again.fit_.predictor(X), est.fit_.predictor(X))
    assert np.array_equal(again.project("O(2)@z").model.predict(X), est.project("O(2)@z").model.predict(X))
    copied = pickle.loads(pickle.dumps(est))
    assert np.array_equal(copied.predict(X), est.predict(X))


def test_models_saved_before_predict_the_same():
    """By a version that trained with penalties in the loss, undid sizes outside of networks and kept no validation rows."""
    stored = Path(__file__).parent / "stored"
    expected = json.loads((stored / "expected.json").read_text())
    X = np.array(expected["X"])
    regressor, classifier = (ss.load(stored / name) for name in ("regressor", "classifier"))
    np.testing.assert_allclose(regressor.predict(X), expected["regressor"], rtol=1e-10)
    np.testing.assert_allclose(classifier.predict_proba(X), expected["classifier"], rtol=1e-10)
    np.testing.assert_allclose(regressor.project("SO(3)").model.predict(X), expected["snapped"], rtol=1e-10)
    assert {row.name: row.verdict for row in regressor.symmetries_} == expected["verdicts"]
    fit = regressor.fit_
    assert fit.predictor.frame is not None
    assert (fit.checked, fit.exact_groups, fit.ordinary, len(regressor.baselines_)) == (None, (), None, 0)
    assert fit.judged is fit.held
    assert (fit.recipe.form, fit.recipe.strengths) == ("loss", "one-shot")
    assert "Scaling(3)" in regressor.report()
    assert list(classifier.classes_) == ["far", "near"]


def test_an_existing_folder_is_kept(folder, tmp_path):
    with pytest.raises(InputError, match="exists already"):
        fitted().save(folder)
    fitted().save(folder, force=True)
    other = tmp_path / "mine"
    other.mkdir()
    with pytest.raises(InputError, match="is not a softsym model; it is left alone"):
        fitted().save(other, force=True)


def damaged(file, change):
    file.write_bytes(change(file.read_bytes()))


DAMAGE = {
    "truncated": lambda data: data[: len(data) // 2],
    "empty": lambda data: b"",
    "flipped": lambda data: data[:-20] + bytes([data[-20] ^ 1]) + data[-19:],
    "noise": lambda data: b"\x80\x04\x95" + data[3:],
}


@pytest.mark.parametrize("name", [storage.TEXT, storage.TENSORS])
@pytest.mark.parametrize("change", DAMAGE.values(), ids=list(DAMAGE))
def test_damage_is_refused(folder, name, change):
    damaged(folder / name, change)
    with pytest.raises(InputError, match=rf"model: {name} is damaged"):
        ss.load(folder)


def test_a_changed_number_is_refused(folder):
    content = json.loads((folder / storage.TEXT).read_text())
    content["symmetries"][0]["verdict"] = "exact!"
    (folder / storage.TEXT).write_text(json.dumps(content))
    with pytest.raises(InputError, match="was changed: its checksum does not match"):
        ss.load(folder)


def test_another_version_is_refused(folder):
    content = json.loads((folder / storage.TEXT).read_text())
    (folder / storage.TEXT).write_text(json.dumps(content | {"format": 99}))
    with pytest.raises(InputError, match="has format 99, this version of softsym reads 1"):
        ss.load(folder)


def test_nothing_there(tmp_path):
    with pytest.raises(InputError, match="holds no softsym model"):
        ss.load(tmp_path / "nowhere")


def test_an_unwritable_place(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write the model to"):
        fitted().save(tmp_path / "file" / "model")


def test_networks_trained_with_fewer_candidates_come_back():
    shape = replace(SHAPE, groups=SHAPE.groups[1:], largest=SHAPE.groups[1])
    asked = plan(seeds=1, shape=replace(SHAPE, largest=shape.largest))
    fit = train_ensemble(asked, prepare(asked, shape), Session())
    again = storage._unpack_fit(*storage._pack_fit(fit))
    assert [group.name for group in again.shape.groups] == ["O(2)@x", "O(2)@z"]
    assert list(again.members[0].strengths) == list(again.curves[0].strengths) == ["O(2)@z"]
    np.testing.assert_array_equal(again.outputs(asked.X), fit.outputs(asked.X))
    assert judge_all(fit)["O(2)@x"].strength == 0.0
