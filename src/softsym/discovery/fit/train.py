"""From data to a fitted ensemble: split, standardise, settle what trials decide, train once per seed. Verdicts come next.

With a folder every member keeps checkpoints there, so a fit that was stopped goes on where it was.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from softsym import native
from softsym.data.scaler import SymmetricScaler
from softsym.data.split import SMALLEST_TEST, Parts, split_rows
from softsym.discovery.fit.fitted import FittedEnsemble, HeldOut, Predictor, Target
from softsym.discovery.fit.member import Member, Shape, Start
from softsym.discovery.fit.parallel import Helpers, Lesson, Stop, Training, Watch, train_all
from softsym.discovery.fit.recipe import Recipe
from softsym.discovery.fit.training_curves import Curves
from softsym.discovery.fit.trials import NOTHING, Tries, budgeted, tried
from softsym.discovery.fit.weighted import Weighted
from softsym.errors import InputError, in_one_line
from softsym.io import dump_with_checksum, load_with_checksum, put_text
from softsym.progress import reporter
from softsym.training.splits import Splits, mse
from softsym.typing import Array, Index

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
        tries: What trials decide.
        budget: Seconds all members together may take; decides the number of epochs.
        duplicates: Labels that equal rows share, shape (n,), where they are known already.
        together: Labels 0, 1, ... of rows that belong together, shape (n,); None if every row stands by itself.
        model: Which rungs of the ladder may be the model: ``auto``, ``linear``, ``gp`` or ``network``.
        device: What networks are trained on.
        weights: How much every row counts (n,), positive and of mean one; None if all count the same.
        earlier: Networks that were trained before, from which to go on; none to begin anew.
    """

    target: Target
    shape: Shape
    recipe: Recipe
    X: Array
    Y: Array
    seeds: int
    seed: int
    fraction: float
    tries: Tries = NOTHING
    budget: float | None = None
    duplicates: Index | None = None
    together: Index | None = None
    model: str = "network"
    device: str = "cpu"
    weights: Array | None = None
    earlier: tuple[Member, ...] = ()
    parts: Parts = field(init=False)

    def __post_init__(self) -> None:
        # At once, so that labels which make no three parts are refused before anything is done.
        parts = split_rows(
            self.X, self.fraction, self.seed, duplicates=self.duplicates, row_groups=self.together
        )
        object.__setattr__(self, "parts", parts)

    def rows(self, *parts: Index) -> tuple[Array, Array]:
        """Inputs and outputs of these parts, one after the other."""
        chosen = _together(parts)
        return self.X[chosen], self.Y[chosen]

    def weights_of(self, *parts: Index) -> Array | None:
        """How much these rows count, of mean one; None if all count the same."""
        if self.weights is None:
            return None
        chosen = self.weights[_together(parts)]
        return np.asarray(chosen / chosen.mean())

    @property
    def member_seeds(self) -> range:
        """The seed of each member."""
        return range(self.seed, self.seed + self.seeds)


@dataclass(frozen=True)
class Session:
    """How a fit is carried out, which changes nothing in its result.

    Args:
        folder: Where checkpoints go.
        n_jobs: How many processes work side by side.
        quiet: Show no progress.
        stop: Asked after every epoch; True ends the fit early with what there is.
        helpers: Who trains networks instead of processes of this machine.
    """

    folder: Path | None = None
    n_jobs: int = 1
    quiet: bool = True
    stop: Stop | None = None
    helpers: Helpers | None = None

    def inside(self, name: str) -> Path | None:
        """A folder for checkpoints within the folder, if there is one."""
        return None if self.folder is None else self.folder / name

    def train(self, lesson: Lesson, trainings: Sequence[Training], what: str = "") -> tuple[Member, ...]:
        """Carries out trainings and shows how they go together; whoever has begun when it is stopped is unfinished."""
        epochs = sum(training.recipe.epochs or 0 for training in trainings)
        with reporter(epochs, 0, quiet=self.quiet, what=what) as report:
            watch = Watch(report, len(trainings), self.stop)
            members = train_all(lesson, trainings, n_jobs=self.n_jobs, on_epoch=watch, helpers=self.helpers)
        return tuple(member for member in members if member is not None)

    def spent(self, members: Sequence[Member]) -> float:
        """Seconds that trainings took, those of earlier sessions of a resumed fit included."""
        return float(sum(member.history[-1]["seconds"] for member in members if member.history)) / self.n_jobs

    def is_done(self, trainings: Sequence[Training], members: Sequence[Member]) -> bool:
        """Whether trainings went to their end."""
        return len(members) == len(trainings) and all(member.is_finished for member in members)


@dataclass(frozen=True, eq=False)
class Prepared:
    """Rows in three parts, and how they are scaled.

    Args:
        parts: Which rows are in which part.
        lesson: Standardised data for training.
        scale_in: Scaling of the inputs.
        scale_out: Scaling of the outputs.
    """

    parts: Parts
    lesson: Lesson
    scale_in: SymmetricScaler
    scale_out: SymmetricScaler

    def predictor(self, target: Target, members: Sequence[Member]) -> Predictor:
        """Members as one function of rows as they are in the data."""
        return Predictor(target, tuple(members), self.scale_in, self.scale_out)


