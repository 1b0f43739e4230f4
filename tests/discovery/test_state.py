"""Models on disk: the way there and back, damage, and what is never overwritten."""

import json
import os
import pickle

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file
from safetensors.numpy import save as encode

import softsym as ss
from softsym.discovery import state as storage
from softsym.discovery.state import ESTIMATORS, load, restore_estimator
from softsym.errors import InputError
from softsym.io import digest, dump_with_checksum, load_with_checksum
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
    assert again.report().page == fitted().report().page
    assert again.project("O(2)@z").test_error == fitted().project("O(2)@z").test_error
    assert {file.name for file in folder.iterdir()} == {"manifest.json", "model.json", "tensors.safetensors"}


def test_classes_come_back(tmp_path):
    X = np.random.default_rng(0).standard_normal((60, 3))
    y = np.where(X[:, 0] > 0, "a", "b")
    est = ss.SoftEquivariantClassifier(network=ss.discovery.NetworkConfig(width=8, layers=2, epochs=3, seeds=1)).fit(
        X, y
    )
    again = ss.load(est.save(tmp_path / "model"))
    assert (again.predict(X) == est.predict(X)).all()


def test_all_that_a_fit_leaves_comes_back(folder):
    fit, again = fitted().fit_, ss.load(folder).fit_
    assert np.array_equal(again.test.X, fit.test.X)
    assert again.test.is_separate == fit.test.is_separate
    assert again.baselines == fit.baselines
    assert again.why == fit.why
    assert again.exact_groups == fit.exact_groups == ("O(2)@z",)
    assert np.array_equal(again.networks.curves[0].epochs, fit.networks.curves[0].epochs)
    for one, other in zip(again.members, fit.members, strict=True):
        states = (member.model.state_dict() for member in (one, other))
        assert all(torch.equal(a, b) for a, b in zip(*(state.values() for state in states), strict=True))


def test_equal_arrays_are_stored_once(folder):
    content = json.loads((folder / storage.TEXT).read_text())
    stored = load_file(folder / storage.TENSORS)
    assert any(name.startswith("full/0/member/") for name in content["same"])
    assert set(content["same"].values()) <= set(stored)
    assert not set(content["same"]) & set(stored)


def test_weights_are_short_where_nothing_is_lost(folder, tmp_path):
    def kinds(folder):
        tensors = load_file(folder / storage.TENSORS)
        return {values.dtype.name for name, values in tensors.items() if "/member/" in name}

    assert "float64" in kinds(folder)  # projected onto an exact group
    plain = ss.SoftEquivariantRegressor(
        model="network", network=ss.discovery.NetworkConfig(width=8, layers=2, epochs=2, seeds=1)
    ).fit(*rows(60))
    assert kinds(plain.save(tmp_path / "plain")) == {"float32"}


def test_ordinary_networks_that_predict_come_back(tmp_path):
    X, Y = rows(120)
    est = estimator(epochs=3, seeds=2, lr=1e-9).fit(X, Y)  # it has learned nothing
    assert est.fit_.model == "ordinary network"
    again = ss.load(est.save(tmp_path / "model"))
    assert np.array_equal(again.predict(X), est.predict(X))
    assert again.baselines_ == est.baselines_
    assert np.array_equal(again.fit_.networks.predict(X), est.fit_.networks.predict(X))
    assert np.array_equal(again.project("O(2)@z").model.predict(X), est.project("O(2)@z").model.predict(X))
    copied = pickle.loads(pickle.dumps(est))
    assert np.array_equal(copied.predict(X), est.predict(X))


def test_an_existing_folder_is_kept(folder, tmp_path):
    with pytest.raises(InputError, match="exists already"):
        fitted().save(folder)
    fitted().save(folder, force=True)
    other = tmp_path / "mine"
    other.mkdir()
    (other / "thesis.tex").write_text("")
    with pytest.raises(InputError, match="was not written by softsym"):
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
    with pytest.raises(InputError, match="has format 99, this version of softsym reads 2"):
        ss.load(folder)


def test_nothing_there(tmp_path):
    with pytest.raises(InputError, match="holds no softsym model"):
        ss.load(tmp_path / "nowhere")


