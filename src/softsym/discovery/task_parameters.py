"""Parameters of an estimator that suit a built-in task."""

from __future__ import annotations

from typing import Any

from softsym.tasks.task import Task


def task_parameters(task: Task) -> dict[str, Any]:
    """Representations and candidate groups.

    Example:
        >>> from softsym.tasks import task
        >>> task_parameters(task("golfball"))["rep_in"]
        '6V'
    """
    return {
        "rep_in": str(task.rep_in),
        "rep_out": str(task.rep_out),
        "groups": [str(group) for group in task.groups],
        "largest": str(task.largest),
    }
