"""From data to a fitted ensemble: split, standardise, settle what trials decide, train once per seed.

With a folder every member keeps checkpoints there, so a fit that was stopped goes on where it was.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from softsym import native
from softsym.data.scaler import SymmetricScaler
from softsym.data.split import SMALLEST_TEST, split_rows
from softsym.discovery.fit.curves import Curves
from softsym.discovery.fit.fitted import FittedEnsemble, HeldOut, Predictor, Target
from softsym.discovery.fit.member import Member, Shape
from softsym.discovery.fit.parallel import Lesson, Stop, Training, Watch, train_all
from softsym.discovery.fit.recipe import Recipe
from softsym.discovery.fit.scale_frame import worthwhile_frame
from softsym.discovery.fit.trials import budgeted, strongest_start
from softsym.files import put_text
from softsym.progress import reporter
from softsym.tasks.error import mse
from softsym.tasks.task import Splits

Array = NDArray[np.float64]
LARGEST_HELD = 2_000
SETTLED = "recipe.json"


@dataclass(frozen=True, eq=False)
class FitPlan:
    """A fit that is to be done: all that its result depends on.

    Args:
        target: What the outputs are; for classes one column each.
        shape: Representations and candidate groups.
        recipe: How to train.
        X: Inputs (n, inputs).
        Y: Outputs (n, outputs).
        seeds: Number of members.
        seed: Seed of the split and of the first member; the others count on from it.
        fraction: Share of the rows for validation, and again for the test.
        budget: Seconds all members together may take; decides the number of epochs.
        duplicates: Labels that equal rows share, shape (n,), where they are known already.
    """

    target: Target
    shape: Shape
    recipe: Recipe
    X: Array
    Y: Array
    seeds: int
    seed: int
    fraction: float
    budget: float | None = None
    duplicates: NDArray[np.int64] | None = None


@dataclass(frozen=True)
class Session:
    """How a fit is carried out, which changes nothing in its result.

    Args:
        folder: Where checkpoints go.
        n_jobs: How many processes work side by side.
        quiet: Show no progress.
        stop: Asked after every epoch; True ends the fit early with what there is.
    """

    folder: Path | None = None
    n_jobs: int = 1
    quiet: bool = True
    stop: Stop | None = None


def train_ensemble(plan: FitPlan, session: Session) -> FittedEnsemble:
    """Carries out a fit."""
    began = time.perf_counter()
    X, Y = plan.X, plan.Y
    parts = split_rows(X, plan.fraction, plan.seed, duplicates=plan.duplicates)
    scale_in = SymmetricScaler.fit(X[parts.train], plan.shape.rep_in, plan.shape.groups)
    scale_out = _output_scale(plan, Y[parts.train])
    x, y = _tensor(scale_in.transform(X)), _tensor(scale_out.transform(Y))
    train, val, test = (torch.from_numpy(part) for part in (parts.train, parts.val, parts.test))
    data = Splits((x[train], y[train]), (x[val], y[val]), (x[test], y[test]), mse)
    lesson = Lesson(plan.shape, data, plan.target.criterion)
    recipe = _settled(plan, lesson, session)
    members = _members(plan, recipe, lesson, session)
    # What earlier sessions of a resumed fit took counts too.
    before = sum(member.history[-1]["seconds"] for member in members if member.history) / session.n_jobs
    seconds = max(time.perf_counter() - began, before)
    frame = worthwhile_frame(plan.shape, members, data, lesson.criterion)
    return FittedEnsemble(
        shape=plan.shape,
        recipe=recipe,
        predictor=Predictor(plan.target, members, scale_in, scale_out, frame),
        curves=tuple(map(Curves.of, members)),
        held=_held_out(X, Y, parts.train, parts.test),
        n_train=len(parts.train),
        seconds=seconds,
        compiled=_compiled(),
    )


def _settled(plan: FitPlan, lesson: Lesson, session: Session) -> Recipe:
    """The recipe with what rows and trials decide; a fit that goes on keeps what was decided when it began."""
    file = None if session.folder is None else session.folder / SETTLED
    if file is not None and file.exists():
        return Recipe.model_validate_json(file.read_text(encoding="utf-8"))
    recipe = plan.recipe.for_rows(len(lesson.data.train[0]))
    if plan.budget is not None:
        recipe = budgeted(lesson, recipe, plan.budget, plan.seeds, session.n_jobs)
    if plan.shape.groups and recipe.strength is None:
        strength = strongest_start(
            lesson, recipe, plan.seed, n_jobs=session.n_jobs, stop=session.stop, quiet=session.quiet
        )
        recipe = recipe.model_copy(update={"strength": strength})
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        put_text(file, recipe.model_dump_json())
    return recipe


def _members(plan: FitPlan, recipe: Recipe, lesson: Lesson, session: Session) -> tuple[Member, ...]:
    seeds = range(plan.seed, plan.seed + plan.seeds)
    trainings = [
        Training(recipe, seed, None if session.folder is None else session.folder / f"seed-{seed}")
        for seed in seeds
    ]
    with reporter(plan.seeds * (recipe.epochs or 0), 0, quiet=session.quiet) as report:
        watch = Watch(report, plan.seeds, session.stop)
        members = train_all(lesson, trainings, n_jobs=session.n_jobs, on_epoch=watch)
    return tuple(member for member in members if member is not None)


def _output_scale(plan: FitPlan, Y: Array) -> SymmetricScaler:
    if plan.target is Target.CLASSES:
        return SymmetricScaler(np.zeros(Y.shape[1]), np.ones(Y.shape[1]))
    return SymmetricScaler.fit(Y, plan.shape.rep_out, plan.shape.groups)


def _held_out(X: Array, Y: Array, train: NDArray[np.int64], test: NDArray[np.int64]) -> HeldOut:
    """The test rows; where they are too few to tell anything, all rows, and said so."""
    is_separate = len(test) >= SMALLEST_TEST and not np.array_equal(train, test)
    rows = test if is_separate else np.arange(len(X))
    return HeldOut(X[rows[:LARGEST_HELD]], Y[rows[:LARGEST_HELD]], is_separate)


def _compiled() -> str:
    status = native.status()
    return "used" if status.compiled else f"not used: {status.reason}"


def _tensor(values: Array) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values)).float()
