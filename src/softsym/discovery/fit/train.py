"""From data to a trained ensemble: split, standardise, search hyperparameters, train once per seed.

With a folder every member writes checkpoints there, from which a stopped fit continues.
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
from softsym.discovery.fit.parallel import Executor, ProgressCallback, Stop, TrainingData, TrainJob, train_all
from softsym.discovery.fit.recipe import Recipe
from softsym.discovery.fit.training_curves import Curves
from softsym.discovery.fit.trials import NO_SEARCH, SearchSpace, search_hyperparameters, set_epochs_by_budget
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
    """All that the result of a fit depends on.

    Args:
        target: What the outputs are; for classes one column each.
        shape: Representations and candidate groups.
        recipe: Hyperparameters of the networks.
        X: Inputs (n, inputs).
        Y: Outputs (n, outputs).
        seeds: Number of members.
        seed: Seed of the split and of the first member; the others follow.
        fraction: Share of the rows for validation, and again for the test.
        search_space: Hyperparameters that short trials decide.
        budget: Seconds all members together may take; decides the number of epochs.
        duplicates: Labels that equal rows share, shape (n,), where they are known already.
        row_groups: Row groups 0, 1, ..., shape (n,); None if rows are independent.
        model: Which models may be selected: ``auto``, ``linear``, ``gp`` or ``network``.
        device: Device of the networks.
        weights: Sample weights (n,), positive and of mean one; None if all are equal.
        earlier: Networks of the last fit, from which training continues; none for a new start.
    """

    target: Target
    shape: Shape
    recipe: Recipe
    X: Array
    Y: Array
    seeds: int
    seed: int
    fraction: float
    search_space: SearchSpace = NO_SEARCH
    budget: float | None = None
    duplicates: Index | None = None
    row_groups: Index | None = None
    model: str = "network"
    device: str = "cpu"
    weights: Array | None = None
    earlier: tuple[Member, ...] = ()
    parts: Parts = field(init=False)

    def __post_init__(self) -> None:
        # Here, so that row groups which cannot be split into three parts are refused before anything is fitted.
        parts = split_rows(
            self.X, self.fraction, self.seed, duplicates=self.duplicates, row_groups=self.row_groups
        )
        object.__setattr__(self, "parts", parts)

    def rows(self, *parts: Index) -> tuple[Array, Array]:
        """Inputs and outputs of these parts, one after the other."""
        chosen = _concatenate_parts(parts)
        return self.X[chosen], self.Y[chosen]

    def weights_of(self, *parts: Index) -> Array | None:
        """Sample weights of these rows, of mean one; None if all are equal."""
        if self.weights is None:
            return None
        chosen = self.weights[_concatenate_parts(parts)]
        return np.asarray(chosen / chosen.mean())

    @property
    def member_seeds(self) -> range:
        """The seed of each member."""
        return range(self.seed, self.seed + self.seeds)


@dataclass(frozen=True)
class Session:
    """How a fit runs; nothing here changes its result.

    Args:
        folder: Where checkpoints go.
        n_jobs: Number of parallel processes.
        quiet: Show no progress.
        stop: Called after every epoch; True ends the fit early.
        executor: Executor of trainings; processes of this machine by default.
    """

    folder: Path | None = None
    n_jobs: int = 1
    quiet: bool = True
    stop: Stop | None = None
    executor: Executor | None = None

    def subfolder(self, name: str) -> Path | None:
        """A folder for checkpoints within the folder, if there is one."""
        return None if self.folder is None else self.folder / name

    def train(
        self, training_data: TrainingData, jobs: Sequence[TrainJob], what: str = ""
    ) -> tuple[Member, ...]:
        """Runs trainings and shows their progress; those under way when it is stopped are unfinished."""
        epochs = sum(job.recipe.epochs or 0 for job in jobs)
        with reporter(epochs, 0, quiet=self.quiet, what=what) as report:
            watch = ProgressCallback(report, len(jobs), self.stop)
            members = train_all(
                training_data, jobs, n_jobs=self.n_jobs, on_epoch=watch, executor=self.executor
            )
        return tuple(member for member in members if member is not None)

    def spent(self, members: Sequence[Member]) -> float:
        """Seconds that trainings took, those of earlier sessions of a resumed fit included."""
        return float(sum(member.history[-1]["seconds"] for member in members if member.history)) / self.n_jobs

    def is_done(self, jobs: Sequence[TrainJob], members: Sequence[Member]) -> bool:
        """Whether all trainings finished."""
        return len(members) == len(jobs) and all(member.is_finished for member in members)


@dataclass(frozen=True, eq=False)
class Prepared:
    """Rows in three parts, and how they are scaled.

    Args:
        parts: Which rows are in which part.
        training_data: Standardised data, shape, loss and device.
        scale_in: Scaling of the inputs.
        scale_out: Scaling of the outputs.
    """

    parts: Parts
    training_data: TrainingData
    scale_in: SymmetricScaler
    scale_out: SymmetricScaler

    def predictor(self, target: Target, members: Sequence[Member]) -> Predictor:
        """Members as one function of rows in the units of the data."""
        return Predictor(target, tuple(members), self.scale_in, self.scale_out)


def prepare(plan: FitPlan, shape: Shape | None = None) -> Prepared:
    """Standardises rows in the parts of the plan.

    Args:
        plan: The fit.
        shape: Shape of the networks, if it has fewer candidates than that of the plan.
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
    return Prepared(
        parts, TrainingData(shape or plan.shape, data, criterion, plan.device), scale_in, scale_out
    )


