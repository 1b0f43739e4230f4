"""Data by a short text: the path of a file, or the name of a built-in task.

Whoever asks gets the same numbers for the same text: what is looked at, learned from and predicted are one table.
"""

from __future__ import annotations

import difflib
from pathlib import Path

from softsym.data.formats import suffixes
from softsym.data.table import Table, read_table
from softsym.errors import InputError
from softsym.tasks.parse import TASKS
from softsym.tasks.parse import task as read_task
from softsym.tasks.task import Task


def read_data(
    text: str,
    x_columns: str | None = None,
    y_columns: str | None = None,
    *,
    need_y: bool = True,
    seed: int = 0,
) -> tuple[Table, Task | None]:
    """Reads inputs and outputs from a file or of a task.

    Args:
        text: A path, or a task such as ``inertia:Oz(2)``. A file wins over a task of the same name.
        x_columns: Which columns are inputs; files only.
        y_columns: Which columns are outputs; files only.
        need_y: Whether a file must have outputs.
        seed: Seed of the task's data.

    Returns:
        The table, and the task if it is one.
    """
    if not is_task(text):
        return read_table(text, x_columns, y_columns, need_y=need_y), None
    if x_columns is not None or y_columns is not None:
        raise InputError(
            f"{text!r} is a task, which knows its columns; leave out --x-columns and --y-columns"
        )
    task = read_task(text)
    return task_table(task, seed), task


def is_task(text: str) -> bool:
    """Whether a text names a task rather than a file.

    Raises:
        InputError: It can be neither.

    Example:
        >>> is_task("inertia:Oz(2)"), is_task("measured.csv")
        (True, False)
    """
    if Path(text).is_file():
        return False
    name = text.split(":")[0].split(",")[0].strip().replace("-", "_")
    if name in TASKS:
        return True
    if Path(text).suffix.lower() in suffixes() or Path(text).exists():
        return False
    close = difflib.get_close_matches(name, TASKS, n=1, cutoff=0.6)
    hint = f"did you mean {close[0]}? " if close else ""
    raise InputError(
        f"{text!r} is neither a file nor a task; {hint}Pass a file that ends in {', '.join(suffixes())}, "
        f"or one of the tasks {', '.join(TASKS)}"
    )


def task_table(task: Task, seed: int) -> Table:
    """The table of a task: what a person's file would hold.

    Example:
        >>> from softsym.tasks import task
        >>> table = task_table(task("inertia:Oz(2)"), seed=0)
        >>> table.X.shape, table.y_names[-1]
        ((1500, 20), 'y8')
    """
    X, Y = (values.double().numpy() for values in task.observations(seed))
    x_names, y_names = (
        tuple(f"{letter}{k}" for k in range(values.shape[1])) for letter, values in (("x", X), ("y", Y))
    )
    return Table(X, Y, x_names, y_names, task.name)
