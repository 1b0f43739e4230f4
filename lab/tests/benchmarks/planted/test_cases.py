"""The tasks of the comparison."""

import pytest
import torch
from lab.tests.tasks.flights import write_flights

from softsym_lab.benchmarks.planted import cases


@pytest.mark.parametrize("case", cases.cases(), ids=lambda case: case.name)
def test_rows_and_networks_fit(case):
    (x, y), (x_test, _) = case.draw(0)
    assert len(x) == 200
    assert len(x_test) > 500
    prediction = case.network(case.build())(x[:7])
    assert prediction.shape == y[:7].shape
    assert case.scores(prediction, y[:7]).shape == (7,)
    assert case.loss(prediction, y[:7]) > 0


def test_flights_are_read_from_their_file(tmp_path):
    assert len(cases.cases()) == 3
    file = str(write_flights(tmp_path / "flights.npz"))
    assert [case.name for case in cases.cases(file)][-1] == "flights"


def test_errors_are_shares():
    images, _, points = cases.cases()[:3]
    y = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    assert images.error(torch.tensor([[2.0, 1.0], [3.0, 2.0]]), y) == 0.5
    assert images.scores(1e3 * y, y).max() < 1e-6
    y = torch.randn(50, 3, generator=torch.Generator().manual_seed(0))
    assert points.error(y.mean() + 0 * y, y) == pytest.approx(1.0, rel=0.02)
