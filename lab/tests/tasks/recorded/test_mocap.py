"""Motion capture of a runner, made up."""

import numpy as np
import pytest
import torch
from lab.tests.tasks.recorded.made_up import EDGES, write_trials

from softsym.datasets import task
from softsym.errors import InputError
from softsym_lab.tasks.recorded import Mocap
from softsym_lab.tasks.recorded.skeleton import parity_basis, reflect_joints


@pytest.fixture
def file(tmp_path):
    return write_trials(tmp_path / "trials.npz")


def test_the_published_rows(file):
    recorded = task(f"mocap:file={file}")
    splits = recorded.splits(0)
    assert splits.sizes == recorded.sizes == (200, 240, 240)
    assert np.bincount(splits.row_groups).tolist() == [40] * 5
    assert torch.equal(splits.train[0], recorded.splits(7).train[0])  # the seed draws nothing
    assert np.bincount(recorded.row_groups(0)).tolist() == [40] * 5
    assert recorded.splits(0, (20, 5, 6)).sizes == (20, 5, 6)


def test_inputs_are_positions_and_the_step_to_the_next_frame(file):
    arrays, raw = np.load(file), Mocap("raw", file).rows()["test"]
    basis, even = parity_basis(reflect_joints(EDGES, 31))
    x, frame = arrays["trial_3"], arrays["test_3"][4]
    here, step = raw.x[4, [*range(50), *range(100, 143)]], raw.x[4, [*range(50, 100), *range(143, 186)]]
    np.testing.assert_allclose(here, basis @ x[frame].ravel())
    np.testing.assert_allclose(step, basis @ (x[frame + 1] - x[frame]).ravel(), atol=1e-12)
    np.testing.assert_allclose(raw.y[4], basis @ x[frame + 30].ravel())
    assert raw.trial[4] == 3
    assert even == 50


def test_centring_takes_the_floor_away_and_nothing_else(file, tmp_path):
    shifted = dict(np.load(file).items())
    shifted |= {name: value + np.array([3.0, 0.0, -7.0]) for name, value in shifted.items() if name.startswith("trial")}
    np.savez(tmp_path / "shifted.npz", **shifted)
    one, two = (Mocap("centred", str(path)).rows()["val"] for path in (file, tmp_path / "shifted.npz"))
    np.testing.assert_allclose(one.x, two.x, atol=1e-9)
    np.testing.assert_allclose(one.y, two.y, atol=1e-9)
    other = Mocap("raw", str(tmp_path / "shifted.npz")).rows()["val"]
    assert np.abs(other.x - one.x).max() > 1


def test_scaling_keeps_the_reflection_and_errors_are_in_the_units_of_the_file(file):
    recorded = Mocap("centred", file)
    splits, rows = recorded.splits(0), recorded.rows()["test"]
    guess = torch.zeros_like(splits.test[1])
    mean = recorded.rows()["train"].y.mean(0) * (np.arange(93) < 50)
    assert float(splits.error(guess, splits.test[1])) == pytest.approx(np.mean((rows.y - mean) ** 2), rel=1e-4)
    odd = splits.train[0][:, 100:]
    assert float(odd[:, :43].norm() / torch.from_numpy(recorded.rows()["train"].x[:, 100:143]).norm()) == (
        pytest.approx(float(splits.train[0][:, :1].std() / recorded.rows()["train"].x[:, :1].std(ddof=1)), rel=1e-4)
    )


def test_samples_are_training_rows(file):
    recorded = Mocap("centred", file)
    x, y = recorded.sample(200, 3)
    assert x.shape == (200, 186)
    assert y.shape == (200, 93)
    assert not torch.equal(x, recorded.sample(200, 4)[0])
    with pytest.raises(InputError, match="has 200 training rows, 201 were asked for"):
        recorded.sample(201, 0)


def test_without_a_file_there_are_types_but_no_rows(file):
    empty = task("mocap:raw")
    assert str(empty) == "mocap:raw"
    assert empty.rep_in.size(empty.largest) == 186
    assert str(empty.with_file(file)) == f"mocap:raw,file={file}"
    with pytest.raises(InputError, match="mocap: name the file of trials"):
        empty.splits(0)


def test_odd_files(tmp_path):
    path = tmp_path / "odd.npz"

    def message(match, **changed):
        with pytest.raises(InputError, match=match):
            Mocap("raw", write_trials(path, **changed)).rows()

    message("has no array `edges`", edges=None)
    message("`test_3` has no trial_3", trial_3=None)
    message("`trial_3` must have shape", trial_3=np.zeros((130, 30, 3)))
    message("`val_4` names frames beyond the 130", val_4=np.array([100]))
    message("has no frames for test", test_3=None, test_7=None, test_8=None)
    message("only 30 of 31 joints", edges=np.array(EDGES[:-1]))
    with pytest.raises(InputError, match="mocap has 240 rows for val, 241 were asked for"):
        Mocap("raw", write_trials(path)).splits(0, (1, 241, 1))
    with pytest.raises(InputError, match="unknown variant 'centered'; did you mean centred"):
        task("mocap:centered")