def train_ensemble(plan: FitPlan, prepared: Prepared, session: Session) -> FittedEnsemble:
    """Trains the members."""
    began = time.perf_counter()
    training_data, parts = prepared.training_data, prepared.parts
    recipe = _settle_recipe(plan, training_data, session)
    members = _members(plan, recipe, training_data, session)
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
        compiled=_describe_compiled(),
        seed=plan.seed,
    )


def fit_without_networks(plan: FitPlan, prepared: Prepared) -> FittedEnsemble:
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


def _settle_recipe(plan: FitPlan, training_data: TrainingData, session: Session) -> Recipe:
    """The recipe with epochs, batch and the outcome of trials; a resumed fit reads what was decided at its start."""
    file = None if session.folder is None else session.folder / SETTLED
    if file is not None and file.exists():
        return _read_recipe(file)
    recipe = plan.recipe.for_rows(len(training_data.data.train[0]))
    if plan.budget is not None:
        recipe = set_epochs_by_budget(
            training_data, recipe, plan.budget, plan.seeds, session.n_jobs, plan.search_space
        )
    if plan.search_space:
        recipe = search_hyperparameters(
            training_data,
            recipe,
            plan.search_space,
            plan.seed,
            n_jobs=session.n_jobs,
            stop=session.stop,
            quiet=session.quiet,
            executor=session.executor,
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


def _members(
    plan: FitPlan, recipe: Recipe, training_data: TrainingData, session: Session
) -> tuple[Member, ...]:
    starts = {member.seed: Start(member.model.state_dict(), member.strengths) for member in plan.earlier}
    jobs = [
        TrainJob(recipe, seed, session.subfolder(f"seed-{seed}"), starts.get(seed))
        for seed in plan.member_seeds
    ]
    return session.train(training_data, jobs)


def _output_scale(plan: FitPlan, Y: Array) -> SymmetricScaler:
    if plan.target is Target.CLASSES:
        return SymmetricScaler(np.zeros(Y.shape[1]), np.ones(Y.shape[1]))
    return SymmetricScaler.fit(Y, plan.shape.rep_out, plan.shape.groups)


def held_out(plan: FitPlan, test: Index) -> HeldOut:
    """Rows of one part; all rows, marked as not separate, where the part is too small."""
    is_separate = len(test) >= SMALLEST_TEST and not np.array_equal(plan.parts.train, test)
    rows = (test if is_separate else np.arange(len(plan.X)))[:LARGEST_HELD]
    row_groups = None if plan.row_groups is None else plan.row_groups[rows]
    return HeldOut(plan.X[rows], plan.Y[rows], is_separate, row_groups, plan.weights_of(rows))


def _concatenate_parts(parts: Sequence[Index]) -> Index:
    """The rows of several different parts."""
    return np.concatenate(
        [part for k, part in enumerate(parts) if not any(part is other for other in parts[:k])]
    )


def _describe_compiled() -> str:
    status = native.status()
    return "used" if status.compiled else f"not used: {status.reason}"


def _tensor(values: Array) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values)).float()
