"""How often verdicts are right, on data whose truth is known.

The thirteen Inertia sets, the four CosSim sets and eight golf balls, each fitted by the estimator exactly as a person's data would be. For
every (data set, group) pair the record holds what the verdict rests on, what the truth is, and the truth's own equivariance
error, so that another rule can be tried on the same runs. The rule's numbers were chosen on these sets; nine *fresh* ones, which
were not used for that, show whether they carry over (only the length of the trials of strengths was chosen on them).
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import asdict
from typing import Any

import numpy as np
import torch

from softsym.datasets import Task, task_parameters, task_table
from softsym.datasets import task as read_task
from softsym.discovery import SoftEquivariantRegressor
from softsym.discovery.fit.fitted import FittedEnsemble
from softsym.discovery.judge.measure import JUDGED_ELEMENTS, JUDGED_ROWS, measure_group
from softsym.discovery.judge.model_verdict import ModelStatistics, judge
from softsym.metrics import data_error
from softsym_lab.correlation import correlation

INERTIA = ["0", *(f"{c}*eps{k}" for k in (1, 2, 3, 4) for c in (0.3, 0.6, 0.9))]
COSSIM = ["SO(3)+S(3)", "SO(3)", "S(3)", "soft"]
GOLF = [
    "wind=none",
    "wind=x",
    "wind=y",
    "wind=z",
    "wind=none,gravity=0.0",
    "wind=y,gravity=0.0",
    "wind=x,speed=2.0,gravity=2.0",
    "wind=z,gravity=3.0",
]
SETS = [
    *(f"inertia:{variant}" for variant in INERTIA),
    *(f"cossim:{variant}" for variant in COSSIM),
    *(f"golfball:{variant}" for variant in GOLF),
]
FRESH = [
    "inertia:Ox(2)",
    "inertia:Oy(2)",
    "inertia:Oz(2)",
    "inertia:soft",
    "cossim:S(3)-code",
    "cossim:soft-code",
    "golfball:wind=x,speed=10.0",
    "golfball:wind=y,speed=1.0,gravity=0.0",
    "golfball:wind=none,drag=0.05",
]
"""Data sets that were not used when the rule's numbers were chosen."""
SEEDS = 2


def run(workers: int | None = None) -> dict[str, Any]:
    """Fits every data set, one process per core; a minute or two of one core each."""
    records, fresh = measure(SETS, workers), measure(FRESH, workers)
    return {"records": records, **score(records), "fresh": {"records": fresh, **score(fresh)}}


def measure(names: Sequence[str], workers: int | None = None) -> list[dict[str, Any]]:
    """The records of several data sets."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        workers or os.cpu_count(), context, initializer=torch.set_num_threads, initargs=(1,)
    ) as pool:
        return [record for found in pool.map(measure_set, names) for record in found]


def measure_set(name: str, seeds: int = SEEDS, **changes: Any) -> list[dict[str, Any]]:
    """The records of one data set: one for each candidate group."""
    task = read_task(name)
    table = task_table(task, seed=0)
    assert table.Y is not None
    # A user's data are not known beforehand, so the strength is found by trials here too.
    numbers = {"model": "network", "strength": None, "seeds": seeds}
    est = SoftEquivariantRegressor.from_parameters({**task_parameters(task), **numbers, **changes})
    fit = est.fit_in_folder(None, table.X, table.Y, skip_verdicts=True).fit_
    return [_record(task, fit, k) for k in range(len(task.groups))]


def score(records: list[dict[str, Any]]) -> dict[str, Any]:
    """The share of right verdicts and the correlations of model errors with the truth's, from records alone."""
    verdicts = [judge(statistics_from(record["grounds"])) for record in records]
    right = [verdict == record["expected"] for (verdict, _), record in zip(verdicts, records, strict=True)]
    data = [record["data_error"] for record in records]
    statistics = [statistics_from(record["grounds"]) for record in records]
    return {
        "pairs": len(records),
        "right": sum(right),
        "share_right": sum(right) / len(right),
        "wrong": [
            f"{record['task']} {record['group']}: {verdict} instead of {record['expected']}"
            for (verdict, _), record, ok in zip(verdicts, records, right, strict=True)
            if not ok
        ],
        "correlation_of_excess_with_data_error": correlation(data, [g.excess for g in statistics]),
        "correlation_of_error_with_data_error": correlation(data, [g.error for g in statistics]),
    }


def statistics_from(fields: dict[str, Any]) -> ModelStatistics:
    """Statistics from a record."""
    low, high = fields["interval"]
    return ModelStatistics(**{**fields, "interval": (low, high)})


def _record(task: Task, fit: FittedEnsemble, k: int) -> dict[str, Any]:
    group = task.groups[k]
    statistics = measure_group(fit, group)
    assert task.target is not None
    truth = data_error(
        task.target,
        torch.from_numpy(fit.held.X[:JUDGED_ROWS]),
        task.rep_in,
        task.rep_out,
        group,
        n_transforms=JUDGED_ELEMENTS,
    )
    return {
        "task": task.name,
        "group": group.name,
        "expected": task.expected[group],
        "data_error": truth,
        "strength": fit.recipe.strength,
        "grounds": {
            **asdict(statistics),
            "interval": [float(np.float64(end)) for end in statistics.interval],
        },
    }
