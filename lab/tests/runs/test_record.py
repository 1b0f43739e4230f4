"""What is measured of a run."""

import json

import pytest
import torch
from lab.tests.runs.small import TASK, spec, train

import softsym as ss
from softsym.datasets import task
from softsym_lab.runs.record import PROBES, RunResult, data_errors, draw_probes, make_result, model_errors


def test_errors_of_the_truth_and_of_models():
    inertia = task(TASK)
    probes = draw_probes(inertia, seed=0)
    assert (probes.shape, probes.dtype) == ((PROBES, 20), torch.float64)
    assert torch.equal(probes.float(), inertia.sample(PROBES, 0)[0])
    truth = data_errors(inertia, probes, 8)
    assert truth["O(2)@z"] < 1e-6 < 0.1 < truth["O(2)@x"]
    net = ss.nn.EMLP("5S + 5V", "T(2)", "O(2)@z", width=20, layers=2)
    found = model_errors(net, inertia, probes, 8, [ss.group("O(2)@z")])
    assert found == {"O(2)@z": pytest.approx(0.0, abs=1e-5)}


def test_the_truth_of_vehicles_is_not_known():
    assert data_errors(task("motion:scale-aware"), torch.zeros(2, 18)) == {}


def test_results_are_json_and_back():
    chosen, inertia = spec(), task(TASK)
    fitted = train(epochs=12)
    data = inertia.splits(0, (60, 40, 40))
    found = make_result(chosen, inertia, fitted, data, 1.5, draw_probes(inertia, 0), None)
    assert RunResult.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    assert found.test_error == pytest.approx(float(data.error(fitted.model(data.test[0]), data.test[1]).detach()))
    assert (found.seconds, found.residuals, found.strengths.keys()) == (1.5, {}, found.model_errors.keys())
    assert found.test_mse == pytest.approx(found.test_error)


def test_the_test_error_is_that_of_the_task():
    data = task(TASK).splits(0, (5, 5, 5))
    x, y = data.test
    assert float(data.error(y + 1.0, y)) == pytest.approx(1.0, rel=1e-5)
    assert x.dtype == torch.float32
