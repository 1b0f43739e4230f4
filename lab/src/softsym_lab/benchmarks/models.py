"""How well the main job's model predicts compared with baselines, with all candidates, without the broken ones and with one more.

Every built-in task is fitted as a person's data would be. Recorded flights, which are not part of the package, are added in
three splits by flight if their file is named. A case takes seconds where closed forms do, a minute or two of one core where networks are
trained.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from softsym.datasets import TRUTH_ABSENT_ABOVE, Task, task_parameters, task_table
from softsym.datasets import task as read_task
from softsym.discovery import SoftEquivariantRegressor
from softsym.groups import group as read_group
from softsym.io import put_text
from softsym.metrics import data_error

TASKS = [
    "inertia:Oz(2)",
    "inertia:soft",
    "cossim:SO(3)+S(3)",
    "cossim:SO(3)",
    "cossim:S(3)",
    "cossim:soft",
    "golfball:wind=none",
    "golfball:wind=y",
    "motion:symmetry-aware",
]
FLIGHT_SPLITS = 3
VARIANTS = ("all", "without_broken", "one_more_broken")
BASELINES = ("ridge regression", "kernel ridge regression", "MLP", "gradient boosting")
ROUNDING = 1e-12
"""Share of the variance that double precision leaves unexplained of a target function that is known exactly."""
ADDED = ("O(3)", "O(2)@x", "SL(3)")
"""Groups of which the first that a task breaks is added."""


def run(folder: Path | None = None, flights: str | None = None) -> dict[str, Any]:
    """All cases.

    Args:
        folder: Where each case is kept as soon as it is done, so that a stopped run goes on; None to keep none.
        flights: File of recorded flights (``table_tennis``).
    """
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
    cases = [(name, 0) for name in TASKS]
    cases += [(f"table_tennis:{flights}", split) for split in range(FLIGHT_SPLITS) if flights]
    records = [_read_or_compare(folder, name, split) for name, split in cases]
    return {"cases": records, **summary(records)}


def compare(name: str, split: int = 0, **parameters: Any) -> dict[str, Any]:
    """One task: with all its candidates, with those alone that are not known to be absent, and with one more that is."""
    task = read_task(name)
    table = task_table(task, seed=0)
    assert table.Y is not None
    outputs, kept = table.Y, unbroken(task)
    shown = name.split(":")[0] if name.startswith("table_tennis") else name

    def fit_candidates(groups: Sequence[str]) -> dict[str, Any]:
        numbers = {key: value for key, value in task_parameters(task).items() if key != "largest"}
        numbers |= {"groups": list(groups), "random_state": split} | parameters
        est = SoftEquivariantRegressor.from_parameters(numbers).fit(table.X, outputs, groups=table.row_groups)
        fit = est.fit_
        return {
            "groups": list(groups),
            "model": fit.model,
            "blend": fit.full_model.shares,
            "unexplained": 1 - fit.explained(),
            "test_mse": fit.test_error(),
            "baselines": est.baselines_.to_dicts(),
            "built_in": list(fit.exact_groups),
            "verdicts": {row.name: row.verdict for row in est.symmetries_},
            "expected": {group.name: verdict for group, verdict in task.expected.items()},
            "networks": len(fit.members),
            "seconds": fit.seconds + est.evidence_.seconds,
        }

    everything = [str(group) for group in task.groups]
    record: dict[str, Any] = {"task": shown, "split": split, "all": fit_candidates(everything)}
    if kept and kept != everything:
        record["without_broken"] = fit_candidates(kept)
        record["cost_of_broken"] = _cost(record["all"], record["without_broken"])
    added = one_more(task)
    if added is not None:
        record["one_more_broken"] = fit_candidates([*everything, added])
        record["cost_of_one_more"] = _cost(record["one_more_broken"], record["all"])
    return record


def summary(records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The worst of all cases: against the baselines, and what broken candidates cost.

    Example:
        >>> row = {"test_mse": 2.0, "baselines": [{"name": "ridge regression", "test_error": 1.0}]}
        >>> summary([{"task": "it", "split": 0, "all": row}])["worst_against_baselines"]
        2.0
    """
    ratios = {
        f"{record['task']} {record['split']} {variant}": record[variant]["test_mse"]
        / min(row["test_error"] for row in record[variant]["baselines"] if row["name"] in BASELINES)
        for record in records
        for variant in VARIANTS
        if variant in record
    }
    costs = {
        f"{record['task']} {record['split']} {cost}": record[cost]
        for record in records
        for cost in ("cost_of_broken", "cost_of_one_more")
        if cost in record
    }
    return {
        "worst_against_baselines": max(ratios.values()),
        "worse_than_baselines": {name: ratio for name, ratio in ratios.items() if ratio > 1.02},
        "worst_cost": max(costs.values(), default=0.0),
        "costs_above_5_percent": {name: cost for name, cost in costs.items() if cost > 0.05},
    }


def one_more(task: Task) -> str | None:
    """A group that the task's truth breaks and that is not among its candidates; None if none of the usual ones is.

    Example:
        >>> one_more(read_task("inertia:Oz(2)"))
        'O(3)'
    """
    for text in ADDED:
        group = read_group(text)
        if group in task.groups:
            continue
        if task.target is None:  # recorded: gravity, or the road
            return text
        rows = task_table(task, seed=0).X[:200]
        if data_error(task.target, torch.from_numpy(rows), task.rep_in, task.rep_out, group) > TRUTH_ABSENT_ABOVE:
            return text
    return None


def _cost(more: dict[str, Any], fewer: dict[str, Any]) -> float:
    """By which share the unexplained variance is larger; what rounding leaves of an exact fit does not count."""
    return float((more["unexplained"] + ROUNDING) / (fewer["unexplained"] + ROUNDING)) - 1.0


def unbroken(task: Task) -> list[str]:
    """The candidates that are not absent; of recorded flights, whose symmetries are not known, those about the upright axis.

    Example:
        >>> unbroken(read_task("golfball:wind=y"))
        ['O(2)@z']
    """
    if task.name.startswith("table_tennis"):
        return ["O(2)@z"]
    return [str(group) for group in task.groups if task.expected.get(group) != "absent"]


def _read_or_compare(folder: Path | None, name: str, split: int) -> dict[str, Any]:
    if folder is None:
        return compare(name, split)
    words = "".join(letter if letter.isalnum() else "_" for letter in name)
    file = folder / f"{words[-40:]}-{split}.json"
    if not file.exists():
        put_text(file, json.dumps(compare(name, split)))
    record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return record
