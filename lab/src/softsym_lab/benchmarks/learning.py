"""How soon PER learns Inertia with O(2) about z exact: at the ``code`` preset, as published, and at ``fast``, on the same rows.

Steps and seconds until the test MSE comes to 0.65, to the published 0.32 and to the 0.14 that ``code`` ends with, three seeds, the two
presets side by side in one run; a curve goes on until it has been at all three. The published code stood at 1.04 and 0.42 at epochs
2,000 and 4,000 (one seed). Takes about an hour on one core, so it runs only when asked for by name.
"""

from __future__ import annotations

import json
import math
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from softsym.datasets import task
from softsym.errors import TrainingError
from softsym.io import put_text
from softsym.metrics import Violations
from softsym.training import evaluate, fit
from softsym_lab.experiments.presets import preset
from softsym_lab.runs.spec import RunSpec

TASK = "inertia:Oz(2)"
AIMS = (0.65, 0.32, 0.14)
SPENT = ("steps", "seconds", "cpu_seconds")
"""What it takes to reach an aim. On a busy machine processor time says more than wall-clock time."""


@dataclass(frozen=True)
class Readings:
    """At which epochs the test error is read.

    Args:
        every: The period.
        marks: Epochs whose errors are kept; a curve goes on to the last one at least.
    """

    every: int
    marks: tuple[int, ...]


PRESETS = {"fast": Readings(2, (10, 20, 50, 100, 150)), "code": Readings(10, (400, 1000, 2000, 3000, 4000))}


def run(seeds: Sequence[int] = (0, 1, 2), folder: Path | None = None) -> dict[str, Any]:
    """Curves of all seeds at both presets, their medians, and what ``fast`` takes in terms of ``code``.

    Args:
        seeds: The seeds; the two presets alternate.
        folder: Where curves are kept, so that a stopped benchmark goes on; None to keep none.
    """
    curves: dict[str, list[dict[str, Any]]] = {name: [] for name in PRESETS}
    for seed in seeds:
        for name in PRESETS:
            curves[name].append(_read_or_measure(name, seed, folder))
    return {"task": TASK, **{name: _medians(name, found) for name, found in curves.items()}, "ratios": ratios(curves)}


def curve(name: str, seed: int, aims: Sequence[float] = AIMS) -> dict[str, Any]:
    """One seed at one preset: errors at its marks, and what it took to come to each aim (None: it never did).

    The error is that of the weights which the loop would keep, so of their average where there is one.
    """
    numbers = preset(TASK, name)
    chosen = task(numbers.task)
    data = chosen.splits(seed, numbers.sizes)
    spec = RunSpec(numbers.task, "per", numbers, seed, early_stopping=False)
    built = spec.build(chosen)
    settings = spec.settings.model_copy(update={"measure_every": 0})
    steps = math.ceil(len(data.train[0]) / settings.batch)
    errors: dict[int, float] = {}
    reached: dict[str, dict[str, float] | None] = {str(aim): None for aim in aims}
    began, cpu_began = time.perf_counter(), time.process_time()

    def note(row: dict[str, Any]) -> bool:
        nonlocal began, cpu_began
        now, cpu_now, epoch = time.perf_counter(), time.process_time(), row["epoch"]
        if epoch % PRESETS[name].every == 0 or epoch in PRESETS[name].marks:
            errors[epoch] = evaluate(built.model, *data.test)
            for aim in aims:
                if errors[epoch] <= aim and reached[str(aim)] is None:
                    spent = (steps * epoch, now - began, cpu_now - cpu_began)
                    reached[str(aim)] = dict(zip(SPENT, spent, strict=True))
        began += time.perf_counter() - now  # looking at test data is no part of learning
        cpu_began += time.process_time() - cpu_now
        return bool(epoch >= PRESETS[name].marks[-1] and None not in reached.values())

    result: dict[str, Any] = {"seed": seed, "diverged": False}
    try:
        fitted = fit(
            built.model,
            data,
            settings,
            regularizer=built.regularizer,
            controller=spec.controller,
            violations=Violations(chosen.rep_in, chosen.rep_out, spec.candidates(chosen), data.train, data.val),
            on_epoch=note,
        )
        result |= {"final_test_mse": evaluate(fitted.model, *data.test), "strengths": fitted.strengths}
    except TrainingError:
        result["diverged"] = True
    whole = (steps * max(errors), time.perf_counter() - began, time.process_time() - cpu_began)
    marks = {str(mark): errors[mark] for mark in PRESETS[name].marks if mark in errors}
    return {**result, "test_mse": marks, "reached": reached, "whole": dict(zip(SPENT, whole, strict=True))}


def ratios(curves: dict[str, list[dict[str, Any]]]) -> dict[str, Any]:
    """What ``fast`` takes in terms of ``code`` until each aim, of the medians and of each seed; None where one never came to it."""
    found: dict[str, Any] = {}
    for aim in curves["fast"][0]["reached"]:
        for what in SPENT:
            fast, code = ([_spent(one, aim, what) for one in curves[name]] for name in ("fast", "code"))
            found.setdefault(aim, {})[what] = {
                "median": _ratio(statistics.median(fast), statistics.median(code)),
                "seeds": [_ratio(ours, theirs) for ours, theirs in zip(fast, code, strict=True)],
            }
    return found


def _read_or_measure(name: str, seed: int, folder: Path | None) -> dict[str, Any]:
    """A curve from the folder, or a new one for it."""
    if folder is None:
        return curve(name, seed)
    path = folder / f"{name}-{seed}.json"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        put_text(path, json.dumps(curve(name, seed)))
    kept: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return kept


def _medians(name: str, curves: list[dict[str, Any]]) -> dict[str, Any]:
    errors = {
        str(mark): statistics.median(one["test_mse"].get(str(mark), math.inf) for one in curves)
        for mark in PRESETS[name].marks
    }
    diverged = [one["seed"] for one in curves if one["diverged"]]
    return {"median_test_mse": errors, "diverged": diverged, "seeds": curves}


def _spent(one: dict[str, Any], aim: str, what: str) -> float:
    reached = one["reached"][aim]
    return math.inf if reached is None else float(reached[what])


def _ratio(ours: float, theirs: float) -> float | None:
    return ours / theirs if math.isfinite(ours) and math.isfinite(theirs) else None
