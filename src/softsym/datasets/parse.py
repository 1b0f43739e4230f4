"""The text form of built-in data sets (tasks): ``inertia:Oz(2)``, ``golfball:wind=y,speed=5``.

::

    task = name [ ":" item { "," item } ]
    item = variant | key "=" value              only the first item can be a variant

Data for a command are a file or such a text (:func:`read_data`). Other distributions add tasks by entry points of the group
``softsym.tasks``. Tasks and tables are imported where they are used, so that help is fast and a misspelled name is refused before
torch is imported.
"""

from __future__ import annotations

import difflib
import importlib.metadata
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from softsym.data.formats import suffixes
from softsym.errors import InputError
from softsym.registry import Registry

if TYPE_CHECKING:
    from softsym.data.table import Table
    from softsym.datasets.builtin import Task

OWN = {
    "inertia": "softsym.datasets.paper:Inertia",
    "cossim": "softsym.datasets.paper:CosSim",
    "golfball": "softsym.datasets.golfball:GolfBall",
}
"""The class of each task of this package."""
LABORATORY = ("motion", "flights", "table_tennis", "mocap", "duct")
"""Tasks of softsym-lab, by name, so that a message can say where they come from."""
_OPTION = re.compile(r"[A-Za-z_]\w*=")
_BETWEEN = re.compile(r",\s*(?=[A-Za-z_]\w*=)")  # a comma inside a variant or a file name stays


@dataclass(frozen=True)
class Arguments:
    """What stands in a task's text."""

    text: str  # the whole text, for error messages
    name: str  # the task
    variant: str  # what stands after the colon without a key; empty if nothing does
    options: Mapping[str, str]  # keys and their values

    @staticmethod
    def read(text: str) -> Arguments:
        """Splits a text."""
        name, _, rest = text.partition(":")
        items = [item.strip() for item in _BETWEEN.split(rest.strip())]
        variant = "" if _OPTION.match(items[0]) else items.pop(0)
        options: dict[str, str] = {}
        for item in items:
            key, _, value = item.partition("=")
            if key in options:
                raise InputError(f"task {text!r}: the option {key!r} is given twice")
            options[key] = value.strip()
        return Arguments(text, name.strip(), variant, options)

    def fail(self, problem: str) -> NoReturn:
        """Raises an error that names the text."""
        raise InputError(f"task {self.text!r}: {problem}")

    def only(self, *known: str) -> None:
        """Fails at an option that is not among the known ones."""
        for key in self.options:
            if key not in known:
                takes = f"{self.name} takes {', '.join(known)}" if known else f"{self.name} takes none"
                self.fail(f"unknown option {key!r}; {takes}")

    def no_variant(self) -> None:
        """Fails if there is a variant."""
        if self.variant:
            self.fail(f"did not expect {self.variant!r}; pass options as key=value")

    def choose(self, default: str, known: Iterable[str], aliases: Mapping[str, str] | None = None) -> str:
        """The variant under its own name, or the default if there is none."""
        names = list(known)
        chosen = (aliases or {}).get(self.variant, self.variant) or default
        if chosen not in names:
            close = difflib.get_close_matches(chosen, names, n=1, cutoff=0.6)
            hint = f"did you mean {close[0]}? " if close else ""
            self.fail(f"unknown variant {self.variant!r}; {hint}Known: {', '.join(names)}")
        return chosen

    def number(self, key: str, default: float) -> float:
        """An option that is a finite number."""
        if key not in self.options:
            return default
        try:
            value = float(self.options[key])
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            self.fail(f"the option {key!r} must be a number, got {self.options[key]!r}")
        return value

    def integer(self, key: str, default: int) -> int:
        """An option that is a whole number."""
        value = self.number(key, default)
        if value != int(value):
            self.fail(f"the option {key!r} must be a whole number, got {self.options[key]!r}")
        return int(value)


