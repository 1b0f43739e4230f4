"""Planted symmetries are what they are said to be."""

import torch
from lab.tests.tasks.flights import write_flights

import softsym as ss
from softsym_lab.benchmarks.planted import points
from softsym_lab.benchmarks.planted.images import SmallCNN, draw_images, planted_label


def test_exact_soft_and_absent():
    x, label = draw_images(2_000, seed=0)
    assert 0.4 < label.float().mean() < 0.6
    changed = {
        "upside down": (planted_label(x.flip(-2)) != label).float().mean().item(),
        "reflection": (planted_label(x.flip(-1)) != label).float().mean().item(),
        "rotation": (planted_label(x.rot90(1, (-2, -1))) != label).float().mean().item(),
    }
    assert changed["upside down"] == 0
    assert 0.05 < changed["reflection"] < 0.35
    assert changed["rotation"] > 0.7
    assert torch.equal(draw_images(5, seed=1)[0], draw_images(5, seed=1)[0])


def test_the_network():
    assert SmallCNN(8, 10)(torch.zeros(3, 1, 8, 8)).shape == (3, 10)


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
