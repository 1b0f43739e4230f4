"""Trainings on the machines of a Ray cluster: the same networks to the bit.

Results come back through Ray, and nothing else connects the machines. A training whose process or machine dies is continued
elsewhere, from its checkpoint where the machines share the file system that it is on, otherwise from its beginning.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from softsym.cluster import RETRIES, connect
from softsym.discovery.parallel import OnEpoch, Outcome, Row, TrainingData, TrainJob, run_job
from softsym.errors import InputError, TrainingError
from softsym.native import announce, is_torch_only

PERIOD = 0.2  # seconds between two reads of the progress of trainings, and between two rows that a training sends


class Board:
    """An actor on the node of the caller that collects the progress of every training."""

    def __init__(self) -> None:
        self.rows: dict[int, Row] = {}
        self.is_over = False

    def report(self, place: int, row: Row) -> bool:
        """Takes the newest row of a training; returns True if it has to stop."""
        self.rows[place] = row
        return self.is_over

    def read(self) -> dict[int, Row]:
        """The newest rows since the last call."""
        rows, self.rows = self.rows, {}
        return rows

    def end(self) -> None:
        """Makes every training stop at its next report."""
        self.is_over = True


class OnRay:
    """Trains on a cluster that is connected already (:func:`on_cluster`)."""

    def __init__(self, ray: Any, workers: int | None = None) -> None:
        self._ray, self._workers = ray, workers

    @property
    def cores(self) -> int:
        """How many the cluster has, at this moment."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def run(
        self, training_data: TrainingData, jobs: Sequence[TrainJob], n_jobs: int, on_epoch: OnEpoch
    ) -> list[Outcome | None]:
        """See :class:`~softsym.discovery.parallel.Executor`; ``n_jobs`` is ignored, as the cluster has its own number of workers."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        ray = self._ray
        announce()
        # The board is on the node of the caller, without which the fit ends anyway.
        here = NodeAffinitySchedulingStrategy(ray.get_runtime_context().get_node_id(), soft=False)
        board = ray.remote(num_cpus=0, scheduling_strategy=here)(Board).remote()
        work = ray.remote(num_cpus=1, max_retries=RETRIES)(_work)
        shared = ray.put(training_data)
        # A relative folder would depend on the working directory of a worker.
        waiting = [(place, replace(job, folder=job.folder and job.folder.resolve())) for place, job in enumerate(jobs)]
        pending: dict[Any, int] = {}
        done: dict[int, Outcome | None] = {}
        try:
            while waiting or pending:
                while waiting and len(pending) < (self._workers or self.cores):
                    place, job = waiting.pop(0)
                    reference = work.remote(shared, job, place, board, is_torch_only())
                    pending[reference] = place
                for reference in ray.wait(list(pending), num_returns=1, timeout=PERIOD)[0]:
                    done[pending.pop(reference)] = _outcome(ray, reference)
                for place, row in ray.get(board.read.remote()).items():
                    if on_epoch(place, row):
                        ray.get(board.end.remote())
        finally:
            for reference in pending:  # one of them failed, or the user interrupted
                with contextlib.suppress(Exception):  # the cluster may be gone
                    ray.cancel(reference, force=True)
            ray.kill(board)
        return [done[place] for place in range(len(jobs))]


@contextmanager
def on_cluster(address: str | None, workers: int | None = None) -> Iterator[OnRay]:
    """Connects to a cluster, or starts one on this machine, for the block."""
    from softsym.native import free_cores

    ray = connect(address, workers or max(1, free_cores()))
    try:
        yield OnRay(ray, workers)
    finally:
        ray.shutdown()


def _work(training_data: TrainingData, job: TrainJob, place: int, board: Any, plain: bool) -> Outcome | None:
    """Runs one training on a worker."""
    import ray

    last_report = -PERIOD

    def report(row: Row) -> bool:
        nonlocal last_report
        now = time.monotonic()
        if now - last_report < PERIOD and row["epoch"] < (job.hyperparameters.epochs or 0):
            return False
        last_report = now
        return bool(ray.get(board.report.remote(place, row)))

    return run_job(training_data, job, report, plain)


def _outcome(ray: Any, reference: Any) -> Outcome | None:
    try:
        outcome: Outcome | None = ray.get(reference)
    except ray.exceptions.RayTaskError as error:  # an error of the training itself, not of the cluster
        cause = error.cause
        if isinstance(cause, InputError | TrainingError):
            raise cause from None
        raise TrainingError(
            f"a training on the cluster failed: {type(cause).__name__}: {' '.join(str(cause).split())[:300]}"
        ) from error
    except ray.exceptions.RayError as error:
        raise TrainingError(
            f"a process that trained was ended from outside, {RETRIES + 1} times: {' '.join(str(error).split())[:300]}"
        ) from error
    return outcome
