"""Several trainings, one after the other or in parallel processes, with bitwise equal results.

A training in a process of its own writes a line for every epoch into a file, and stops if a file named ``stop`` exists. Nothing else is
shared, so any process may end at any time.
"""

from __future__ import annotations

import json
import signal
import tempfile
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, wait
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from torch import Tensor

from softsym.discovery.fit.member import Member, Shape, Start, make_network, train_member
from softsym.discovery.fit.recipe import Recipe
from softsym.errors import InputError, SlowTrainingWarning, TrainingError
from softsym.native import announce, is_torch_only, torch_only
from softsym.progress import Reporter
from softsym.training.loop import Criterion
from softsym.training.splits import Splits

Row = dict[str, Any]
Stop = Callable[[], bool]
OnEpoch = Callable[[int, Row], bool]
"""Called with the index of a training and the row of its epoch; returns True to stop all of them."""
PERIOD, IDLE = 0.1, 30
"""Seconds between two reads of what processes have written, and after which an idle process ends."""
STOP = "stop"


@dataclass(frozen=True)
class TrainJob:
    """One training.

    Args:
        recipe: Its hyperparameters, with epochs and batch chosen.
        seed: Seed of weights and batches.
        folder: Where checkpoints go.
        start: Weights and strengths to continue from; a new network by default.
    """

    recipe: Recipe
    seed: int
    folder: Path | None = None
    start: Start | None = None


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Shape, data, loss and device, which all trainings share."""

    shape: Shape
    data: Splits
    criterion: Criterion
    device: str = "cpu"


class Executor(Protocol):
    """Runs trainings on other machines (:class:`softsym.discovery.fit.on_ray.OnRay`)."""

    def run(
        self,
        training_data: TrainingData,
        jobs: Sequence[TrainJob],
        n_jobs: int,
        on_epoch: OnEpoch,
        may_diverge: bool,
    ) -> list[Outcome | None]:
        """The outcome of every job, at most ``n_jobs`` at a time; None if a training diverged and ``may_diverge`` is set."""


def train_all(
    training_data: TrainingData,
    jobs: Sequence[TrainJob],
    *,
    n_jobs: int = 1,
    on_epoch: OnEpoch | None = None,
    may_diverge: bool = False,
    executor: Executor | None = None,
) -> list[Member | None]:
    """Trains several networks.

    Args:
        training_data: Shape, data, loss and device.
        jobs: The trainings.
        n_jobs: Number of parallel processes; with one, trainings run in this process.
        on_epoch: Called after every epoch; if it returns True, all trainings stop and those under way are unfinished.
        may_diverge: Whether a training whose loss is not finite gives None instead of an error.
        executor: Executor of trainings; processes of this machine by default.

    Returns:
        One member for each training that was begun.
    """
    callback = on_epoch or (lambda place, row: False)
    if executor is not None:
        return _members(training_data, jobs, executor.run(training_data, jobs, n_jobs, callback, may_diverge))
    if n_jobs > 1 and len(jobs) > 1:
        return _side_by_side(training_data, jobs, min(n_jobs, len(jobs)), callback, may_diverge)
    members: list[Member | None] = []
    for place, job in enumerate(jobs):
        member = _train(training_data, job, partial(callback, place), may_diverge)
        members.append(member)
        if member is not None and not member.is_finished:
            break
    return members


class ProgressCallback:
    """Shows the progress of several trainings and decides after every epoch whether to stop.

    Args:
        report: Called with the total number of epochs.
        n: Number of trainings.
        stop: Called after every epoch; None for never.
    """

    def __init__(self, report: Reporter, n: int, stop: Stop | None) -> None:
        self.report, self.stop, self.done = report, stop, [0] * n

    def __call__(self, place: int, row: Row) -> bool:
        """Takes the row of one training's epoch; True to stop."""
        self.done[place] = row["epoch"]
        self.report({**row, "epoch": sum(self.done)})
        return self.stop is not None and self.stop()


def processes(n_jobs: int | None) -> int:
    """How many processes a number of jobs means, as scikit-learn counts them: None is one, -1 are all cores.

    Example:
        >>> processes(None), processes(3)
        (1, 3)
    """
    import joblib

    whole = n_jobs is None or (isinstance(n_jobs, int) and not isinstance(n_jobs, bool))
    if not whole or n_jobs == 0:
        raise InputError(
            f"`n_jobs` must be a whole number other than 0, such as 2 or -1 for all cores, got {n_jobs!r}"
        )
    return int(joblib.effective_n_jobs(n_jobs))


