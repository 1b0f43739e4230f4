"""Tasks and networks of the comparison."""

import torch
from lab.tests.tasks.flights import write_flights

import softsym as ss
from softsym_lab.benchmarks.planted import points


def test_the_target_is_symmetric_about_z_alone():
    x = points.sets(0)[1][0]

    def f(rows):
        return points.target_function(rows.view(-1, 6, 3))

    assert ss.equivariance_error(f, x, "6V", "V", "O(2)@z") < 1e-5
    assert min(ss.equivariance_error(f, x, "6V", "V", f"O(2)@{axis}") for axis in "xy") > 0.1


def test_rows_and_networks():
    (x, y), (a, b) = points.digits(0)
    assert x.shape == (200, 64)
    assert y.sum() == 200
    assert len(a) == len(b) == 1597
    assert points.SetTransformer()(torch.zeros(2, 6, 3)).shape == (2, 3)
    assert points.Recurrent()(torch.zeros(2, 6, 3)).shape == (2, 18)


def test_flights(tmp_path, monkeypatch):
    monkeypatch.setattr(points, "TRAIN", 5)
    monkeypatch.setattr(points, "TEST", 6)
    (x, y), (a, _) = points.flights(str(write_flights(tmp_path / "flights.npz")))(0)
    assert x.shape == y.shape == (10, 18)
    assert a.shape == (3, 18)
