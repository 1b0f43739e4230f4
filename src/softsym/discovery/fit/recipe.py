"""How the networks behind an estimator are trained: every number, checked, with defaults that fit the size of the data."""

from __future__ import annotations

import math
from typing import ClassVar

from pydantic import Field, NonNegativeFloat, PositiveInt, ValidationError

from softsym.errors import InputError, first_problem
from softsym.regularize.strengths import Controller
from softsym.training.settings import Batch, LearningRate, Settings, SoftNumbers, Width

STEPS = 1_200
"""Optimiser steps of a default training: what the quick presets take."""
FEWEST_EPOCHS, MOST_EPOCHS = 30, 600


class Recipe(SoftNumbers):
    """The numbers of one training; epochs and batch may be left to the number of training rows (:meth:`for_rows`)."""

    FORMAT: ClassVar[tuple[str, ...]] = (
        "width", "layers", "epochs", "batch", "lr", "weight_decay", "strength", "gamma", "strengths",
    )  # fmt: skip

    width: Width = 64
    epochs: PositiveInt | None = None
    batch: Batch | None = None
    lr: LearningRate = 3e-3
    strength: NonNegativeFloat | None = Field(
        None,
        description="Of every group at the start; dimensionless, for standardised data. None: found by trials.",
    )

    def for_rows(self, rows: int) -> Recipe:
        """The recipe with epochs and batch chosen.

        Example:
            >>> chosen = Recipe().for_rows(1000)
            >>> chosen.epochs, chosen.batch
            (300, 250)
        """
        usual = max(min(250, max(8, math.ceil(rows / 4))), math.ceil(rows * FEWEST_EPOCHS / STEPS))
        batch = self.batch or usual
        per_epoch = math.ceil(rows / batch)
        epochs = self.epochs or min(MOST_EPOCHS, max(FEWEST_EPOCHS, math.ceil(STEPS / per_epoch)))
        return self.model_copy(update={"batch": min(batch, rows), "epochs": epochs})

    def controller(self) -> Controller:
        """The rule that changes the strengths."""
        epochs = _chosen(self.epochs)
        return self.rule(epochs, self.adjust_at, window=max(1, epochs // 6))

    @property
    def adjust_at(self) -> int:
        """Epoch of the adjustment: after a third."""
        return max(1, _chosen(self.epochs) // 3)

    def settings(self, seed: int, *, has_groups: bool) -> Settings:
        """What the training loop wants to know; with groups the best model counts only once the strengths have settled."""
        epochs = _chosen(self.epochs)
        return Settings(
            **self.of_steps(),
            epochs=epochs,
            batch=_chosen(self.batch),
            patience=max(20, epochs // 5),
            stop_after=2 * self.adjust_at if has_groups else 0,
            seed=seed,
            validate_every=max(1, epochs // 60),
            checkpoint_every=max(10, epochs // 10),
        )


def read_recipe(**fields: object) -> Recipe:
    """A recipe from an estimator's parameters; the first that is wrong is named."""
    try:
        return Recipe.model_validate(fields)
    except ValidationError as error:
        name, problem = first_problem(error)
        raise InputError(f"`{name}` = {fields.get(name)!r}: {problem.lower()}") from error


def _chosen(number: int | None) -> int:
    if number is None:
        raise InputError("the recipe leaves epochs and batch open; call for_rows(number of rows) first")
    return number
