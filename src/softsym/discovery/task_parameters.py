"""Parameters of an estimator that suit a built-in task."""

from __future__ import annotations

from typing import Any

from softsym.tasks.task import Task

STRENGTHS = {"inertia": 300.0}
"""Strengths at the start that are known to suit a task, as the paper has one for each; others are found by trials."""


def task_parameters(task: Task) -> dict[str, Any]:
    """Representations, candidate groups and, where one is known, the strength at the start.

    Example:
        >>> from softsym.tasks import task
        >>> task_parameters(task("golfball"))["rep_in"], task_parameters(task("inertia"))["strength"]
        ('6V', 300.0)
    """
    return {
        "rep_in": str(task.rep_in),
        "rep_out": str(task.rep_out),
        "groups": [str(group) for group in task.groups],
        "largest": str(task.largest),
        "strength": STRENGTHS.get(task.name.split(":")[0]),
    }
