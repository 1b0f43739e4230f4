"""Predictions to files: names that clash, endings, permissions."""

import os
import warnings

import numpy as np
import polars
import pytest

import softsym
import softsym as ss
from softsym.discovery.discover import predict_file
from softsym.errors import InputError
from tests.discovery.small import estimator, rows


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    X, Y = rows(60)
    names = ["e", "e_std", "f"]
    est = estimator(epochs=2).fit(X, polars.DataFrame(Y, schema=names))
    return est.save(tmp_path_factory.mktemp("it") / "model"), est


@pytest.fixture
def data(tmp_path):
    path = tmp_path / "new.npz"
    np.savez(path, X=rows(60)[0])
    return str(path)


def test_a_spread_never_hides_a_prediction(model, data, tmp_path):
    folder, est = model
    assert predict_file(folder, data, tmp_path / "p.csv") == 60
    frame = polars.read_csv(tmp_path / "p.csv")
    assert frame.columns == ["e", "e_std", "f", "e_std_", "e_std_std_", "f_std_"]
    assert np.allclose(frame["e_std"], est.predict(rows(60)[0])[:, 1])


def test_its_input_is_never_replaced(model, data, tmp_path):
    (tmp_path / "link.npz").symlink_to(data)
    for name in ("new.npz", "link.npz"):
        with pytest.raises(InputError, match="is what this command reads; pass another -o"):
            predict_file(model[0], data, tmp_path / name, force=True)
    with np.load(data) as stored:
        assert list(stored) == ["X"]


def test_columns_that_are_chosen_by_name_need_no_warning(tmp_path):
    X, Y = rows(60)
    frame = polars.DataFrame(X, schema=list("abcdef"))
    folder = ss.SoftEquivariantRegressor("2V", "V", ["O(3)"], model="linear").fit(frame, Y).save(tmp_path / "model")
    frame.write_csv(tmp_path / "new.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert predict_file(folder, str(tmp_path / "new.csv"), tmp_path / "p.csv") == 60


def test_endings_in_capitals(model, data, tmp_path):
    predict_file(model[0], data, tmp_path / "P.NPZ")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["P.NPZ", "new.npz"]
    with np.load(tmp_path / "P.NPZ", allow_pickle=False) as found:
        assert found["Y"].shape == found["std"].shape == (60, 3)
        assert found["y_names"].tolist() == ["e", "e_std", "f"]


def test_files_are_for_whom_peoples_own_files_are(model, data, tmp_path):
    predict_file(model[0], data, tmp_path / "p.parquet")
    mask = os.umask(0)
    os.umask(mask)
    assert os.stat(tmp_path / "p.parquet").st_mode & 0o777 == 0o666 & ~mask
    assert os.stat(model[0]).st_mode & 0o777 == 0o777 & ~mask


def test_wrong_columns_are_named(model, tmp_path):
    np.savez(tmp_path / "narrow.npz", X=np.zeros((5, 4)))
    with pytest.raises(InputError, match=r"gives 4 columns, the model has 6 inputs \(2V\)"):
        predict_file(model[0], str(tmp_path / "narrow.npz"), tmp_path / "p.csv")


def test_tab_separated_predictions_too(model, data, tmp_path):
    predict_file(model[0], data, tmp_path / "p.tsv")
    assert polars.read_csv(tmp_path / "p.tsv", separator="\t").columns[:3] == ["e", "e_std", "f"]


def test_endings_that_cannot_be_written(model, data, tmp_path):
    with pytest.raises(InputError, match=r"p.xlsx must end in \.npz, \.csv, \.tsv, \.parquet"):
        predict_file(model[0], data, tmp_path / "p.xlsx")


def test_a_task_knows_its_columns(model, tmp_path):
    with pytest.raises(InputError, match="'golfball' is a task, which knows its columns"):
        predict_file(model[0], "golfball", tmp_path / "p.csv", x_columns="x0..x5")


def test_points_come_back_where_they_belong(tmp_path):
    X, Y = rows(60)
    X, Y = X + 100.0, X[:, :3] + 100.0 + 0.1 * Y
    est = softsym.SoftEquivariantRegressor("2P", "P", ["SE(3)"], model="linear").fit(X, Y)
    np.savez(tmp_path / "new.npz", X=X)
    predict_file(est.save(tmp_path / "model"), str(tmp_path / "new.npz"), tmp_path / "p.npz")
    with np.load(tmp_path / "p.npz", allow_pickle=False) as found:
        assert np.allclose(found["Y"], est.predict(X))
        assert abs(found["Y"].mean() - 100.0) < 5.0
