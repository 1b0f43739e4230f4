"""Short trials that settle what depends on the data: how strong penalties should start, and how many epochs fit into a time.

A penalty should be as strong as the data allow: strong ones tell symmetries apart sharply, too strong ones keep a network from
learning what is there. So the strongest start is taken whose validation loss, after a short training in which strengths are adjusted
as they will be, is not much worse than the best of all trials.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from softsym.discovery.fit.member import Member
from softsym.discovery.fit.parallel import Lesson, Stop, Training, Watch, train_all
from softsym.discovery.fit.recipe import Recipe
from softsym.progress import reporter

STRENGTHS = (30.0, 300.0, 1000.0)
NOT_MUCH_WORSE = 1.2
SHORTER = 1.5  # much shorter trials favour weak starts: strong ones learn later, and tell groups apart better
FEWEST_TRIAL_EPOCHS = 12
FEWEST_AFFORDABLE_EPOCHS, MOST_AFFORDABLE_EPOCHS = 12, 10_000
TIMED_EPOCHS = 4


def strongest_start(
    lesson: Lesson,
    recipe: Recipe,
    seed: int,
    *,
    n_jobs: int = 1,
    stop: Stop | None = None,
    quiet: bool = True,
) -> float:
    """The strongest of :data:`STRENGTHS` that does not keep the network from learning.

    Args:
        lesson: What is mapped, from which data.
        recipe: How members will be trained.
        seed: Seed of all trials.
        n_jobs: How many processes work side by side.
        stop: Asked after every epoch.
        quiet: Show no progress.

    Raises:
        KeyboardInterrupt: ``stop`` said so; nothing has been learned yet that could be kept.
    """
    epochs = max(FEWEST_TRIAL_EPOCHS, round((recipe.epochs or 0) / SHORTER))
    trials = [
        Training(recipe.model_copy(update={"strength": strength, "epochs": epochs}), seed)
        for strength in STRENGTHS
    ]
    with reporter(len(trials) * epochs, 0, quiet=quiet, what="trying strengths: ") as report:
        watch = Watch(report, len(trials), stop)
        members = train_all(lesson, trials, n_jobs=n_jobs, on_epoch=watch, may_diverge=True)
    if any(member is not None and not member.is_finished for member in members):
        raise KeyboardInterrupt
    return chosen_start(STRENGTHS, [trial_loss(member) for member in members])


def chosen_start(strengths: Sequence[float], losses: Sequence[float]) -> float:
    """The strongest start whose loss is not much worse than the best; the weakest if no trial learned anything.

    Example:
        >>> chosen_start((30.0, 300.0, 1000.0), (0.1, 0.11, 0.5))
        300.0
    """
    most = NOT_MUCH_WORSE * min(losses)
    allowed = [s for s, loss in zip(strengths, losses, strict=True) if math.isfinite(loss) and loss <= most]
    return max(allowed, default=min(strengths))


def trial_loss(member: Member | None) -> float:
    """The best validation loss of the last third of a training, after strengths were adjusted; infinite if it diverged."""
    if member is None:
        return math.inf
    last = member.history[2 * len(member.history) // 3 :]
    loss = min(row["validation"] for row in last if "validation" in row)
    return math.inf if math.isnan(loss) else float(loss)


def budgeted(lesson: Lesson, recipe: Recipe, seconds: float, members: int, n_jobs: int = 1) -> Recipe:
    """The recipe with as many epochs as fit into a time.

    Args:
        lesson: What is mapped, from which data.
        recipe: How members will be trained.
        seconds: What trials and members may take together.
        members: How many of them there are.
        n_jobs: How many processes work side by side.
    """
    rounds = float(math.ceil(members / n_jobs))
    if lesson.shape.groups and recipe.strength is None:
        rounds += math.ceil(len(STRENGTHS) / n_jobs) / SHORTER
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