def test_an_unwritable_place(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write the model to"):
        fitted().save(tmp_path / "file" / "model")


def saved(**changes):
    files = storage.to_files(fitted())
    content = json.loads(files[storage.TEXT]) | changes
    del content["digest"]
    return files | {storage.TEXT: json.dumps({"digest": digest(storage.canonical(content)), **content}).encode()}


def test_every_public_estimator_can_be_read_back():
    assert set(ESTIMATORS) == {name for name in ss.discovery.__all__ if name.startswith("SoftEquivariant")}
    assert ss.load is load
    kept = {name: value for name, value in fitted().get_params().items() if name != "n_jobs"}
    again = restore_estimator(saved())
    assert {name: again.get_params()[name] for name in kept} == kept


def test_an_unknown_class_or_parameter_is_refused():
    with pytest.raises(InputError, match="names an unknown class 'Evil'"):
        restore_estimator(saved(**{"class": "Evil"}))
    with pytest.raises(InputError, match="does not describe a model that predicts"):
        restore_estimator(saved(parameters={"colour": "red"}))


def test_only_known_attributes_are_set():
    again = restore_estimator(saved(attributes={"n_features_in_": 6, "n_outputs_": 3, "fit": "evil"}))
    assert callable(again.fit)


def rewrite(folder, change):
    """Changes a description and signs it again."""
    content = json.loads((folder / storage.TEXT).read_text())
    del content["digest"]
    change(content)
    text = json.dumps({"digest": digest(storage.canonical(content)), **content})
    (folder / storage.TEXT).write_text(text)


WRONG = {
    "columns": lambda content: content["attributes"].update(n_features_in_=9),
    "no columns": lambda content: content["attributes"].update(n_features_in_="6"),
    "kind": lambda content: content["fit"]["models"]["full"]["0"].update(kind="forest"),
    "weights": lambda content: content["fit"]["models"]["full"].update(weights=[1.0, 2.0]),
    "verdict": lambda content: content["symmetries"][0].update(verdict=5, violation="x"),
    "huge": lambda content: content["fit"]["models"]["full"]["0"]["hyperparameters"].update(width=10**6),
    "no models": lambda content: content["fit"].update(models={}),
    "width": lambda content: content["fit"]["models"]["full"]["0"]["hyperparameters"].update(width=5),
}


@pytest.mark.parametrize("change", WRONG.values(), ids=list(WRONG))
def test_a_description_that_fits_nothing_is_refused_in_one_line(folder, change):
    rewrite(folder, change)
    with pytest.raises(InputError, match=r"model\.json does not describe|unknown kind") as refused:
        ss.load(folder)
    assert "\n" not in str(refused.value)


def test_numbers_that_are_none_are_refused(folder, tmp_path):
    tensors = load_file(folder / storage.TENSORS)
    name = next(name for name in tensors if "/member/0/" in name)
    tensors[name].flat[0] = np.nan
    data = encode(tensors)
    (folder / storage.TENSORS).write_bytes(data)
    rewrite(folder, lambda content: content.update(tensors=digest(data)))
    with pytest.raises(InputError, match=rf"{name} contains NaN"):
        ss.load(folder)


@pytest.mark.parametrize("name", [storage.TEXT, storage.TENSORS])
def test_pipes_devices_and_files_larger_than_memory_are_refused(folder, name):
    (folder / name).unlink()
    (folder / name).symlink_to("/dev/zero")
    with pytest.raises(InputError, match="is no file but a folder, a pipe or a device"):
        ss.load(folder)
    (folder / name).unlink()
    os.mkfifo(folder / name)
    with pytest.raises(InputError, match="is no file but a folder, a pipe or a device"):
        ss.load(folder)
    (folder / name).unlink()
    with (folder / name).open("wb") as file:
        file.truncate(10**12)
    with pytest.raises(InputError, match=r"at most .* are read"):
        ss.load(folder)


def test_brackets_nested_too_deeply_are_refused(folder):
    (folder / storage.TEXT).write_text("[" * 100_000)
    with pytest.raises(InputError, match="is damaged"):
        ss.load(folder)


def test_gaussian_processes_are_read_with_the_same_care(tmp_path):
    X = np.random.default_rng(0).standard_normal((40, 3))
    folder = ss.SoftEquivariantGP("V", "V", ["O(3)"]).fit(X, 2 * X).save(tmp_path / "gp")
    assert np.isfinite(ss.load(folder).predict(X)).all()
    tensors = load_file(folder / storage.TENSORS)
    name = next(name for name, values in tensors.items() if values.dtype.kind == "f" and values.size)
    tensors[name].flat[0] = np.nan
    data = encode(tensors)
    (folder / storage.TENSORS).write_bytes(data)
    content = load_with_checksum((folder / "gp.json").read_text())
    (folder / "gp.json").write_text(dump_with_checksum(content | {"tensors": digest(data)}))
    with pytest.raises(InputError, match="contains NaN"):
        ss.load(folder)
    (folder / storage.TENSORS).unlink()
    (folder / storage.TENSORS).symlink_to("/dev/zero")
    with pytest.raises(InputError, match="is no file but a folder, a pipe or a device"):
        ss.load(folder)


def test_plain_values_are_those_of_python():
    assert [storage.plain(value) for value in (np.arange(2), np.float64(0.5), "V")] == [[0, 1], 0.5, "V"]