def _train(
    training_data: TrainingData, job: TrainJob, on_epoch: Callable[[Row], bool], may_diverge: bool
) -> Member | None:
    last = 0

    def watch(row: Row) -> bool:
        nonlocal last
        last = row["epoch"]
        return on_epoch(row)

    try:
        member = train_member(
            training_data.shape,
            job.recipe,
            training_data.data,
            job.seed,
            start=job.start,
            criterion=training_data.criterion,
            device=training_data.device,
            folder=job.folder,
            on_epoch=watch,
        )
    except TrainingError:
        if may_diverge:
            return None
        raise
    epochs = job.recipe.epochs or 0
    if member.is_finished and last < epochs:  # early stopping, or a finished checkpoint
        on_epoch({**member.history[-1], "epoch": epochs})
    return member


def _side_by_side(
    training_data: TrainingData, jobs: Sequence[TrainJob], n_jobs: int, on_epoch: OnEpoch, may_diverge: bool
) -> list[Member | None]:
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import BrokenProcessPool

    announce()  # here, once, and not in every process
    deaf = (signal.SIGINT, signal.SIG_IGN)
    # The environment of this process, number of threads included, on which results may depend.
    executor = get_reusable_executor(n_jobs, timeout=IDLE, initializer=signal.signal, initargs=deaf)
    with tempfile.TemporaryDirectory(prefix="softsym-", ignore_cleanup_errors=True) as name:
        try:
            with _deaf_to_interrupts():
                futures = [
                    executor.submit(
                        _in_process, training_data, job, Path(name), place, may_diverge, is_torch_only()
                    )
                    for place, job in enumerate(jobs)
                ]
            _follow(Path(name), futures, on_epoch)
            outcomes: list[Outcome | None] = [future.result() for future in futures]
        except BrokenProcessPool as error:
            raise TrainingError(
                "a process that trained was ended from outside, perhaps for want of memory; try fewer jobs"
            ) from error
        except BaseException:  # one of them failed, or the user interrupted
            executor.shutdown(wait=True, kill_workers=True)
            raise
    return _members(training_data, jobs, outcomes)


def _members(
    training_data: TrainingData, jobs: Sequence[TrainJob], outcomes: Sequence[Outcome | None]
) -> list[Member | None]:
    return [
        None if outcome is None else outcome.member(training_data.shape, job)
        for outcome, job in zip(outcomes, jobs, strict=True)
    ]


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Processes that start inside ignore Ctrl-C, which a terminal sends to all: this process decides when they end."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _follow(folder: Path, futures: Sequence[Future[Any]], on_epoch: OnEpoch) -> None:
    """Calls back with the rows that processes write into a folder, until all are done or one has failed."""
    read = [0] * len(futures)
    over = False
    while not over:
        done, pending = wait(futures, PERIOD, FIRST_EXCEPTION)
        over = not pending or any(future.exception() for future in done)
        for place in range(len(futures)):
            for row in _new_rows(folder / str(place), read, place):
                if on_epoch(place, row):
                    (folder / STOP).touch()


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a training in another process: weights without the network, whose caches are large."""

    weights: dict[str, Tensor]
    strengths: dict[str, float]
    history: list[Row]
    is_finished: bool

    def member(self, shape: Shape, job: TrainJob) -> Member:
        """The member."""
        model = make_network(shape, job.recipe, job.seed).double()
        model.load_state_dict(self.weights)
        return Member(job.seed, model.eval(), self.strengths, self.history, self.is_finished)


def _in_process(
    training_data: TrainingData, job: TrainJob, folder: Path, place: int, may_diverge: bool, plain: bool
) -> Outcome | None:
    """Runs one training in a process of its own."""
    with (folder / str(place)).open("a", encoding="utf-8", buffering=1) as lines:

        def report(row: Row) -> bool:
            lines.write(json.dumps(row) + "\n")
            return (folder / STOP).exists()

        return run_job(training_data, job, report, may_diverge, plain)


def run_job(
    training_data: TrainingData, job: TrainJob, report: Callable[[Row], bool], may_diverge: bool, plain: bool
) -> Outcome | None:
    """Runs one training in a worker; ``plain`` switches compiled code off."""
    with torch_only() if plain else nullcontext(), warnings.catch_warnings():
        warnings.simplefilter("ignore", SlowTrainingWarning)
        member = _train(training_data, job, report, may_diverge)
    if member is None:
        return None
    return Outcome(member.model.state_dict(), member.strengths, member.history, member.is_finished)


def _new_rows(file: Path, read: list[int], place: int) -> Iterator[Row]:
    if not file.exists():
        return
    with file.open("rb") as lines:
        lines.seek(read[place])
        for line in lines:
            if not line.endswith(b"\n"):
                return  # incomplete: it is read the next time
            read[place] += len(line)
            yield json.loads(line)
