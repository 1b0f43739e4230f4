"""Hyperparameters of one training, validated, with defaults that depend on the number of rows."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Literal

from pydantic import Field, NonNegativeFloat, PositiveInt, ValidationError

from softsym.errors import InputError, first_problem
from softsym.nn.network import check_memory
from softsym.regularize.strengths import Controller
from softsym.training.config import (
    FAST,
    FAST_STRENGTH,
    Batch,
    LearningRate,
    NetworkHyperparameters,
    TrainingConfig,
    Width,
)

STEPS, PLAIN_STEPS = 600, 1_200
"""Optimiser steps of a default training: with penalties, and of a network without."""
FEWEST_EPOCHS, MOST_EPOCHS = 30, 600
PLAIN_WIDTH, PLAIN_RATE = 64, 3e-3
LAST_STAGE, LAST_RATE = 3, 10
"""The stage after the verdicts has this part of the epochs, and of the rate, of the training before."""


class Recipe(NetworkHyperparameters):
    """Hyperparameters of one training; epochs and batch may depend on the number of training rows (:meth:`for_rows`).

    The defaults suit a network without penalties; stored models without a field mean its default.
    """

    FORMAT: ClassVar[tuple[str, ...]] = (
        "width", "layers", "epochs", "batch", "lr", "weight_decay", "strength", "gamma", "strengths",
    )  # fmt: skip

    width: Width = PLAIN_WIDTH
    epochs: PositiveInt | None = None
    batch: Batch | None = None
    lr: LearningRate = PLAIN_RATE
    strength: NonNegativeFloat | None = Field(None, description="Of every group at the start.")
    init: Literal["standard", "equivariant"] = Field(
        "standard", description="Initial weights of networks with penalties."
    )
    framing: bool = Field(False, description="Bring inputs to one size where a candidate group scales.")

    def for_rows(self, rows: int) -> Recipe:
        """The recipe with epochs and batch chosen.

        Example:
            >>> chosen = Recipe().for_rows(1000)
            >>> chosen.epochs, chosen.batch
            (300, 250)
        """
        steps = STEPS if self.form == "proximal" else PLAIN_STEPS
        usual = max(min(250, max(8, math.ceil(rows / 4))), math.ceil(rows * FEWEST_EPOCHS / steps))
        batch = min(self.batch or usual, rows)
        per_epoch = math.ceil(rows / batch)
        epochs = self.epochs or min(MOST_EPOCHS, max(FEWEST_EPOCHS, math.ceil(steps / per_epoch)))
        return self.model_copy(update={"batch": batch, "epochs": epochs})

    def last_stage(self) -> Recipe:
        """Hyperparameters of the short stage after the verdicts, which fix the strengths."""
        epochs = max(1, _chosen(self.epochs) // LAST_STAGE)
        return self.model_copy(update={"epochs": epochs, "lr": self.lr / LAST_RATE, "strengths": "fixed"})

    def unconstrained(self, rows: int) -> Recipe:
        """Hyperparameters of a network of the same size without penalties, whose steps are cheaper: at most twice as many epochs."""
        usual = Recipe(width=self.width, layers=self.layers).for_rows(rows)
        most = PLAIN_STEPS // STEPS * _chosen(self.epochs)
        return usual.model_copy(update={"epochs": min(_chosen(usual.epochs), most)})

    def controller(self) -> Controller:
        """The rule that changes the strengths."""
        epochs = _chosen(self.epochs)
        return self.make_controller(epochs, self.adjust_at, window=max(1, epochs // 6))

    @property
    def adjust_at(self) -> int:
        """Epoch of the adjustment: after a third."""
        return max(1, _chosen(self.epochs) // 3)

    def settings(self, seed: int, *, has_groups: bool) -> TrainingConfig:
        """The configuration of the training loop; with groups, early stopping begins once the strengths are adjusted."""
        epochs = _chosen(self.epochs)
        return TrainingConfig(
            **self.step_values(),
            epochs=epochs,
            batch=_chosen(self.batch),
            patience=max(20, epochs // 5),
            early_stopping=self.form == "loss",  # the last steps of a proximal training are the best
            stop_after=2 * self.adjust_at if has_groups else 0,
            seed=seed,
            validate_every=max(1, epochs // 60),
            checkpoint_every=max(10, epochs // 10),
        )


def read_recipe(*, has_groups: bool, **fields: Any) -> Recipe:
    """A recipe from parameters of an estimator, None for defaults; errors name the first invalid one."""
    usual = FAST | {"strength": FAST_STRENGTH, "init": "equivariant", "framing": True} if has_groups else {}
    given = {name: value for name, value in fields.items() if value is not None}
    if not has_groups:
        given.pop("shrink", None)
    try:
        recipe = Recipe.model_validate(usual | given)
        check_memory(recipe.width, recipe.layers)
        return recipe
    except ValidationError as error:
        name, problem = first_problem(error)
        shown = "weight_decay" if name == "shrink" else name
        raise InputError(f"`{shown}` = {fields.get(name)!r}: {problem.lower()}") from error


def _chosen(number: int | None) -> int:
    if number is None:
        raise InputError("the recipe leaves epochs and batch open; call for_rows(number of rows) first")
    return number
