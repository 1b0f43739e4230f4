"""One display for a whole grid of runs: a bar in a terminal, a line for every finished run elsewhere, nothing when quiet."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from softsym.progress import is_live, say
from softsym_lab.experiments.engines.engine import Job, RunOutcome
from softsym_lab.experiments.engines.estimate import Estimate, duration, pace

PERIOD = 2.0
"""Seconds between updates."""


class Display(Protocol):
    """Shows what happens."""

    def tick(self) -> None:
        """Called a few times a second."""

    def ended(self, job: Job, outcome: RunOutcome) -> None:
        """A run has ended."""


class _Silent:
    def tick(self) -> None:
        pass

    def ended(self, job: Job, outcome: RunOutcome) -> None:
        pass


class _Grid:
    """What is left of a grid, and how long that will take."""

    def __init__(self, jobs: list[Job], total: int, estimate: Estimate, workers: int) -> None:
        self.waiting, self.total, self.estimate, self.workers = list(jobs), total, estimate, workers

    def ended(self, job: Job, outcome: RunOutcome) -> str:
        """Crosses a job off and describes it."""
        self.waiting.remove(job)
        done = f"[{self.total - len(self.waiting)}/{self.total}]"
        return f"{done} {describe(job)}: {_said(outcome)}; {self.remaining()}"

    def remaining(self) -> str:
        """The time that is left."""
        if not self.waiting:
            return "all done"
        return f"about {duration(self.estimate.total(self.waiting, self.workers))} left"


class _Lines:
    def __init__(self, grid: _Grid) -> None:
        self.grid = grid
        say(f"{len(grid.waiting)} of {grid.total} runs to do, {grid.remaining()}")

    def tick(self) -> None:
        pass

    def ended(self, job: Job, outcome: RunOutcome) -> None:
        say(self.grid.ended(job, outcome))


@contextmanager
def display(jobs: list[Job], total: int, estimate: Estimate, workers: int, *, quiet: bool) -> Iterator[Display]:
    """A bar, lines or nothing, as the situation asks for.

    Args:
        jobs: Runs to do.
        total: How many there are with those that are done.
        estimate: Of their times.
        workers: How many run at a time.
        quiet: Show nothing.
    """
    if quiet or not jobs:
        yield _Silent()
    elif is_live():
        with _bar(_Grid(jobs, total, estimate, workers)) as bar:
            yield bar
    else:
        yield _Lines(_Grid(jobs, total, estimate, workers))


@contextmanager
def _bar(grid: _Grid) -> Iterator[Display]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=Console(stderr=True)) as progress:
        task = progress.add_task(grid.remaining(), total=grid.total, completed=grid.total - len(grid.waiting))

        class Bar:
            updated = 0.0

            def tick(self) -> None:
                if time.monotonic() - self.updated > PERIOD:
                    self.updated = time.monotonic()
                    started = [(job, found) for job in grid.waiting[: 4 * grid.workers] if (found := pace(job.folder))]
                    now = ", ".join(f"{describe(job)} epoch {found.epoch}" for job, found in started[:2])
                    progress.update(task, description=f"{grid.remaining()}  {now}")

            def ended(self, job: Job, outcome: RunOutcome) -> None:
                progress.console.print(grid.ended(job, outcome), highlight=False, markup=False)
                progress.update(task, completed=grid.total - len(grid.waiting), description=grid.remaining())

        yield Bar()


def describe(job: Job) -> str:
    """A run in few words."""
    spec = job.spec
    group = f" {spec.group}" if spec.group else ""
    full = "" if spec.early_stopping else " full"
    return f"{spec.task} {spec.model}{group}{full} seed {spec.seed}"


def _said(outcome: RunOutcome) -> str:
    if outcome.record is not None:
        result = outcome.record.result
        return f"{result.metric} {result.test_error:.4g} after {result.epochs} epochs, {duration(result.seconds)}"
    return "another process is running it" if outcome.status == "busy" else f"failed, {outcome.error}"
