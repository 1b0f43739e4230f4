"""Short trials that settle what depends on the data: how strong penalties should start, and how many epochs fit into a time.

A penalty should be as strong as the data allow: strong ones tell symmetries apart sharply, too strong ones keep a network from
learning what is there. So the strongest start is taken whose validation loss, after a short training in which strengths are adjusted
as they will be, is not much worse than the best of all trials.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from softsym.discovery.fit.ensemble import Shape, train_member
from softsym.discovery.fit.recipe import Recipe
from softsym.errors import TrainingError
from softsym.progress import reporter
from softsym.tasks.task import Splits
from softsym.training.loop import Criterion

STRENGTHS = (30.0, 300.0, 1000.0)
NOT_MUCH_WORSE = 1.2
SHORTER = 1.5  # much shorter trials favour weak starts: strong ones learn later, and tell groups apart better
COST = len(STRENGTHS) / SHORTER  # of all trials, in trainings
FEWEST_EPOCHS, MOST_EPOCHS = 12, 10_000


def strongest_start(
    shape: Shape,
    recipe: Recipe,
    data: Splits,
    seed: int,
    criterion: Criterion,
    stop: Callable[[], bool] | None = None,
    *,
    quiet: bool = True,
) -> float:
    """The strongest of :data:`STRENGTHS` that does not keep the network from learning.

    Raises:
        KeyboardInterrupt: ``stop`` said so; nothing has been learned yet that could be kept.
    """
    epochs = max(FEWEST_EPOCHS, round((recipe.epochs or 0) / SHORTER))

    def loss_of(number: int, strength: float) -> float:
        def watch(row: dict[str, Any]) -> bool:
            report({**row, "epoch": number * epochs + row["epoch"]})
            if stop is not None and stop():
                raise KeyboardInterrupt
            return False

        trial = recipe.model_copy(update={"strength": strength, "epochs": epochs})
        return _trial_loss(shape, trial, data, seed, criterion, watch)

    with reporter(len(STRENGTHS) * epochs, 0, quiet=quiet, what="trying strengths: ") as report:
        losses = [loss_of(number, strength) for number, strength in enumerate(STRENGTHS)]
    allowed = [
        value for value, loss in zip(STRENGTHS, losses, strict=True) if loss <= NOT_MUCH_WORSE * min(losses)
    ]
    return max(allowed, default=min(STRENGTHS))


def affordable_epochs(
    shape: Shape, recipe: Recipe, data: Splits, seconds: float, criterion: Criterion, trial: int = 4
) -> int:
    """How many epochs fit into a time, by trying a few."""
    short = recipe.model_copy(update={"epochs": trial})
    rows = train_member(shape, short, data, 0, criterion=criterion).history
    per_epoch = (rows[-1]["seconds"] - rows[0]["seconds"]) / (
        len(rows) - 1
    )  # the first also builds what is used later
    return int(np.clip(seconds / max(per_epoch, 1e-6), FEWEST_EPOCHS, MOST_EPOCHS))


def _trial_loss(
    shape: Shape,
    trial: Recipe,
    data: Splits,
    seed: int,
    criterion: Criterion,
    watch: Callable[[dict[str, Any]], bool],
) -> float:
    """The validation loss at the end of a training, its adjustment of strengths included."""
    try:
        history = train_member(shape, trial, data, seed, criterion=criterion, on_epoch=watch).history
    except TrainingError:
        return np.inf
    return min(row["validation"] for row in history[2 * len(history) // 3 :] if "validation" in row)
