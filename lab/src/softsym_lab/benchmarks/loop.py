"""What the training loop adds to the bare step: batches, losses, learning rate, history, validation at its period.

One epoch of ``softsym.training`` on the Inertia task (1,000 samples) against as many bare steps on fixed batches, in one run.
"""

from __future__ import annotations

from typing import Any

from softsym.datasets import task
from softsym.nn import SoftMLP
from softsym.regularize import EquivarianceRegularizer
from softsym.training import Objective, TrainingConfig, WeightAverage, make_devices, make_optimizer, train_epoch
from softsym_lab.benchmarks.step import AXES, IN, OUT, training_step
from softsym_lab.benchmarks.timing import median_seconds


def run() -> dict[str, Any]:
    """Ratios for both sizes of the step benchmark."""
    return {f"width_{width}_batch_{batch}": compare(width, batch) for width, batch in ((384, 500), (128, 200))}


def compare(width: int, batch: int, rounds: int = 9) -> dict[str, float]:
    """Seconds of an epoch in the loop and of its steps alone."""
    data = task("inertia:Oz(2)").splits(0, (1000, 10, 10))
    settings = TrainingConfig(epochs=10, batch=batch, lr=1e-3, validate_every=10)
    devices = make_devices(settings)
    net = SoftMLP(IN, OUT, AXES, width, largest="O(3)")
    per = EquivarianceRegularizer(net, AXES)
    wrapped, optimizer = devices.setup(net, make_optimizer(net, per, settings))
    objective = Objective(net, per)
    bare_net = SoftMLP(IN, OUT, AXES, width, largest="O(3)")
    bare = training_step(bare_net, EquivarianceRegularizer(bare_net, AXES), batch)

    def epoch() -> None:
        train_epoch(devices, wrapped, optimizer, data.train, settings, 1, objective, WeightAverage(net, 0.0))

    def steps() -> None:
        for _ in range(1000 // batch):
            bare()

    seconds = median_seconds({"epoch": epoch, "steps": steps}, rounds)
    return {
        "epoch_milliseconds": 1e3 * seconds["epoch"],
        "steps_milliseconds": 1e3 * seconds["steps"],
        "overhead": seconds["epoch"] / seconds["steps"] - 1,
    }
