"""Short trials that settle what depends on the data: how wide the network should be, and how many epochs fit into a time."""

from __future__ import annotations

import math

import numpy as np

from softsym.discovery.fit.member import Member
from softsym.discovery.fit.parallel import Lesson, Stop, Training, Watch, train_all
from softsym.discovery.fit.recipe import LAST_STAGE, PLAIN_WIDTH, Recipe
from softsym.progress import reporter

SHORTER = 3
"""A trial has this part of the epochs of a training."""
FEWEST_AFFORDABLE_EPOCHS, MOST_AFFORDABLE_EPOCHS = 12, 10_000
TIMED_EPOCHS = 4


def chosen_width(
    lesson: Lesson,
    recipe: Recipe,
    seed: int,
    *,
    n_jobs: int = 1,
    stop: Stop | None = None,
    quiet: bool = True,
) -> int:
    """The recipe's width, or a small one if with it validation rows are predicted better after a short training.

    Args:
        lesson: What is mapped, from which data.
        recipe: How members will be trained.
        seed: Seed of both trials.
        n_jobs: How many processes work side by side.
        stop: Asked after every epoch.
        quiet: Show no progress.

    Raises:
        KeyboardInterrupt: ``stop`` said so; nothing has been learned yet that could be kept.
    """
    widths = (PLAIN_WIDTH, recipe.width)
    epochs = max(1, (recipe.epochs or 0) // SHORTER)
    trials = [
        Training(recipe.model_copy(update={"width": width, "epochs": epochs}), seed) for width in widths
    ]
    with reporter(len(trials) * epochs, 0, quiet=quiet, what="trying widths: ") as report:
        watch = Watch(report, len(trials), stop)
        members = train_all(lesson, trials, n_jobs=n_jobs, on_epoch=watch, may_diverge=True)
    if any(member is not None and not member.is_finished for member in members):
        raise KeyboardInterrupt
    losses = [trial_loss(member) for member in members]
    return widths[0] if losses[0] < losses[1] else widths[1]


def trial_loss(member: Member | None) -> float:
    """The best validation loss of the last third of a training, after strengths were adjusted; infinite if it diverged."""
    if member is None:
        return math.inf
    last = member.history[2 * len(member.history) // 3 :]
    loss = min(row["validation"] for row in last if "validation" in row)
    return math.inf if math.isnan(loss) else float(loss)


def budgeted(
    lesson: Lesson, recipe: Recipe, seconds: float, members: int, n_jobs: int = 1, *, tries: bool = False
) -> Recipe:
    """The recipe with as many epochs as fit into a time.

    Args:
        lesson: What is mapped, from which data.
        recipe: How members will be trained.
        seconds: What trials and members may take together.
        members: How many of them there are.
        n_jobs: How many processes work side by side.
        tries: Whether widths will be tried.
    """
    rounds = float(math.ceil(members / n_jobs))
    if lesson.shape.groups:
        rounds *= 1 + 1 / LAST_STAGE
    if tries:
        rounds += (1 if n_jobs > 1 else 2) / SHORTER
    return recipe.model_copy(update={"epochs": affordable_epochs(lesson, recipe, seconds / rounds)})


def affordable_epochs(lesson: Lesson, recipe: Recipe, seconds: float) -> int:
    """How many epochs of one training fit into a time, by trying a few."""
    short = recipe.model_copy(update={"epochs": TIMED_EPOCHS})
    (member,) = train_all(lesson, [Training(short, seed=0)])
    assert member is not None  # it would have been refused
    rows = member.history
    first, last = rows[0]["seconds"], rows[-1]["seconds"]  # the first also builds what is used later
    per_epoch = max((last - first) / (len(rows) - 1), 1e-6)
    return int(np.clip(seconds / per_epoch, FEWEST_AFFORDABLE_EPOCHS, MOST_AFFORDABLE_EPOCHS))
