"""Models on disk: the way there and back, damage, and what is never overwritten."""

import json

import numpy as np
import pytest

import softsym as ss
from softsym.discovery import storage
from softsym.errors import InputError
from tests.discovery.small import fitted, rows


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
    assert again.snap("O(2)@z").test_error == fitted().snap("O(2)@z").test_error
    assert {file.name for file in folder.iterdir()} == {"model.json", "tensors.safetensors"}


def test_classes_come_back(tmp_path):
    X = np.random.default_rng(0).standard_normal((60, 3))
    y = np.where(X[:, 0] > 0, "a", "b")
    est = ss.SoftEquivariantClassifier(width=8, layers=2, epochs=3, seeds=1).fit(X, y)
    again = ss.load(est.save(tmp_path / "model"))
    assert (again.predict(X) == est.predict(X)).all()


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
