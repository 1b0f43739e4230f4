"""Search of hyperparameters by short trials: width, initial strength of penalties, and the number of epochs for a budget."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from softsym.discovery.fit.compare import standard_errors
from softsym.discovery.fit.member import Member, predict_members
from softsym.discovery.fit.parallel import Executor, ProgressCallback, Stop, TrainingData, TrainJob, train_all
from softsym.discovery.fit.recipe import LAST_STAGE, PLAIN_WIDTH, Recipe
from softsym.progress import reporter
from softsym.typing import Array

WEAKER = 30.0
"""Factor by which penalties start weaker where strong ones prevent learning."""
SHORTER = 3
"""A trial has this part of the epochs of a training."""
FEWEST_AFFORDABLE_EPOCHS, MOST_AFFORDABLE_EPOCHS = 12, 10_000
TIMED_EPOCHS = 4


@dataclass(frozen=True)
class SearchSpace:
    """Hyperparameters that trials decide.

    Args:
        width: Whether a narrow network may take the place of the recipe's.
        strength: Whether penalties may begin weaker than the recipe's.
    """

    width: bool = False
    strength: bool = False

    def __bool__(self) -> bool:
        return self.width or self.strength

    def alternatives(self, recipe: Recipe) -> list[Recipe]:
        """The recipe, and what may take its place."""
        changes: list[dict[str, Any]] = []
        if self.strength:
            changes.append({"strength": (recipe.strength or 0.0) / WEAKER})
        if self.width and recipe.width != PLAIN_WIDTH:
            changes.append({"width": PLAIN_WIDTH})
        return [recipe, *(recipe.model_copy(update=change) for change in changes)]


NO_SEARCH = SearchSpace()
"""No trials."""


def search_hyperparameters(
    training_data: TrainingData,
    recipe: Recipe,
    search_space: SearchSpace,
    seed: int,
    *,
    n_jobs: int = 1,
    stop: Stop | None = None,
    quiet: bool = True,
    executor: Executor | None = None,
) -> Recipe:
    """The recipe, or the alternative that predicts validation rows best after a short training, if that is clearly better.

    A strong penalty can keep a network from learning what breaks a symmetry, and then nothing shows that it is broken; a weak one that
    predicts better, by more than one standard error, reveals it.

    Args:
        training_data: Shape, data, loss and device.
        recipe: Hyperparameters of the members.
        search_space: What may change.
        seed: Seed of all trials.
        n_jobs: Number of parallel processes.
        stop: Called after every epoch; True stops.
        quiet: Show no progress.
        executor: Executor of trainings; processes of this machine by default.

    Raises:
        KeyboardInterrupt: ``stop`` returned True; no member has been trained yet.
    """
    recipes = search_space.alternatives(recipe)
    epochs = max(1, (recipe.epochs or 0) // SHORTER)
    trials = [TrainJob(one.model_copy(update={"epochs": epochs}), seed) for one in recipes]
    with reporter(len(trials) * epochs, 0, quiet=quiet, what="trials: ") as report:
        watch = ProgressCallback(report, len(trials), stop)
        members = train_all(
            training_data, trials, n_jobs=n_jobs, on_epoch=watch, may_diverge=True, executor=executor
        )
    if any(member is not None and not member.is_finished for member in members):
        raise KeyboardInterrupt
    losses = [trial_losses(training_data, member) for member in members]
    clearly = [k for k in range(1, len(recipes)) if standard_errors(losses[0], losses[k]) > 1]
    return recipes[min(clearly, key=lambda k: float(losses[k].mean()), default=0)]


def trial_losses(training_data: TrainingData, member: Member | None) -> Array:
    """The loss of every validation row; infinite if the training diverged."""
    x, y = training_data.data.val
    if member is None:
        return np.full(len(x), math.inf)
    prediction = predict_members([member], x.double())[0]
    pairs = zip(prediction.split(1), y.to(prediction).split(1), strict=True)
    losses = np.array([float(training_data.criterion(a, b)) for a, b in pairs])
    return np.where(np.isfinite(losses), losses, math.inf)


def set_epochs_by_budget(
    training_data: TrainingData,
    recipe: Recipe,
    seconds: float,
    members: int,
    n_jobs: int = 1,
    search_space: SearchSpace | None = None,
) -> Recipe:
    """The recipe with as many epochs as fit into a time.

    Args:
        training_data: Shape, data, loss and device.
        recipe: Hyperparameters of the members.
        seconds: Time for trials and members together.
        members: Number of members.
        n_jobs: Number of parallel processes.
        search_space: What trials will decide.
    """
    rounds = float(math.ceil(members / n_jobs))
    if training_data.shape.groups:
        rounds *= 1 + 1 / LAST_STAGE
    if search_space:
        rounds += math.ceil(len(search_space.alternatives(recipe)) / n_jobs) / SHORTER
    return recipe.model_copy(update={"epochs": affordable_epochs(training_data, recipe, seconds / rounds)})


def affordable_epochs(training_data: TrainingData, recipe: Recipe, seconds: float) -> int:
    """How many epochs of one training fit into a time, by trying a few."""
    short = recipe.model_copy(update={"epochs": TIMED_EPOCHS})
    (member,) = train_all(training_data, [TrainJob(short, seed=0)])
    assert member is not None  # without may_diverge a failed training raises
    rows = member.history
    first, last = rows[0]["seconds"], rows[-1]["seconds"]  # the first also builds what is used later
    per_epoch = max((last - first) / (len(rows) - 1), 1e-6)
    return int(np.clip(seconds / per_epoch, FEWEST_AFFORDABLE_EPOCHS, MOST_AFFORDABLE_EPOCHS))
