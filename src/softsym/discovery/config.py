"""Hyperparameters of the networks of an estimator, and validation of its parameters."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from pydantic import Field, NonNegativeFloat, PositiveInt, ValidationError

from softsym.errors import InputError, first_problem
from softsym.groups import Group
from softsym.training import FAST, FAST_STRENGTH, Batch, LearningRate, NetworkHyperparameters, TrainingConfig, Width

if TYPE_CHECKING:
    from softsym.regularize.strengths import Controller

MODELS = ("auto", "linear", "gp", "network")
"""Values of the parameter ``model``: the best of all models, or one of them."""
STEPS, PLAIN_STEPS = 600, 1_200  # optimiser steps of a default training: with penalties, and of a network without
FEWEST_EPOCHS, MOST_EPOCHS = 30, 600
PLAIN_WIDTH, PLAIN_RATE = 64, 3e-3
LAST_STAGE, LAST_RATE = 3, 10
"""The stage after the verdicts has this part of the epochs, and of the rate, of the training before."""


@dataclass(frozen=True, kw_only=True, repr=False)
class NetworkConfig:
    """How networks are built and trained; values are checked by ``fit``.

    Args:
        largest: Group of gates and bilinear layers; the candidates joined by default.
        width: Size of the hidden layers; if None, 216 or 64 as short trials decide, and 64 without groups.
        layers: Number of linear layers.
        epochs: Passes over the training data; by default about 600 steps, and 1,200 without groups.
        budget: Seconds for training, instead of epochs; closed-form models and baselines are not included.
        batch: Rows per step; by default a quarter of the rows, at most 250 up to a few thousand rows.
        lr: Highest learning rate, after a warm-up and before a cosine decay; if None, 0.04, and 0.003 without groups.
        weight_decay: Decoupled weight decay, with groups.
        strength: Initial strength of every group's penalty; if None, 10 or a thirtieth of it, as short trials decide.
        gamma: How strongly differences between groups count when strengths are adjusted.
        strengths: Controller of the strengths: ``by-data`` (five times, by violations on data), ``one-shot`` (once, by residuals of the
            weights, as published), ``continuous`` or ``fixed``.
        seeds: Number of networks in the ensemble.
        warm_start: Continue from the networks of the last ``fit`` with the same representations and candidates.
        device: ``cpu``, ``cuda`` or ``mps``; closed-form models are computed on the CPU.

    Example:
        >>> NetworkConfig(width=64, epochs=100).layers
        4
    """

    largest: Group | str | None = None
    width: int | None = None
    layers: int = 4
    epochs: int | None = None
    budget: float | None = None
    batch: int | None = None
    lr: float | None = None
    weight_decay: float = FAST["shrink"]
    strength: float | None = None
    gamma: float = FAST["gamma"]
    strengths: str = FAST["strengths"]
    seeds: int = 2
    warm_start: bool = False
    device: str = "cpu"

    def __repr__(self) -> str:
        values = ((field.name, getattr(self, field.name), field.default) for field in fields(self))
        changed = (f"{name}={value!r}" for name, value, default in values if value != default)
        return f"NetworkConfig({', '.join(changed)})"


NETWORK_FIELDS = tuple(field.name for field in fields(NetworkConfig))


class Hyperparameters(NetworkHyperparameters):
    """Hyperparameters of one training, by default of a network without penalties; epochs and batch may depend on the rows."""

    FORMAT = ("width", "layers", "epochs", "batch", "lr", "weight_decay", "strength", "gamma", "strengths")

    width: Width = PLAIN_WIDTH
    epochs: PositiveInt | None = None
    batch: Batch | None = None
    lr: LearningRate = PLAIN_RATE
    strength: NonNegativeFloat | None = Field(None, description="Of every group at the start.")
    init: Literal["standard", "equivariant"] = Field("standard", description="Initial weights, with penalties.")
    framing: bool = Field(False, description="Bring inputs to one size where a candidate group scales.")

    def for_rows(self, rows: int) -> Hyperparameters:
        """The hyperparameters with epochs and batch chosen."""
        steps = STEPS if self.form == "proximal" else PLAIN_STEPS
        usual = max(min(250, max(8, math.ceil(rows / 4))), math.ceil(rows * FEWEST_EPOCHS / steps))
        batch = min(self.batch or usual, rows)
        per_epoch = math.ceil(rows / batch)
        epochs = self.epochs or min(MOST_EPOCHS, max(FEWEST_EPOCHS, math.ceil(steps / per_epoch)))
        return self.model_copy(update={"batch": batch, "epochs": epochs})

    def last_stage(self) -> Hyperparameters:
        """Those of the short stage after the verdicts, which fix the strengths."""
        epochs = max(1, _chosen(self.epochs) // LAST_STAGE)
        return self.model_copy(update={"epochs": epochs, "lr": self.lr / LAST_RATE, "strengths": "fixed"})

    def unconstrained(self, rows: int) -> Hyperparameters:
        """Those of a network of the same size without penalties, whose steps are cheaper: at most twice as many epochs."""
        usual = Hyperparameters(width=self.width, layers=self.layers).for_rows(rows)
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


def read_hyperparameters(config: NetworkConfig, *, has_groups: bool) -> Hyperparameters:
    """Those of an estimator, None for defaults; errors name the first invalid one."""
    usual = FAST | {"strength": FAST_STRENGTH, "init": "equivariant", "framing": True} if has_groups else {}
    names = ("width", "layers", "epochs", "batch", "lr", "strength", "gamma", "strengths")
    given = {name: getattr(config, name) for name in names}
    if has_groups:
        given["shrink"] = config.weight_decay
    given = {name: value for name, value in given.items() if value is not None}
    try:
        chosen = Hyperparameters.model_validate(usual | given)
    except ValidationError as error:
        name, problem = first_problem(error)
        shown = "weight_decay" if name == "shrink" else name
        raise InputError(f"`{shown}` = {given.get(name)!r}: {problem.lower()}") from error
    if chosen.width > PLAIN_WIDTH * PLAIN_WIDTH:
        from softsym.nn.network import check_memory  # with torch, which most fits do not need before their evidence

        check_memory(chosen.width, chosen.layers)
    return chosen


def check_parameters(given: dict[str, Any], *, classes: bool) -> None:
    """Refuses invalid parameters of an estimator."""
    model, budget = given["model"], given["budget"]
    if model not in MODELS:
        raise InputError(f"unknown model {model!r}; pass one of {', '.join(MODELS)}")
    if classes and model not in ("auto", "network"):
        raise InputError(f"classes are learned by networks: pass model 'network' or 'auto', not {model!r}")
    if not isinstance(given["seeds"], int | np.integer) or given["seeds"] < 1:
        raise InputError(f"`seeds` must be a whole number of at least 1, got {given['seeds']!r}")
    if not 0 < given["held_out"] < 0.5:
        raise InputError(f"`held_out` must lie between 0 and 0.5, got {given['held_out']!r}")
    if budget is not None and not budget > 0:
        raise InputError(f"`budget` must be a positive number of seconds, got {budget!r}")
    if budget is not None and given["epochs"] is not None:
        raise InputError("pass `epochs` or `budget`, not both: a budget decides the epochs")
    count_processes(given["n_jobs"])


def count_processes(n_jobs: int | None) -> int:
    """How many processes a number of jobs means, as scikit-learn counts them: None is one, -1 are all cores."""
    import joblib

    whole = n_jobs is None or (isinstance(n_jobs, int) and not isinstance(n_jobs, bool))
    if not whole or n_jobs == 0:
        raise InputError(f"`n_jobs` must be a whole number other than 0, such as 2 or -1 for all cores, got {n_jobs!r}")
    return int(joblib.effective_n_jobs(n_jobs))


def _chosen(number: int | None) -> int:
    if number is None:
        raise InputError("epochs and batch are open; call for_rows(number of rows) first")
    return number
