"""Trainings of networks, one after the other or in parallel processes, with bitwise equal results.

A training in a process of its own writes a line for every epoch into a file, and stops if a file named ``stop`` exists. Nothing else is
shared, so any process may end at any time.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, wait
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from softsym.errors import SlowTrainingWarning, TrainingError
from softsym.native import announce, is_torch_only, torch_only
from softsym.progress import reporter

if TYPE_CHECKING:
    from torch import Tensor

    from softsym.discovery.config import Hyperparameters
    from softsym.discovery.fit_data import Shape
    from softsym.discovery.models import Member
    from softsym.training import Criterion, Splits

Row = dict[str, Any]
Stop = Callable[[], bool]
OnEpoch = Callable[[int, Row], bool]
"""Called with the index of a training and the row of its epoch; returns True to stop all of them."""
PERIOD, IDLE = 0.1, 30  # seconds between two reads of what processes have written, and after which an idle process ends
STOP = "stop"


@dataclass(frozen=True, eq=False)
class Start:
    """The state that a training continues from."""

    weights: dict[str, Tensor]  # the network's
    strengths: dict[str, float]  # of the penalties, from then on


@dataclass(frozen=True)
class TrainJob:
    """One training."""

    hyperparameters: Hyperparameters  # with epochs and batch chosen
    seed: int  # seed of weights and batches
    folder: Path | None = None  # where checkpoints go
    start: Start | None = None  # weights and strengths to continue from; a new network by default
    may_diverge: bool = False  # whether there is no result if it diverges, instead of an error


@dataclass(frozen=True, eq=False)
class TrainingData:
    """Shape, standardised data, loss and device, which all trainings share."""

    shape: Shape
    data: Splits
    criterion: Criterion
    device: str = "cpu"


@dataclass(frozen=True)
class Weighted:
    """A loss with sample weights, which are the last column of the outputs: the mean over rows of weight times loss."""

    inner: Criterion  # the loss, which averages over its rows

    def __call__(self, prediction: Tensor, y: Tensor) -> Tensor:
        """The loss of predictions (n, outputs) and outputs with weights (n, outputs + 1), a scalar."""
        from torch.nn.functional import cross_entropy

        true, weights = y[:, :-1], y[:, -1]
        is_classes = self.inner is cross_entropy
        each = cross_entropy(prediction, true, reduction="none") if is_classes else (prediction - true).square().mean(1)
        return (weights * each).mean()


def train_member(
    training_data: TrainingData, job: TrainJob, on_epoch: Callable[[Row], bool | None] = lambda row: False
) -> Member:
    """Trains one network; with a folder it continues from the newest checkpoint there."""
    import torch
    from torch.nn.functional import cross_entropy

    from softsym.discovery.models import Member, make_network, make_regularizer
    from softsym.metrics import Violations
    from softsym.nn import ScaleCanonical
    from softsym.training import fit

    shape, data, criterion = training_data.shape, training_data.data, training_data.criterion
    hyperparameters = job.hyperparameters
    if job.folder is not None:
        job.folder.mkdir(parents=True, exist_ok=True)
    stopped, last = False, 0

    def watch(row: Row) -> bool:
        nonlocal stopped, last
        stopped, last = bool(on_epoch(row)), row["epoch"]
        return stopped

    with one_thread():
        model = make_network(shape, hyperparameters, job.seed)
        if isinstance(model, ScaleCanonical):
            model.fit_size_(data.train[0])
        if job.start is not None:
            model.load_state_dict(job.start.weights)
        strength = hyperparameters.strength or 0.0 if job.start is None else job.start.strengths
        regularizer = make_regularizer(model, shape, strength, dimensionless=hyperparameters.form == "loss")
        is_classes = (criterion.inner if isinstance(criterion, Weighted) else criterion) is cross_entropy
        outputs = shape.sizes[1]
        train, val = ((x, y[:, :outputs]) for x, y in (data.train, data.val))
        link = [partial(torch.softmax, dim=-1)] if is_classes else []
        settings = hyperparameters.settings(job.seed, has_groups=bool(shape.groups))
        fitted = fit(
            model,
            data,
            settings.model_copy(update={"accelerator": training_data.device}),
            regularizer=regularizer,
            controller=hyperparameters.controller() if regularizer is not None else None,
            criterion=criterion,
            violations=Violations(shape.rep_in, shape.rep_out, shape.groups, train, val, *link),
            folder=job.folder,
            resume=job.folder is not None,
            on_epoch=watch,
        )
    epochs = hyperparameters.epochs or 0
    if not stopped and last < epochs:  # early stopping, or a finished checkpoint
        on_epoch({**fitted.history[-1], "epoch": epochs})
    model = fitted.model.double().eval()  # so that the prediction of a row does not depend on its batch
    return Member(job.seed, model, fitted.strengths, fitted.history, is_finished=not stopped)


@contextmanager
def one_thread() -> Iterator[None]:
    """Runs torch with one thread: last bits depend on their number, and at the usual widths a second one brings nothing."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


