"""What a training step costs by each method: processor time, measured alternately, and peak memory in a process of its own."""

from __future__ import annotations

import functools
import subprocess
import sys
from collections.abc import Callable
from typing import Any

from softsym_lab.benchmarks.planted.cases import Case, cases
from softsym_lab.benchmarks.planted.methods import BATCH, METHODS, Training
from softsym_lab.benchmarks.timing import cpu_rounds, peak_megabytes, ratio

WAYS = ("plain", "augmented", "sample penalty", "per")
"""Choosing strengths changes how often one trains, not what a step costs."""
ROUNDS = 15
STEPS = 8
"""Steps of a round."""


def run(flights: str | None = None) -> dict[str, Any]:
    """All tasks, with recorded flights if their file is named."""
    return {case.name: steps(case, flights=flights) for case in cases(flights)}


def steps(case: Case, rounds: int = ROUNDS, calls: int = STEPS, flights: str | None = None) -> dict[str, Any]:
    """Milliseconds of a step by each way with all candidates, over those of a plain one, and megabytes."""
    (x, y), _ = case.draw(0)
    x, y = x[:BATCH], y[:BATCH]
    trainings = {way: training(case, way) for way in WAYS}
    actions = {way: functools.partial(each.step, x, y) for way, each in trainings.items()}
    seconds = cpu_rounds(dict[str, Callable[[], object]](actions), rounds, calls)
    return {
        way: {
            "cpu_milliseconds_a_step": 1e3 * min(taken),
            "over_plain": ratio(taken, seconds["plain"]),
            "peak_megabytes": peak_memory(case.name, way, flights),
        }
        for way, taken in seconds.items()
    }


def training(case: Case, way: str) -> Training:
    """A training with all candidates."""
    method = METHODS[way]
    return Training(case, method, dict.fromkeys(method.groups(case), 1.0), seed=0, epochs=1)


def peak_memory(name: str, way: str, flights: str | None = None) -> float:
    """Peak megabytes of a process of its own that takes some steps, all libraries included."""
    code = f"from softsym_lab.benchmarks.planted.costs import peak; print(peak({name!r}, {way!r}, {flights!r}))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


def peak(name: str, way: str, flights: str | None = None) -> float:
    """The peak of this process after an epoch."""
    case = next(case for case in cases(flights) if case.name == name)
    training(case, way).run(case.draw(0)[0])
    return peak_megabytes()
