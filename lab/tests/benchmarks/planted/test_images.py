"""Planted symmetries are what they are said to be."""

import torch

from softsym_lab.benchmarks.planted.images import SmallCNN, planted, planted_label


def test_exact_soft_and_absent():
    x, label = planted(2_000, seed=0)
    assert 0.4 < label.float().mean() < 0.6
    changed = {
        "upside down": (planted_label(x.flip(-2)) != label).float().mean().item(),
        "reflection": (planted_label(x.flip(-1)) != label).float().mean().item(),
        "rotation": (planted_label(x.rot90(1, (-2, -1))) != label).float().mean().item(),
    }
    assert changed["upside down"] == 0
    assert 0.05 < changed["reflection"] < 0.35
    assert changed["rotation"] > 0.7
    assert torch.equal(planted(5, seed=1)[0], planted(5, seed=1)[0])


def test_the_network():
    assert SmallCNN(8, 10)(torch.zeros(3, 1, 8, 8)).shape == (3, 10)
