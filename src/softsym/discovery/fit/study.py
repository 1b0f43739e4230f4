"""From data to trained members: split, standardise, train once per seed.

With a folder every member keeps checkpoints there, so a study that was stopped goes on where it was.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from softsym.data.scaler import SymmetricScaler
from softsym.data.split import SMALLEST_TEST, split_rows
from softsym.discovery.fit.ensemble import Member, Shape, train_member
from softsym.discovery.fit.fit import Fit, HeldOut, Kind, curves_of
from softsym.discovery.fit.recipe import Recipe
from softsym.discovery.fit.scale_frame import worthwhile_frame
from softsym.discovery.fit.trials import COST, affordable_epochs, strongest_start
from softsym.files import put_file
from softsym.progress import Reporter, reporter
from softsym.tasks.error import mse
from softsym.tasks.task import Splits
from softsym.training.loop import Criterion

Array = NDArray[np.float64]
LARGEST_HELD = 2_000
SETTLED = "recipe.json"
Stop = Callable[[], bool]


def conduct(
    kind: Kind,
    shape: Shape,
    recipe: Recipe,
    X: Array,
    Y: Array,
    *,
    seeds: int,
    seed: int,
    fraction: float,
    budget: float | None = None,
    folder: Path | None = None,
    quiet: bool = True,
    stop: Stop | None = None,
) -> Fit:
    """Trains an ensemble.

    Args:
        kind: ``regressor`` or ``classifier``; the outputs of a classifier are one column per class.
        shape: Representations and candidate groups.
        recipe: How to train.
        X: Inputs (n, inputs).
        Y: Outputs (n, outputs).
        seeds: Number of members.
        seed: Seed of the split and of the first member; the others count on from it.
        fraction: Share of the rows for validation, and again for the test.
        budget: Seconds all members together may take; decides the number of epochs.
        folder: Where checkpoints go.
        quiet: Show no progress.
        stop: Asked after every epoch; True ends the study early with what there is.
    """
    began = time.perf_counter()
    parts = split_rows(X, fraction, seed)
    scale_in = SymmetricScaler.fit(X[parts.train], shape.rep_in, shape.groups)
    scale_out = _output_scale(kind, Y[parts.train], shape)
    x, y = _tensor(scale_in.transform(X)), _tensor(scale_out.transform(Y))
    train, val, test = (torch.from_numpy(part) for part in (parts.train, parts.val, parts.test))
    data = Splits((x[train], y[train]), (x[val], y[val]), (x[test], y[test]), mse)
    chosen = recipe.for_rows(len(parts.train))
    criterion: Criterion = nn.functional.cross_entropy if kind == "classifier" else nn.functional.mse_loss
    chosen = _settled(shape, chosen, data, criterion, seeds, seed, budget, folder, stop, quiet)
    members: list[Member] = []
    total = seeds * (chosen.epochs or 0)
    with _reporter(total, quiet) as report:
        for k in range(seeds):
            watch = _watch(report, k * (chosen.epochs or 0), stop)
            place = None if folder is None else folder / f"seed-{seed + k}"
            members.append(
                train_member(shape, chosen, data, seed + k, criterion=criterion, folder=place, on_epoch=watch)
            )
            if not members[-1].is_finished:
                break
    held = _held_out(X, Y, parts.train, parts.test)
    curves = tuple(map(curves_of, members))
    before = sum(member.history[-1]["seconds"] for member in members if member.history)
    seconds = max(
        time.perf_counter() - began, before
    )  # what earlier sessions of a resumed study took counts too
    frame = worthwhile_frame(shape, members, data, criterion)
    return Fit(
        kind,
        shape,
        chosen,
        scale_in,
        scale_out,
        tuple(members),
        curves,
        held,
        len(parts.train),
        seconds,
        frame,
    )


def _settled(
    shape: Shape,
    recipe: Recipe,
    data: Splits,
    criterion: Criterion,
    seeds: int,
    seed: int,
    budget: float | None,
    folder: Path | None,
    stop: Stop | None,
    quiet: bool,
) -> Recipe:
    """The recipe with what trials decide; a study that goes on keeps what was decided when it began."""
    file = None if folder is None else folder / SETTLED
    if file is not None and file.exists():
        return Recipe.model_validate_json(file.read_text(encoding="utf-8"))
    if budget is not None:
        share = budget / (seeds + (COST if recipe.strength is None else 0))
        recipe = recipe.model_copy(
            update={"epochs": affordable_epochs(shape, recipe, data, share, criterion)}
        )
    if shape.groups and recipe.strength is None:
        strength = strongest_start(shape, recipe, data, seed, criterion, stop, quiet=quiet)
        recipe = recipe.model_copy(update={"strength": strength})
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        text = recipe.model_dump_json()
        put_file(file, lambda path: path.write_text(text, encoding="utf-8"))
    return recipe


def _output_scale(kind: Kind, Y: Array, shape: Shape) -> SymmetricScaler:
    if kind == "classifier":
        return SymmetricScaler(np.zeros(Y.shape[1]), np.ones(Y.shape[1]))
    return SymmetricScaler.fit(Y, shape.rep_out, shape.groups)


def _held_out(X: Array, Y: Array, train: NDArray[np.int64], test: NDArray[np.int64]) -> HeldOut:
    """The test rows; where they are too few to tell anything, all rows, and said so."""
    is_separate = len(test) >= SMALLEST_TEST and not np.array_equal(train, test)
    rows = test if is_separate else np.arange(len(X))
    return HeldOut(X[rows[:LARGEST_HELD]], Y[rows[:LARGEST_HELD]], is_separate)


def _reporter(total: int, quiet: bool) -> AbstractContextManager[Reporter]:
    return reporter(total, 0, quiet=quiet)


def _watch(report: Reporter, done: int, stop: Stop | None) -> Callable[[dict[str, Any]], bool]:
    def watch(row: dict[str, Any]) -> bool:
        report({**row, "epoch": done + row["epoch"]})
        return stop is not None and stop()

    return watch


def _tensor(values: Array) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values)).float()
