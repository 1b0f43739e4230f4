"""Rows count by their weights, in every model; fits go on from earlier ones."""

import numpy as np
import pytest

import softsym as ss
from softsym.discovery.fit_data import Rows, Shape
from softsym.discovery.models.baselines import fit_kernel_ridge
from softsym.discovery.models.linear import fit_linear, fit_mean
from softsym.errors import InputError
from tests.discovery.small import estimator, rows

RNG = np.random.default_rng(0)
X = RNG.standard_normal((40, 6))
Y = np.cross(X[:, :3], X[:, 3:]) + X[:, :3] + 0.1 * RNG.standard_normal((40, 3))
COUNTS = RNG.integers(1, 4, 40)
COPIED = np.repeat(np.arange(40), COUNTS)
SHAPE = Shape.of(ss.rep("2V"), ss.rep("V"), [ss.SO(3)])
COUNTED, COPIES = Rows(X, Y, COUNTS / COUNTS.mean()), Rows(X[COPIED], Y[COPIED])


def test_weights_count_as_copies_do_in_closed_forms():
    assert np.allclose(fit_mean(COUNTED, SHAPE).bias, fit_mean(COPIES, SHAPE).bias)
    one = fit_linear(COUNTED, SHAPE)
    counted, copied, plain = (one.fit(rows) for rows in (COUNTED, COPIES, Rows(X, Y)))
    # Copies change the scale of columns a little, and with it what a ridge means.
    assert np.abs(counted.weight - copied.weight).max() < 0.2 * np.abs(plain.weight - copied.weight).max()
    kernel = fit_kernel_ridge(COPIES, np.arange(len(COPIES)) % 5).inner
    copies, counts = kernel.condition(COPIES.X, COPIES.Y), kernel.condition(X, Y, COUNTS)
    assert np.allclose(counts.predict(X), copies.predict(X))


@pytest.mark.parametrize("model", ["linear", "gp", "network"])
def test_rows_that_count_little_are_hardly_followed(model):
    """Half of the rows obey another target function; weights say which half to believe."""
    inputs, outputs = rows(240)
    wrong = np.arange(240) % 2 == 0
    outputs = np.where(wrong[:, None], -outputs, outputs)
    weights = np.where(wrong, 1e-4, 1.0)
    est = estimator(model=model, epochs=30, seeds=1).fit(inputs, outputs, sample_weight=weights)
    right = est.score(inputs[~wrong], outputs[~wrong])
    assert right > 0.9
    assert est.score(inputs, outputs, sample_weight=weights) == pytest.approx(right, abs=0.02)
    assert est.fit_.explained() > 0.9  # errors count rows by their weights too


def test_the_evidence_counts_rows_by_their_weights():
    inputs, outputs = rows(500)
    wrong = np.arange(500) % 3 == 0
    outputs = outputs + 5.0 * wrong[:, None] * inputs[:, [0]] * [0.0, 1.0, 0.0]
    outputs += 0.05 * RNG.standard_normal(outputs.shape)
    est, weights = estimator(model="gp"), np.where(wrong, 1e-6, 1.0)
    found = est.evidence(inputs, outputs, weights)
    assert found["O(2)@z"].verdict == "exact" != est.evidence(inputs, outputs)["O(2)@z"].verdict
    fitted = est.fit(inputs, outputs, sample_weight=weights)
    assert fitted.evidence_["O(2)@z"].interval == found["O(2)@z"].interval
    assert fitted.symmetries_["O(2)@z"].verdict == "exact"


def test_rows_of_weight_zero_take_no_part(tmp_path):
    weights = (np.arange(40) < 30).astype(float)
    first = ss.SoftEquivariantRegressor("2V", "V", ["SO(3)"], model="gp").fit(X, Y, sample_weight=weights)
    second = ss.SoftEquivariantRegressor("2V", "V", ["SO(3)"], model="gp").fit(X[:30], Y[:30])
    assert np.array_equal(first.predict(X), second.predict(X))


def test_a_saved_model_keeps_what_weights_made_of_it(tmp_path):
    est = ss.SoftEquivariantRegressor("2V", "V", ["SO(3)"], model="gp").fit(X, Y, sample_weight=COUNTS)
    again = ss.load(est.save(tmp_path / "model"))
    assert np.array_equal(again.predict(X), est.predict(X))
    assert again.fit_.test_error() == est.fit_.test_error()


@pytest.mark.parametrize(
    ("weights", "problem"),
    [
        ([1.0], r"has shape \(1,\); pass one number for each of 40 rows"),
        (-np.ones(40), "not negative"),
        (np.zeros(40), "not all of them zero"),
        (["a"] * 40, "a number for every row"),
    ],
)
def test_other_weights_are_refused(weights, problem):
    with pytest.raises(InputError, match=problem):
        ss.SoftEquivariantRegressor("2V", "V", ["SO(3)"]).fit(X, Y, sample_weight=weights)


def test_a_warm_start_goes_on_where_the_first_fit_ended():
    inputs, outputs = rows(120)
    warm = estimator(epochs=12, seeds=1, warm_start=True).fit(inputs, outputs)
    first = warm.fit_.members[0].history[0]["loss"]
    warm.fit(inputs, outputs)
    assert warm.fit_.members[0].history[0]["loss"] < first / 2
    cold = estimator(epochs=12, seeds=1).fit(inputs, outputs).fit(inputs, outputs)
    assert cold.fit_.members[0].history[0]["loss"] == first


def test_a_device_is_a_parameter():
    assert estimator(device="cpu", epochs=2, seeds=1).fit(*rows(60)).get_params()["network__device"] == "cpu"
    with pytest.raises(InputError, match="unknown device 'gpu'"):
        estimator(device="gpu").fit(*rows(60))
