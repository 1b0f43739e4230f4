"""Several trainings, one after the other or side by side in processes: the same networks to the bit.

A training in a process of its own writes a line for every epoch into a file, and looks whether a file says stop: nothing else is
shared, so any process may end at any time. Checkpoints go where they would go anyway.
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
"""Is told which training and the row of its epoch; returns True to stop all of them."""
PERIOD, IDLE = 0.1, 30
"""Seconds between two looks at what processes have written, and after which one that has nothing to do goes."""
STOP = "stop"


@dataclass(frozen=True)
class Training:
    """One training that is to be done.

    Args:
        recipe: How, with epochs and batch chosen.
        seed: Seed of weights and batches.
        folder: Where checkpoints go.
        start: What to go on from; a new network by default.
    """

    recipe: Recipe
    seed: int
    folder: Path | None = None
    start: Start | None = None


@dataclass(frozen=True, eq=False)
class Lesson:
    """What all trainings share: what is mapped, from which data, by which loss, on which device."""

    shape: Shape
    data: Splits
    criterion: Criterion
    device: str = "cpu"


class Helpers(Protocol):
    """Who trains elsewhere: other machines (:class:`softsym.discovery.fit.on_ray.OnRay`)."""

    def outcomes(
        self, lesson: Lesson, trainings: Sequence[Training], n_jobs: int, on_epoch: OnEpoch, may_diverge: bool
    ) -> list[Outcome | None]:
        """What came of every training, at most so many of them at a time; None if it diverged and may."""


def train_all(
    lesson: Lesson,
    trainings: Sequence[Training],
    *,
    n_jobs: int = 1,
    on_epoch: OnEpoch | None = None,
    may_diverge: bool = False,
    helpers: Helpers | None = None,
) -> list[Member | None]:
    """Trains several networks.

    Args:
        lesson: What all share.
        trainings: What is to be done.
        n_jobs: How many processes work side by side; with one it is this one.
        on_epoch: Called after every epoch; after True no more are run, and who has begun is unfinished.
        may_diverge: Whether a training whose loss is no number any more gives None, instead of ending all.
        helpers: Who trains instead of processes of this machine.

    Returns:
        One member for each training that was begun.
    """
    told = on_epoch or (lambda place, row: False)
    if helpers is not None:
        return _members(lesson, trainings, helpers.outcomes(lesson, trainings, n_jobs, told, may_diverge))
    if n_jobs > 1 and len(trainings) > 1:
        return _side_by_side(lesson, trainings, min(n_jobs, len(trainings)), told, may_diverge)
    members: list[Member | None] = []
    for place, training in enumerate(trainings):
        member = _train(lesson, training, partial(told, place), may_diverge)
        members.append(member)
        if member is not None and not member.is_finished:
            break
    return members


class Watch:
    """Shows how several trainings go together, and asks after every epoch whether to stop.

    Args:
        report: Is told the epochs of all together.
        n: Number of trainings.
        stop: Asked; None for never.
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
    lesson: Lesson, training: Training, on_epoch: Callable[[Row], bool], may_diverge: bool
) -> Member | None:
    last = 0

    def watch(row: Row) -> bool:
        nonlocal last
        last = row["epoch"]
        return on_epoch(row)

    try:
        member = train_member(
            lesson.shape,
            training.recipe,
            lesson.data,
            training.seed,
            start=training.start,
            criterion=lesson.criterion,
            device=lesson.device,
            folder=training.folder,
            on_epoch=watch,
        )
    except TrainingError:
        if may_diverge:
            return None
        raise
    epochs = training.recipe.epochs or 0
    if member.is_finished and last < epochs:  # it was over early, or had been done before
        on_epoch({**member.history[-1], "epoch": epochs})
    return member


def _side_by_side(
    lesson: Lesson, trainings: Sequence[Training], n_jobs: int, on_epoch: OnEpoch, may_diverge: bool
) -> list[Member | None]:
    from joblib.externals.loky import get_reusable_executor
    from joblib.externals.loky.process_executor import BrokenProcessPool

    announce()  # here, once, and not in every process
    deaf = (signal.SIGINT, signal.SIG_IGN)
    # The same environment as here, number of threads included: whatever else depends on it is the same, too.
    executor = get_reusable_executor(n_jobs, timeout=IDLE, initializer=signal.signal, initargs=deaf)
    with tempfile.TemporaryDirectory(prefix="softsym-", ignore_cleanup_errors=True) as name:
        try:
            with _deaf_to_interrupts():
                futures = [
                    executor.submit(
                        _in_process, lesson, training, Path(name), place, may_diverge, is_torch_only()
                    )
                    for place, training in enumerate(trainings)
                ]
            _follow(Path(name), futures, on_epoch)
            outcomes: list[Outcome | None] = [future.result() for future in futures]
        except BrokenProcessPool as error:
            raise TrainingError(
                "a process that trained was ended from outside, perhaps for want of memory; try fewer jobs"
            ) from error
        except BaseException:  # one of them failed, or somebody is out of patience
            executor.shutdown(wait=True, kill_workers=True)
            raise
    return _members(lesson, trainings, outcomes)


def _members(
    lesson: Lesson, trainings: Sequence[Training], outcomes: Sequence[Outcome | None]
) -> list[Member | None]:
    return [
        None if outcome is None else outcome.member(lesson.shape, training)
        for outcome, training in zip(outcomes, trainings, strict=True)
    ]


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Processes that start inside never hear Ctrl-C, which a terminal sends to all: who asked for them decides."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _follow(folder: Path, futures: Sequence[Future[Any]], on_epoch: OnEpoch) -> None:
    """Passes on what processes write into a folder until all are done, or one has failed."""
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
    """What a process sends back of a member: the weights, not the network with all it keeps to be quick."""

    weights: dict[str, Tensor]
    strengths: dict[str, float]
    history: list[Row]
    is_finished: bool

    def member(self, shape: Shape, training: Training) -> Member:
        """The member."""
        model = make_network(shape, training.recipe, training.seed).double()
        model.load_state_dict(self.weights)
        return Member(training.seed, model.eval(), self.strengths, self.history, self.is_finished)


def _in_process(
    lesson: Lesson, training: Training, folder: Path, place: int, may_diverge: bool, plain: bool
) -> Outcome | None:
    """One training in a process of its own."""
    with (folder / str(place)).open("a", encoding="utf-8", buffering=1) as lines:

        def tell(row: Row) -> bool:
            lines.write(json.dumps(row) + "\n")
            return (folder / STOP).exists()

        return outcome_of(lesson, training, tell, may_diverge, plain)


def outcome_of(
    lesson: Lesson, training: Training, tell: Callable[[Row], bool], may_diverge: bool, plain: bool
) -> Outcome | None:
    """One training, for another process; a plain one does without compiled code."""
    with torch_only() if plain else nullcontext(), warnings.catch_warnings():
        warnings.simplefilter("ignore", SlowTrainingWarning)
        member = _train(lesson, training, tell, may_diverge)
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
                return  # the rest comes with the next look
            read[place] += len(line)
            yield json.loads(line)