@cache
def registered_tasks() -> Registry[Any]:
    """The classes of all tasks by name: those of this package and those of installed distributions."""
    others = importlib.metadata.entry_points(group="softsym.tasks")
    return Registry("task", {**OWN, **{entry.name: entry.value for entry in others if entry.name not in OWN}})


def task(text: str | Task) -> Task:
    """Reads a task from its text form; a task is returned as it is.

    A name alone means ``inertia:Oz(2)``, ``cossim:SO(3)+S(3)`` or ``golfball:wind=none``.

    Raises:
        InputError: No task has this name; the message lists those that are installed.

    Example:
        >>> print(task("inertia"), task("cossim:both"))
        inertia:Oz(2) cossim:SO(3)+S(3)
    """
    if not isinstance(text, str):
        from softsym.datasets.builtin import Task

        if isinstance(text, Task):
            return text
        raise InputError(f"a task is its text such as 'inertia:Oz(2)', got {type(text).__name__}")
    check_task_name(text)
    arguments = Arguments.read(text)
    made: Task = registered_tasks()[arguments.name.replace("-", "_")].read(arguments)
    return made


def is_task(text: str) -> bool:
    """Whether a text names a task rather than a file."""
    if Path(text).is_file():
        return False
    name = text.split(":")[0].split(",")[0].strip().replace("-", "_")
    if name in registered_tasks():
        return True
    if Path(text).suffix.lower() in suffixes() or Path(text).exists():
        return False
    raise InputError(
        f"{text!r} is neither a file nor a task; {_hint(name)}pass a file that ends in {', '.join(suffixes())}, "
        f"or one of the tasks {', '.join(registered_tasks())}"
    )


def check_task_name(text: str) -> None:
    """Refuses a text that begins with no task's name."""
    name = text.partition(":")[0].strip()
    if name.replace("-", "_") not in registered_tasks():
        known = ", ".join(registered_tasks())
        raise InputError(f"task {text!r}: unknown task {name!r}; {_hint(name)}Known: {known}")


def _hint(name: str) -> str:
    name = name.replace("-", "_")
    if name in LABORATORY:
        return "it is a task of the laboratory: pip install softsym-lab. "
    close = difflib.get_close_matches(name, registered_tasks(), n=1, cutoff=0.6)
    return f"did you mean {close[0]}? " if close else ""


def read_data(
    text: str,
    x_columns: str | None = None,
    y_columns: str | None = None,
    *,
    row_groups: str | None = None,
    seed: int = 0,
    **options: Any,
) -> tuple[Table, Task | None]:
    """The table of a file, read with the options of :func:`~softsym.data.read_table`, or of a task, and the task if it is one."""
    if not is_task(text):
        from softsym.data.table import read_table

        return read_table(text, x_columns, y_columns, row_groups=row_groups, seed=seed, **options), None
    if row_groups is not None:
        raise InputError(f"{text!r} is a task, which knows its row groups; leave out --row-groups")
    if x_columns is not None or y_columns is not None:
        raise InputError(f"{text!r} is a task, which knows its columns; leave out --x-columns and --y-columns")
    known = task(text)
    return task_table(known, seed), known


def task_table(task: Task, seed: int) -> Table:
    """The table of a task: what a person's file would hold."""
    from softsym.data.table import Table

    X, Y = (values.double().numpy() for values in task.observations(seed))
    x_names = tuple(f"x{k}" for k in range(X.shape[1]))
    y_names = tuple(f"y{k}" for k in range(Y.shape[1]))
    return Table(X, Y, x_names, y_names, task.name, task.row_groups(seed))


def task_parameters(task: Task) -> dict[str, Any]:
    """Arguments of an estimator that suit a task: representations and candidate groups."""
    groups = [str(group) for group in task.groups]
    return {"rep_in": str(task.rep_in), "rep_out": str(task.rep_out), "groups": groups, "largest": str(task.largest)}