class Executor(Protocol):
    """Runs trainings on other machines (:class:`softsym.discovery.on_ray.OnRay`)."""

    def run(
        self, training_data: TrainingData, jobs: Sequence[TrainJob], n_jobs: int, on_epoch: OnEpoch
    ) -> list[Outcome | None]:
        """The outcome of every job, at most ``n_jobs`` at a time; None if a training diverged that may."""


@dataclass(frozen=True)
class Session:
    """How a fit runs; nothing here changes its result."""

    folder: Path | None = None  # where checkpoints go
    n_jobs: int = 1  # number of parallel processes
    quiet: bool = True  # show no progress
    stop: Stop | None = None  # called after every epoch; True ends the fit
    executor: Executor | None = None  # executor of trainings; processes of this machine by default

    def subfolder(self, name: str) -> Path | None:
        """A folder for checkpoints within the folder, if there is one."""
        return None if self.folder is None else self.folder / name

    def train(self, training_data: TrainingData, jobs: Sequence[TrainJob], what: str = "") -> list[Member | None]:
        """Runs trainings and shows their progress; None for those that diverged, KeyboardInterrupt if it was stopped."""
        done = [0] * len(jobs)

        def on_epoch(place: int, row: Row) -> bool:
            done[place] = row["epoch"]
            report({**row, "epoch": sum(done)})
            return self.stop is not None and self.stop()

        epochs = sum(job.hyperparameters.epochs or 0 for job in jobs)
        with reporter(epochs, 0, quiet=self.quiet, what=what) as report:
            members = train_all(training_data, jobs, n_jobs=self.n_jobs, on_epoch=on_epoch, executor=self.executor)
        if len(members) < len(jobs) or any(one is not None and not one.is_finished for one in members):
            raise KeyboardInterrupt
        return members

    def train_members(
        self, training_data: TrainingData, jobs: Sequence[TrainJob], what: str = ""
    ) -> tuple[Member, ...]:
        """Runs trainings that must not diverge."""
        return tuple(member for member in self.train(training_data, jobs, what) if member is not None)


def train_all(
    training_data: TrainingData,
    jobs: Sequence[TrainJob],
    *,
    n_jobs: int = 1,
    on_epoch: OnEpoch = lambda place, row: False,
    executor: Executor | None = None,
) -> list[Member | None]:
    """Trains several networks."""
    if executor is None and (n_jobs <= 1 or len(jobs) <= 1):
        members: list[Member | None] = []
        for place, job in enumerate(jobs):
            member = _train(training_data, job, partial(on_epoch, place))
            members.append(member)
            if member is not None and not member.is_finished:
                break
        return members
    run = _train_in_processes if executor is None else executor.run
    outcomes = zip(run(training_data, jobs, n_jobs, on_epoch), jobs, strict=True)
    return [None if outcome is None else outcome.member(training_data.shape, job) for outcome, job in outcomes]


def _train(training_data: TrainingData, job: TrainJob, on_epoch: Callable[[Row], bool]) -> Member | None:
    """A trained network, or None if it diverged and may do so."""
    try:
        return train_member(training_data, job, on_epoch)
    except TrainingError:
        if job.may_diverge:
            return None
        raise


