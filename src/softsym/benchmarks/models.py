"""How well the main job's model predicts, beside simpler models on the same rows, with all candidates and without the broken ones.

Every built-in task is fitted as a person's data would be, one member each. Recorded flights are not part of the package: name their file
in ``SOFTSYM_FLIGHTS`` to have them too, in three splits by flight. Where a folder is named, a case is written down as soon as it is done
and not repeated. A minute of one core for each fit.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from softsym.discovery.regressor import SoftEquivariantRegressor
from softsym.discovery.task_parameters import task_parameters
from softsym.files import put_text
from softsym.tasks import task as read_task
from softsym.tasks.source import task_table
from softsym.tasks.task import Task

TASKS = [
    "inertia:Oz(2)", "inertia:soft", "cossim:SO(3)+S(3)", "cossim:SO(3)", "cossim:S(3)", "cossim:soft", "golfball:wind=none",
    "golfball:wind=y", "motion:symmetry-aware",
]  # fmt: skip
FLIGHT_SPLITS = 3
FLIGHTS = "SOFTSYM_FLIGHTS"


def run(folder: Path | None = None) -> dict[str, Any]:
    """All cases."""
    flights = os.environ.get(FLIGHTS)
    cases = [(name, 0) for name in TASKS]
    cases += [(f"table_tennis:{flights}", split) for split in range(FLIGHT_SPLITS) if flights]
    return {"cases": [_kept(folder, name, split) for name, split in cases]}


def compare(name: str, split: int = 0, **parameters: Any) -> dict[str, Any]:
    """One task: with all its candidates, and with those alone that are not known to be absent."""
    task = read_task(name)
    table = task_table(task, seed=0)
    assert table.Y is not None
    outputs, kept = table.Y, unbroken(task)
    shown = name.split(":")[0] if name.startswith("table_tennis") else name

    def fitted(groups: Sequence[str]) -> dict[str, Any]:
        numbers = (
            task_parameters(task) | {"groups": list(groups), "seeds": 1, "random_state": split} | parameters
        )
        est = SoftEquivariantRegressor(**numbers).fit(table.X, outputs, groups=table.together)
        fit = est.fit_
        return {
            "groups": list(groups),
            "unexplained": 1 - fit.explained(),
            "test_mse": fit.test_error(),
            "baselines": est.baselines_.to_dicts(),
            "built_in": list(fit.built_in),
            "verdicts": {row.name: row.verdict for row in est.symmetries_},
            "width": fit.recipe.width,
            "strength": fit.recipe.strength,
            "seconds": fit.seconds,
        }

    everything = [str(group) for group in task.groups]
    record: dict[str, Any] = {"task": shown, "split": split, "all": fitted(everything)}
    if kept and kept != everything:
        record["without_broken"] = fitted(kept)
        record["cost_of_broken"] = record["all"]["test_mse"] / record["without_broken"]["test_mse"] - 1
    return record


def unbroken(task: Task) -> list[str]:
    """The candidates that are not absent; of recorded flights, whose truth nobody knows, those about the upright axis.

    Example:
        >>> unbroken(read_task("golfball:wind=y"))
        ['O(2)@z']
    """
    if task.name.startswith("table_tennis"):
        return ["O(2)@z"]
    return [str(group) for group in task.groups if task.expected.get(group) != "absent"]


def _kept(folder: Path | None, name: str, split: int) -> dict[str, Any]:
    if folder is None:
        return compare(name, split)
    words = "".join(letter if letter.isalnum() else "_" for letter in name)
    file = folder / f"{words[-40:]}-{split}.json"
    if not file.exists():
        put_text(file, json.dumps(compare(name, split)))
    record: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return record
