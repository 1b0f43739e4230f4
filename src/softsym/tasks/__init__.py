"""Tasks: maps to learn whose symmetries are known, half known or to be found out."""

from softsym.tasks.cossim import CosSim
from softsym.tasks.error import Error, ade, mse
from softsym.tasks.golfball import GolfBall
from softsym.tasks.inertia import Inertia
from softsym.tasks.motion import Motion
from softsym.tasks.parse import TASKS, task
from softsym.tasks.table_tennis import TableTennis
from softsym.tasks.task import Sizes, Splits, Task

__all__ = [
    "TASKS", "CosSim", "Error", "GolfBall", "Inertia", "Motion", "Sizes", "Splits", "TableTennis", "Task", "ade", "mse", "task",
]  # fmt: skip
