"""What can be refused at once: texts, files and names, before torch is imported, which takes seconds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from softsym.data.task_names import is_task

if TYPE_CHECKING:
    from softsym.data.table import Table
    from softsym.tasks.task import Task


def check_texts(reps: Sequence[str | None] = (), groups: Sequence[str | None] = ()) -> None:
    """Refuses representations and groups that cannot be read; None stands for one that was not given.

    Example:
        >>> check_texts(["5S + 5V", None], ["Q(9)"])  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        softsym.errors.InputError: group 'Q(9)': unknown group (known: O, SO, SL, ...
    """
    from softsym.groups import group as read_group
    from softsym.reps import rep as read_rep

    for rep in reps:
        if rep is not None:
            read_rep(rep)
    for group in groups:
        if group is not None:
            read_group(group)


def read_source(
    text: str,
    x_columns: str | None = None,
    y_columns: str | None = None,
    *,
    need_y: bool = True,
    together: str | None = None,
    seed: int = 0,
    most_rows: int | None = None,
) -> tuple[Table, Task | None]:
    """As :func:`softsym.tasks.source.read_data`, but a file is read before torch is imported."""
    if is_task(text):
        from softsym.tasks.source import read_data

        return read_data(text, x_columns, y_columns, need_y=need_y, together=together, seed=seed)
    from softsym.data.table import read_table

    table = read_table(
        text, x_columns, y_columns, need_y=need_y, together=together, most_rows=most_rows, seed=seed
    )
    return table, None
