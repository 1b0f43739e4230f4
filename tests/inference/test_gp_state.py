import json

import numpy as np
import pytest

from softsym import load
from softsym.errors import InputError
from softsym.inference.gp import SoftEquivariantGP
from softsym.inference.gp_state import TENSORS, TEXT
from softsym.inference.kernels import Kernel

X = np.random.default_rng(0).standard_normal((30, 6))
Y = np.cross(X[:, :3], X[:, 3:]) + X[:, :3]


@pytest.fixture(scope="module")
def gp():
    return SoftEquivariantGP("2V", "V", ["SO(3)", "O(2)@z"], kernel=Kernel("polynomial", 2)).fit(X, Y)


def test_round_trip(gp, tmp_path):
    again = load(gp.save(tmp_path / "model"))
    for a, b in zip(gp.predict(X, return_std=True), again.predict(X, return_std=True), strict=True):
        assert np.allclose(a, b)
    assert again.weights_ == gp.weights_
    assert again.symmetries_ == gp.symmetries_
    assert again.project("SO(3)").weights_["SO(3)"] == 1.0


def test_without_groups(tmp_path):
    unconstrained = SoftEquivariantGP(kernel=Kernel("rbf", 1.0)).fit(X, Y[:, 0])
    again = load(unconstrained.save(tmp_path / "model"))
    assert np.allclose(again.predict(X), unconstrained.predict(X))
    assert again.rep_in is None


def test_an_existing_folder_is_kept(gp, tmp_path):
    gp.save(tmp_path / "model")
    with pytest.raises(InputError, match="exists already; pass another folder, or force=True"):
        gp.save(tmp_path / "model")
    gp.save(tmp_path / "model", force=True)
    (tmp_path / "mine").mkdir()
    with pytest.raises(InputError, match="is not a softsym Gaussian process; it is left alone"):
        gp.save(tmp_path / "mine", force=True)


@pytest.mark.parametrize("name", [TEXT, TENSORS])
def test_damage_is_seen(gp, tmp_path, name):
    folder = gp.save(tmp_path / "model")
    data = bytearray((folder / name).read_bytes())
    data[len(data) // 2] ^= 1
    (folder / name).write_bytes(bytes(data))
    with pytest.raises(InputError, match="damaged"):
        load(folder)


def test_other_formats_and_empty_folders(gp, tmp_path):
    with pytest.raises(InputError, match="holds no softsym model"):
        load(tmp_path)
    folder = gp.save(tmp_path / "model")
    content = json.loads((folder / TEXT).read_text())
    (folder / TEXT).write_text(json.dumps({**content, "format": 99}))
    with pytest.raises(InputError, match="has format 99, this version of softsym reads 2"):
        load(folder)
