"""What a short text names, a file or a built-in task: known by name alone, so that a slip is answered before torch is imported."""

from __future__ import annotations

import difflib
from pathlib import Path

from softsym.data.formats import suffixes
from softsym.errors import InputError

TASK_NAMES = ("inertia", "cossim", "golfball", "motion", "flights", "table_tennis", "mocap", "duct")
"""As :data:`softsym.tasks.TASKS` has them."""


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
    if name in TASK_NAMES:
        return True
    if Path(text).suffix.lower() in suffixes() or Path(text).exists():
        return False
    raise InputError(
        f"{text!r} is neither a file nor a task; {_hint(name)}pass a file that ends in {', '.join(suffixes())}, "
        f"or one of the tasks {', '.join(TASK_NAMES)}"
    )


def check_task_name(text: str) -> None:
    """Refuses a text that begins with no task's name.

    Example:
        >>> check_task_name("inertai:Oz(2)")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        ...
        softsym.errors.InputError: task 'inertai:Oz(2)': unknown task 'inertai'; did you mean inertia? Known: inertia, cossim, ...
    """
    name = text.partition(":")[0].strip()
    if name.replace("-", "_") not in TASK_NAMES:
        raise InputError(f"task {text!r}: unknown task {name!r}; {_hint(name)}Known: {', '.join(TASK_NAMES)}")


def _hint(name: str) -> str:
    close = difflib.get_close_matches(name.replace("-", "_"), TASK_NAMES, n=1, cutoff=0.6)
    return f"did you mean {close[0]}? " if close else ""
