"""Costs on ordinary networks: the measurements work, on small models."""

import torch
from torch import nn

from softsym_lab.benchmarks import modules


class Tiny(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = nn.Linear(3, 8), nn.Linear(8, 3)

    def forward(self, x):
        return self.last(torch.relu(self.first(x)))


def test_overhead(monkeypatch):
    monkeypatch.setitem(
        modules.MODELS, "tiny", (Tiny, (4, 3), "V", "V", ["C(4)@z", "C(4)@x", "C(2)@y", "Octahedral()"])
    )
    monkeypatch.setattr(modules, "peak_memory", lambda name, count: 1.0)
    found = modules.overhead("tiny", rounds=2)
    assert found["parameters"] == 59
    assert set(found["cpu_seconds"]) == {"0", "1", "4"}
    assert found["ratio_1_group"] > 0
    assert found["regularizer_alone_over_a_step"] > 0


def test_models_have_the_sizes_that_are_promised():
    counts = {name: sum(p.numel() for p in build().parameters()) for name, (build, *_) in modules.MODELS.items()}
    assert 1.0e6 < counts["cnn"] < 1.3e6
    assert 4.5e6 < counts["transformer"] < 5.5e6


def test_growth():
    found = modules.growth((32, 64))
    assert [row["parameters"] for row in found["rows"]] == [1024, 4096]
    assert all(row["weight_decay_cpu_seconds"] > 0 and row["page_faults"] >= 0 for row in found["rows"])
    assert found["last_factor"] > 0


def test_value_and_gradient_takes_the_place_of_older_gradients():
    layer = nn.Linear(2, 2)
    for _ in range(2):
        modules.value_and_gradient(layer, lambda: modules.decay(layer))
    assert torch.allclose(layer.weight.grad, layer.weight)
