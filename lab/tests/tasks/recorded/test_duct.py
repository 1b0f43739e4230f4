"""The flow in a square duct, made up."""

import numpy as np
import pytest
import torch
from lab.tests.tasks.recorded.made_up import write_flow

from softsym.datasets import task
from softsym.errors import InputError
from softsym.metrics.transform import act
from softsym_lab.tasks.recorded.duct import ACROSS, OUTPUTS, PUBLISHED_R2, SHEARED, Duct, from_mandel, mandel


@pytest.fixture
def file(tmp_path):
    return write_flow(tmp_path / "flow.npz")


def test_mandel_vectors_keep_lengths_and_go_back():
    w = np.random.default_rng(0).normal(size=(5, 6))
    full = from_mandel(w)
    np.testing.assert_allclose((full**2).sum(1), (w**2).sum(1))
    np.testing.assert_allclose(mandel(torch.from_numpy(full)).numpy(), w)


def test_one_side_fits_the_other_validates_and_the_other_half_tests(file):
    splits = Duct("even", file).splits(0, (144, 144, 288))
    assert splits.sizes == (144, 144, 288)
    y = {name: part[0][:, 1] for name, part in (("train", splits.train), ("test", splits.test))}
    assert (y["train"] < 0).all()  # the first half of the raster
    assert (y["test"] > 0).all()
    assert (splits.train[0][:, 2] < 0).all()
    assert (splits.val[0][:, 2] > 0).all()


def test_even_inputs_rotate_with_the_gradients(file):
    duct = task(f"duct:file={file}")
    gradients = duct.rows()[0]
    elements = duct.groups[-1].sample(3, seed=1)
    rotated = act("T(2)", "O(2)@x", elements, gradients)[0]
    rows = np.arange(len(gradients))
    even = duct._inputs(gradients, rows)
    np.testing.assert_allclose(duct._inputs(rotated, rows), act("T(2)", "O(2)@x", elements, even)[0], atol=1e-9)


def test_the_published_measure_has_one_mean_for_all_outputs(file):
    duct = Duct("raw", file)
    splits, (_, w, part) = duct.splits(0, (144, 144, 288)), duct.rows()
    y = splits.test[1]
    scores = splits.scores(torch.zeros_like(y), y)
    assert list(scores) == [PUBLISHED_R2, *(f"R2 {name}" for name in OUTPUTS)]
    mean = w[part == "train"].mean(0)
    level = np.array([mean[0], 0, 0, (mean[3] + mean[5]) / 2, 0, (mean[3] + mean[5]) / 2])
    test = w[part == "test"]
    assert scores[PUBLISHED_R2] == pytest.approx(1 - ((test - level) ** 2).mean() / test.var(), abs=1e-4)
    assert scores["R2 yy"] == pytest.approx(1 - ((test[:, 3] - level[3]) ** 2).mean() / test[:, 3].var(), abs=1e-4)
    assert splits.scores(y, y)[PUBLISHED_R2] == pytest.approx(1)
    assert float(splits.error(torch.zeros_like(y), y)) == pytest.approx(((test - level) ** 2).mean(), rel=1e-4)


def test_observations_are_the_whole_duct_as_it_is(file):
    x, y = Duct("even", file).observations(0)
    assert x.shape == y.shape == (576, 9)
    np.testing.assert_allclose(np.sort(x[:, 1]), np.sort(np.load(file)["gradU"][:, 1]))


def test_symmetries_are_asked_of_the_inputs_that_models_take(file):
    task = Duct("even", file)
    (raw, y), (x, same) = task.observations(0), task.evidence_data(0)
    assert torch.equal(same, y)
    for block in (SHEARED, ACROSS):  # directions stay, sizes are compressed
        size, before = (values[:, block].norm(dim=1, keepdim=True) for values in (x, raw))
        assert torch.allclose(x[:, block] * before, raw[:, block] * size)
        assert size.max() / size.median() < before.max() / before.median()


def test_odd_files(tmp_path):
    path = tmp_path / "odd.npz"

    def message(match, **changed):
        with pytest.raises(InputError, match=match):
            Duct("even", write_flow(path, **changed)).rows()

    message("has no array `grid`", grid=None)
    message(r"`w` must have shape \(576, 6\)", w=np.zeros((576, 5)))
    message("has one sign, so there is no published split", grid=np.ones((576, 2)))
    message(
        "12 rows are no square raster",
        gradU=np.zeros((12, 9)),
        w=np.zeros((12, 6)),
        grid=np.array([[1.0, 0], [-1, 0]] * 6),
    )
    with pytest.raises(InputError, match="duct has 144 rows for val, 145 were asked for"):
        Duct("even", write_flow(path)).splits(0, (1, 145, 1))
    with pytest.raises(InputError, match="duct: name the file of the flow"):
        task("duct").splits(0)
