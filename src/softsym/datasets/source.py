"""Data by a short text: the path of a file, or the name of a built-in data set.

Tables are imported where they are read: commands import this module for their help. A file is read without torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from softsym.datasets.parse import is_task
from softsym.datasets.parse import task as read_task
from softsym.errors import InputError

if TYPE_CHECKING:
    from softsym.data.table import Table
    from softsym.datasets.builtin import Task


def read_data(
    text: str,
    x_columns: str | None = None,
    y_columns: str | None = None,
    *,
    need_y: bool = True,
    row_groups: str | None = None,
    seed: int = 0,
    most_rows: int | None = None,
) -> tuple[Table, Task | None]:
    """Reads inputs and outputs from a file or of a task.

    Args:
        text: A path, or a task such as ``inertia:Oz(2)``. A file wins over a task of the same name.
        x_columns: Which columns are inputs; files only.
        y_columns: Which columns are outputs; files only.
        need_y: Whether a file must have outputs.
        row_groups: The column whose equal entries mark a row group; files only, a task knows its own.
        seed: Seed of the task's data, and of the sample of a file with more rows than ``most_rows``.
        most_rows: Read at most so many rows of a file; all by default.

    Returns:
        The table, and the task if it is one.
    """
    if not is_task(text):
        from softsym.data.table import read_table

        return read_table(
            text, x_columns, y_columns, need_y=need_y, row_groups=row_groups, most_rows=most_rows, seed=seed
        ), None
    if row_groups is not None:
        raise InputError(f"{text!r} is a task, which knows its row groups; leave out --row-groups")
    if x_columns is not None or y_columns is not None:
        raise InputError(
            f"{text!r} is a task, which knows its columns; leave out --x-columns and --y-columns"
        )
    task = read_task(text)
    return task_table(task, seed), task


def task_table(task: Task, seed: int) -> Table:
    """The table of a task: what a person's file would hold.

    Example:
        >>> from softsym.datasets import task
        >>> table = task_table(task("inertia:Oz(2)"), seed=0)
        >>> table.X.shape, table.y_names[-1]
        ((1500, 20), 'y8')
    """
    from softsym.data.table import Table

    X, Y = (values.double().numpy() for values in task.observations(seed))
    x_names, y_names = (
        tuple(f"{letter}{k}" for k in range(values.shape[1])) for letter, values in (("x", X), ("y", Y))
    )
    return Table(X, Y, x_names, y_names, task.name, task.together(seed))


def task_parameters(task: Task) -> dict[str, Any]:
    """Arguments of an estimator that suit a task: representations and candidate groups.

    Example:
        >>> from softsym.datasets import task
        >>> task_parameters(task("golfball"))["rep_in"]
        '6V'
    """
    return {
        "rep_in": str(task.rep_in),
        "rep_out": str(task.rep_out),
        "groups": [str(group) for group in task.groups],
        "largest": str(task.largest),
    }
