"""Built-in tasks as data for discovery: what a person's file would hold."""

from __future__ import annotations

from typing import Any

from softsym.data.table import Table
from softsym.tasks import task as read_task
from softsym.tasks.source import is_task, read_data
from softsym.tasks.synthetic import Synthetic
from softsym.tasks.task import Task

ROWS = 1_500


STRENGTHS = {"inertia": 300.0}
"""Strengths at the start that are known to suit a task, as the paper has one for each; others are found by trials."""


def task_table(task: Task, seed: int) -> Table:
    """Inputs and outputs of a task: computed afresh where the truth is a formula, its training data otherwise."""
    if not isinstance(task, Synthetic):
        return read_data(task.name, seed=seed)[0]
    X, Y = (values.double().numpy() for values in task.sample(ROWS, seed))
    names = [tuple(f"{letter}{k}" for k in range(v.shape[1])) for letter, v in (("x", X), ("y", Y))]
    return Table(X, Y, names[0], names[1], task.name)


def data_and_task(
    text: str, x_columns: str | None, y_columns: str | None, seed: int
) -> tuple[Table, Task | None]:
    """A file's table, or a task's with the task."""
    if not is_task(text):
        return read_data(text, x_columns, y_columns, seed=seed)
    _, task = (
        read_data(text, x_columns, y_columns, seed=seed)
        if x_columns or y_columns
        else (None, read_task(text))
    )
    assert task is not None  # columns of a task are refused above
    return task_table(task, seed), task


def task_parameters(task: Task) -> dict[str, Any]:
    """Parameters of an estimator that suit a task."""
    return {
        "rep_in": str(task.rep_in),
        "rep_out": str(task.rep_out),
        "groups": [str(group) for group in task.groups],
        "largest": str(task.largest),
        "strength": STRENGTHS.get(task.name.split(":")[0]),
    }
