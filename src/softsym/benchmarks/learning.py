"""The learning curve of PER at the ``code`` preset on Inertia with O(2) about z exact, against the published code's.

Test MSE at epochs 2,000 and 4,000 for three seeds, and the time it took. The published code stood at 1.04 and 0.42 (one seed).
Takes about ten minutes, so it runs only when asked for by name.
"""

from __future__ import annotations

import statistics
import time
from typing import Any

import torch

from softsym.experiments.presets import preset
from softsym.tasks import task
from softsym.training import RunSpec, fit

MARKS = (400, 1000, 2000, 3000, 4000)


def run(seeds: tuple[int, ...] = (0, 1, 2)) -> dict[str, Any]:
    """Curves of all seeds and their medians."""
    curves = [curve(seed) for seed in seeds]
    medians = {str(mark): statistics.median(c["test_mse"][str(mark)] for c in curves) for mark in MARKS}
    return {"median_test_mse": medians, "seeds": curves}


def curve(seed: int) -> dict[str, Any]:
    """Test MSE of one seed at the marks."""
    numbers = preset("inertia:Oz(2)", "code")
    found = task(numbers.task)
    data = found.splits(seed, numbers.sizes)
    spec = RunSpec(numbers.task, "per", numbers, seed)
    built = spec.build(found)
    settings = spec.settings.model_copy(update={"measure_every": 0})
    x, y = data.test
    marks: dict[str, float] = {}

    strengths: dict[str, float] = {}

    def note(row: dict[str, Any]) -> bool:
        if row["epoch"] in MARKS:
            with torch.no_grad():
                marks[str(row["epoch"])] = float((built.model(x) - y).square().mean())
        strengths.update(row["strengths"])
        return bool(row["epoch"] == MARKS[-1])

    began = time.perf_counter()
    fit(built.model, data, settings, regularizer=built.regularizer, controller=spec.controller, on_epoch=note)
    return {"seed": seed, "test_mse": marks, "strengths": strengths, "seconds": time.perf_counter() - began}
