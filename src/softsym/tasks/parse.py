"""The text form of tasks: ``inertia:Oz(2)``, ``golfball:wind=y,speed=5``, ``motion:scale-aware,records=/data/womd``."""

from __future__ import annotations

from collections.abc import Callable

from softsym.data.task_names import check_task_name
from softsym.errors import InputError
from softsym.tasks import cossim, golfball, inertia, motion, recorded, table_tennis
from softsym.tasks.arguments import Arguments
from softsym.tasks.task import Task

TASKS: dict[str, Callable[[Arguments], Task]] = {
    "inertia": inertia.Inertia.read,
    "cossim": cossim.CosSim.read,
    "golfball": golfball.GolfBall.read,
    "motion": motion.Motion.read,
    "flights": motion.Flights.read,
    "table_tennis": table_tennis.TableTennis.read,
    "mocap": recorded.Mocap.read,
    "duct": recorded.Duct.read,
}
"""How each task is read, by name."""


def task(text: str | Task) -> Task:
    """Reads a task from its text form; a task is returned as it is.

    A name alone means ``inertia:Oz(2)``, ``cossim:SO(3)+S(3)``, ``golfball:wind=none`` or ``motion:symmetry-aware``.

    Raises:
        InputError: Nothing is called that; the message lists what is known.

    Example:
        >>> print(task("inertia"), task("cossim:both"))
        inertia:Oz(2) cossim:SO(3)+S(3)
    """
    if isinstance(text, Task):
        return text
    if not isinstance(text, str):
        raise InputError(f"a task is its text such as 'inertia:Oz(2)', got {type(text).__name__}")
    arguments = Arguments.read(text)
    name = arguments.name.replace("-", "_")
    check_task_name(text)
    return TASKS[name](arguments)