def prepare(plan: FitPlan, shape: Shape | None = None) -> Prepared:
    """Standardises rows in the parts of the plan.

    Args:
        plan: The fit.
        shape: What networks map, if that is not what the plan says: fewer candidates.
    """
    X, Y, parts = plan.X, plan.Y, plan.parts
    scale_in = SymmetricScaler.fit(X[parts.train], plan.shape.rep_in, plan.shape.groups)
    scale_out = _output_scale(plan, Y[parts.train])
    x, y = _tensor(scale_in.transform(X)), _tensor(scale_out.transform(Y))
    train, val, test = (torch.from_numpy(part) for part in (parts.train, parts.val, parts.test))
    criterion = plan.target.criterion
    if plan.weights is not None:
        y, criterion = torch.cat([y, _tensor(plan.weights[:, None])], dim=1), Weighted(criterion)
    data = Splits((x[train], y[train]), (x[val], y[val]), (x[test], y[test]), mse)
    return Prepared(parts, Lesson(shape or plan.shape, data, criterion, plan.device), scale_in, scale_out)


def train_ensemble(plan: FitPlan, prepared: Prepared, session: Session) -> FittedEnsemble:
    """Trains the members."""
    began = time.perf_counter()
    lesson, parts = prepared.lesson, prepared.parts
    recipe = _settled(plan, lesson, session)
    members = _members(plan, recipe, lesson, session)
    seconds = max(time.perf_counter() - began, session.spent(members))
    return FittedEnsemble(
        shape=plan.shape,
        recipe=recipe,
        predictor=prepared.predictor(plan.target, members),
        curves=tuple(map(Curves.of, members)),
        held=held_out(plan, parts.test),
        checked=held_out(plan, parts.val),
        n_train=len(parts.train),
        seconds=seconds,
        compiled=_compiled(),
        seed=plan.seed,
    )


def untrained(plan: FitPlan, prepared: Prepared) -> FittedEnsemble:
    """A fit without networks."""
    parts = prepared.parts
    return FittedEnsemble(
        shape=plan.shape,
        recipe=plan.recipe.for_rows(len(parts.train)),
        predictor=prepared.predictor(plan.target, ()),
        curves=(),
        held=held_out(plan, parts.test),
        checked=held_out(plan, parts.val),
        n_train=len(parts.train),
        seconds=0.0,
        seed=plan.seed,
    )


def _settled(plan: FitPlan, lesson: Lesson, session: Session) -> Recipe:
    """The recipe with what rows and trials decide; a fit that goes on keeps what was decided when it began."""
    file = None if session.folder is None else session.folder / SETTLED
    if file is not None and file.exists():
        return _read_recipe(file)
    recipe = plan.recipe.for_rows(len(lesson.data.train[0]))
    if plan.budget is not None:
        recipe = budgeted(lesson, recipe, plan.budget, plan.seeds, session.n_jobs, plan.tries)
    if plan.tries:
        recipe = tried(
            lesson,
            recipe,
            plan.tries,
            plan.seed,
            n_jobs=session.n_jobs,
            stop=session.stop,
            quiet=session.quiet,
            helpers=session.helpers,
        )
    if file is not None:
        file.parent.mkdir(parents=True, exist_ok=True)
        put_text(file, dump_with_checksum(recipe.model_dump(mode="json")))
    return recipe


def _read_recipe(file: Path) -> Recipe:
    try:
        return Recipe.model_validate(load_with_checksum(file.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        raise InputError(f"{file} is damaged ({in_one_line(error)}); pass --force to start again") from error


def _members(plan: FitPlan, recipe: Recipe, lesson: Lesson, session: Session) -> tuple[Member, ...]:
    starts = {member.seed: Start(member.model.state_dict(), member.strengths) for member in plan.earlier}
    trainings = [
        Training(recipe, seed, session.inside(f"seed-{seed}"), starts.get(seed)) for seed in plan.member_seeds
    ]
    return session.train(lesson, trainings)


def _output_scale(plan: FitPlan, Y: Array) -> SymmetricScaler:
    if plan.target is Target.CLASSES:
        return SymmetricScaler(np.zeros(Y.shape[1]), np.ones(Y.shape[1]))
    return SymmetricScaler.fit(Y, plan.shape.rep_out, plan.shape.groups)


def held_out(plan: FitPlan, test: Index) -> HeldOut:
    """Rows of one part; where they are too few to tell anything, all rows, and said so."""
    is_separate = len(test) >= SMALLEST_TEST and not np.array_equal(plan.parts.train, test)
    rows = (test if is_separate else np.arange(len(plan.X)))[:LARGEST_HELD]
    together = None if plan.together is None else plan.together[rows]
    return HeldOut(plan.X[rows], plan.Y[rows], is_separate, together, plan.weights_of(rows))


def _together(parts: Sequence[Index]) -> Index:
    """The rows of several parts, those that are the same part once."""
    return np.concatenate(
        [part for k, part in enumerate(parts) if not any(part is other for other in parts[:k])]
    )


def _compiled() -> str:
    status = native.status()
    return "used" if status.compiled else f"not used: {status.reason}"


def _tensor(values: Array) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values)).float()
