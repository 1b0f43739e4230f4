"""What the regularizer costs on ordinary networks: a CNN of a million parameters and a transformer of five, for one group and for four.

Overheads are ratios of training steps (forward, backward, Adam) measured alternately, in seconds of the processor; growth is measured up to
a layer of 4096 x 4096; memory in a process of its own. :mod:`softsym_lab.benchmarks.planted.costs` times a step of each method, and
:mod:`softsym_lab.benchmarks.planted.baselines` (the suite ``baselines``) compares what they bring.
"""

from __future__ import annotations

import functools
import math
import statistics
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from softsym.regularize import EquivarianceRegularizer
from softsym_lab.benchmarks.planted import costs
from softsym_lab.benchmarks.timing import cpu_rounds, page_faults, ratio

ROUNDS = 15
SIZES = (512, 1024, 2048, 4096)
GROWTH_ROUNDS = 7


class CNN(nn.Module):
    """Six convolutions with norms and pooling, 1.1 million parameters."""

    def __init__(self) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for n_in, n_out in ((3, 64), (64, 128), (128, 256)):
            layers += [nn.Conv2d(n_in, n_out, 3, padding=1), nn.BatchNorm2d(n_out), nn.ReLU()]
            layers += [nn.Conv2d(n_out, n_out, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2)]
        self.body, self.head = nn.Sequential(*layers), nn.Linear(256, 10)

    def forward(self, x: Tensor) -> Tensor:
        """Images (n, 3, h, w) to (n, 10)."""
        out: Tensor = self.head(self.body(x).mean((2, 3)))
        return out


class Transformer(nn.Module):
    """Six layers of torch's encoder, 4.7 million parameters."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.TransformerEncoderLayer(256, 8, 1024, dropout=0.0, batch_first=True)
        self.embed, self.head = nn.Linear(3, 256), nn.Linear(256, 3)
        self.encoder = nn.TransformerEncoder(layer, 6, enable_nested_tensor=False)

    def forward(self, x: Tensor) -> Tensor:
        """Sets of points (n, t, 3) to (n, 3)."""
        out: Tensor = self.head(self.encoder(self.embed(x)).mean(1))
        return out


MODELS: dict[str, tuple[type[nn.Module], tuple[int, ...], str, str, list[str]]] = {
    "cnn": (CNN, (32, 3, 32, 32), "3S", "10S", ["C(4)", "D(4)", "O(1)@2[0]", "O(1)@2[1]"]),
    "transformer": (Transformer, (32, 64, 3), "V", "V", ["O(2)@z", "O(2)@x", "O(2)@y", "O(3)"]),
    "transformer, finite groups": (Transformer, (32, 64, 3), "V", "V", ["C(4)@z", "C(4)@x", "C(2)@y", "Octahedral()"]),
}
"""Model, shape of a batch, representations, groups."""


def run(flights: str | None = None, rounds: int = ROUNDS) -> dict[str, Any]:
    """All costs; of a step on recorded flights, too, if their file is named."""
    return {
        "overhead": {name: overhead(name, rounds) for name in MODELS},
        "growth": growth(),
        "methods": costs.run(flights),
    }


def overhead(name: str, rounds: int = ROUNDS) -> dict[str, Any]:
    """A training step with one and with four groups over one without."""
    seconds = cpu_rounds({str(count): make_step(name, count) for count in (0, 1, 4)}, rounds)
    return {
        "parameters": sum(p.numel() for p in MODELS[name][0]().parameters()),
        "rounds": rounds,
        "cpu_seconds": {count: statistics.median(taken) for count, taken in seconds.items()},
        "least_cpu_seconds": {count: min(taken) for count, taken in seconds.items()},
        "ratio_1_group": ratio(seconds["1"], seconds["0"]),
        "ratio_4_groups": ratio(seconds["4"], seconds["0"]),
        "regularizer_alone_over_a_step": alone(name) / statistics.median(seconds["0"]),
        "peak_megabytes": {str(count): peak_memory(name, count) for count in (0, 4)},
    }


def make_step(name: str, count: int) -> Callable[[], None]:
    """A training step of a model with the regularizer of so many groups."""
    build, shape, rep_in, rep_out, groups = MODELS[name]
    torch.manual_seed(0)
    net, x = build(), torch.randn(shape)
    per = EquivarianceRegularizer(net, groups[:count], rep_in, rep_out) if count else None
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-4, fused=True)

    def step() -> None:
        optimizer.zero_grad(set_to_none=True)
        loss: Tensor = net(x).square().mean()
        if per is not None:
            loss = loss + per()
        loss.backward()
        optimizer.step()

    return step


def alone(name: str, count: int = 4, calls: int = 15) -> float:
    """Processor seconds of value and gradient of the penalty by themselves, which differences of steps on a busy machine cannot tell."""
    build, _, rep_in, rep_out, groups = MODELS[name]
    per = EquivarianceRegularizer(build(), groups[:count], rep_in, rep_out)
    return statistics.median(cpu_rounds({"": lambda: per().backward()}, calls)[""])


def growth(sizes: tuple[int, ...] = SIZES) -> dict[str, Any]:
    """Seconds of value and gradient for one square layer of growing size, against weight decay, and the exponent of growth.

    Gradients are set to None before each call, as training steps do. Fresh memory costs more than what is computed in it, and beyond 32
    megabytes it is fresh each time, for weight decay as for the penalty: page faults are counted, so that it shows.
    """
    rows = []
    for size in sizes:
        layer = nn.Linear(size, size)
        rep = f"{size % 3}S + {size // 3}V"
        per = EquivarianceRegularizer(layer, ["O(2)@z", "O(2)@x"], rep, rep)
        actions = {
            "per": functools.partial(value_and_gradient, layer, per),
            "weight decay": functools.partial(value_and_gradient, layer, lambda: decay(layer)),  # noqa: B023
        }
        calls = max(1, sizes[-1] ** 2 // (8 * size**2))
        seconds = cpu_rounds(dict[str, Callable[[], object]](actions), GROWTH_ROUNDS, calls)
        rows.append(
            {
                "size": size,
                "parameters": size * size,
                "cpu_seconds": statistics.median(seconds["per"]),
                "page_faults": page_faults(actions["per"]),
                "weight_decay_cpu_seconds": statistics.median(seconds["weight decay"]),
            }
        )
    sizes_log = [math.log(row["parameters"]) for row in rows]
    seconds_log = [math.log(row["cpu_seconds"]) for row in rows]
    return {
        "rows": rows,
        "exponent": float(np.polyfit(sizes_log, seconds_log, 1)[0]),
        "last_factor": rows[-1]["cpu_seconds"] / rows[-2]["cpu_seconds"],
    }


def value_and_gradient(layer: nn.Module, penalty: Callable[[], Tensor]) -> None:
    """A penalty and its gradient, in the place of older gradients."""
    layer.zero_grad(set_to_none=True)
    penalty().backward()


def decay(layer: nn.Linear) -> Tensor:
    """Half the squared length of the weights, by torch's own operations."""
    return 0.5 * layer.weight.square().sum()


def peak_memory(name: str, count: int) -> float:
    """Peak megabytes of a process of its own that trains, all libraries included."""
    code = (
        "from softsym_lab.benchmarks.modules import make_step\n"
        "from softsym_lab.benchmarks.timing import peak_megabytes\n"
        f"step = make_step({name!r}, {count})\n"
        "step(); step()\n"
        "print(peak_megabytes())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)