def _train_in_processes(
    training_data: TrainingData, jobs: Sequence[TrainJob], n_jobs: int, on_epoch: OnEpoch
) -> list[Outcome | None]:
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import BrokenProcessPool

    announce()  # here, once, and not in every process
    # The environment of this process, number of threads included, on which results may depend.
    executor = get_reusable_executor(min(n_jobs, len(jobs)), timeout=IDLE, initializer=_obey, initargs=(os.getpid(),))
    with tempfile.TemporaryDirectory(prefix="softsym-", ignore_cleanup_errors=True) as name:
        try:
            futures = [
                executor.submit(_run_in_process, training_data, job, Path(name) / str(place), is_torch_only())
                for place, job in enumerate(jobs)
            ]
            _follow(Path(name), futures, on_epoch)
            return [future.result() for future in futures]
        except BrokenProcessPool as error:
            raise TrainingError(
                "a process that trained was ended from outside, perhaps for want of memory; try fewer jobs"
            ) from error
        except BaseException:  # one of them failed, or the user interrupted
            executor.shutdown(wait=True, kill_workers=True)
            raise


def _obey(parent: int) -> None:
    """Leaves it to the process that started this one when this one ends: not with Ctrl-C, which a terminal sends to all, but with it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def follow() -> None:
        while os.getppid() == parent:
            time.sleep(0.5)
        os._exit(1)

    threading.Thread(target=follow, daemon=True).start()


def end_processes() -> None:
    """Ends all processes that train, if there are any, and gives back what they shared, which Python does not do where it ends at once."""
    if "joblib.externals.loky" in sys.modules:
        import multiprocessing.util

        from joblib.externals.loky import reusable_executor

        executor = reusable_executor._executor
        with contextlib.suppress(Exception):
            if executor is not None:
                executor.shutdown(wait=False, kill_workers=True)
        for child in multiprocessing.active_children():  # those that have just been started, too
            child.terminate()
        with contextlib.suppress(Exception):
            multiprocessing.util._run_finalizers(0)  # type: ignore[attr-defined]  # or a line for every semaphore is printed


def _follow(folder: Path, futures: Sequence[Future[Any]], on_epoch: OnEpoch) -> None:
    """Calls back with the rows that processes write into a folder, until all are done or one has failed."""
    with contextlib.ExitStack() as files:
        readers = [files.enter_context((folder / str(place)).open("a+b")) for place in range(len(futures))]
        for reader in readers:
            reader.seek(0)
        over = False
        while not over:
            done, pending = wait(futures, PERIOD, FIRST_EXCEPTION)
            over = not pending or any(future.exception() for future in done)
            for place, reader in enumerate(readers):
                while (line := reader.readline()).endswith(b"\n"):
                    if on_epoch(place, json.loads(line)):
                        (folder / STOP).touch()
                reader.seek(-len(line), os.SEEK_CUR)  # of an incomplete line, which is read again


@dataclass(frozen=True, eq=False)
class Outcome:
    """The result of a training in another process: weights without the network, whose caches are large."""

    weights: dict[str, Tensor]
    strengths: dict[str, float]
    history: list[Row]
    is_finished: bool

    def member(self, shape: Shape, job: TrainJob) -> Member:
        """The member."""
        from softsym.discovery.models import Member, make_network

        model = make_network(shape, job.hyperparameters, job.seed).double()
        model.load_state_dict(self.weights)
        return Member(job.seed, model.eval(), self.strengths, self.history, self.is_finished)


def _run_in_process(training_data: TrainingData, job: TrainJob, file: Path, plain: bool) -> Outcome | None:
    """Runs one training in a process of its own."""
    with file.open("a", encoding="utf-8", buffering=1) as lines:

        def report(row: Row) -> bool:
            lines.write(json.dumps(row) + "\n")
            return file.with_name(STOP).exists()

        return run_job(training_data, job, report, plain)


def run_job(training_data: TrainingData, job: TrainJob, report: Callable[[Row], bool], plain: bool) -> Outcome | None:
    """Runs one training in a worker; ``plain`` switches compiled code off."""
    with torch_only() if plain else nullcontext(), warnings.catch_warnings():
        warnings.simplefilter("ignore", SlowTrainingWarning)
        member = _train(training_data, job, report)
    if member is None:
        return None
    return Outcome(member.model.state_dict(), member.strengths, member.history, member.is_finished)
