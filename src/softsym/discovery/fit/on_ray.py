"""Trainings on the machines of a Ray cluster: the same networks to the bit.

What is learned comes back through Ray, so nothing but Ray connects the machines. A training whose process or machine dies is taken up
again elsewhere, from its checkpoint where the machines share the file system that it is on, otherwise from its beginning.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from softsym.cluster import RETRIES, connect
from softsym.discovery.fit.parallel import Lesson, OnEpoch, Outcome, Row, Training, outcome_of
from softsym.errors import InputError, TrainingError
from softsym.native import announce, is_torch_only

PERIOD = 0.2
"""Seconds between two looks at how trainings go, and between two rows that one sends."""


class Board:
    """Lives in a process of its own beside whoever asked, and knows how far every training is."""

    def __init__(self) -> None:
        self.rows: dict[int, Row] = {}
        self.is_over = False

    def tell(self, place: int, row: Row) -> bool:
        """Takes the newest row of a training; True if it is to stop."""
        self.rows[place] = row
        return self.is_over

    def read(self) -> dict[int, Row]:
        """The newest rows since the last look."""
        rows, self.rows = self.rows, {}
        return rows

    def end(self) -> None:
        """From now on, whoever tells something is told to stop."""
        self.is_over = True


class OnRay:
    """Trains on a cluster that is connected already (:func:`on_cluster`).

    Args:
        ray: Ray's module.
        workers: Most trainings at a time; as many as the cluster has cores by default.
    """

    def __init__(self, ray: Any, workers: int | None = None) -> None:
        self._ray, self._workers = ray, workers

    @property
    def cores(self) -> int:
        """How many the cluster has, at this moment."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def outcomes(
        self, lesson: Lesson, trainings: Sequence[Training], n_jobs: int, on_epoch: OnEpoch, may_diverge: bool
    ) -> list[Outcome | None]:
        """See :class:`~softsym.discovery.fit.parallel.Helpers`; how many work at a time is the cluster's affair."""
        ray = self._ray
        announce()
        board = ray.remote(num_cpus=0, **_beside(ray))(Board).remote()
        work = ray.remote(num_cpus=1, max_retries=RETRIES)(_work)
        shared = ray.put(lesson)
        waiting = list(enumerate(map(_anywhere, trainings)))
        pending: dict[Any, int] = {}
        done: dict[int, Outcome | None] = {}
        try:
            while waiting or pending:
                while waiting and len(pending) < (self._workers or self.cores):
                    place, training = waiting.pop(0)
                    reference = work.remote(shared, training, place, board, may_diverge, is_torch_only())
                    pending[reference] = place
                for reference in ray.wait(list(pending), num_returns=1, timeout=PERIOD)[0]:
                    done[pending.pop(reference)] = _outcome(ray, reference)
                for place, row in ray.get(board.read.remote()).items():
                    if on_epoch(place, row):
                        ray.get(board.end.remote())
        finally:
            for reference in pending:  # one of them failed, or somebody is out of patience
                with contextlib.suppress(Exception):  # the cluster may be gone
                    ray.cancel(reference, force=True)
            ray.kill(board)
        return [done[place] for place in range(len(trainings))]


@contextmanager
def on_cluster(address: str | None, workers: int | None = None) -> Iterator[OnRay]:
    """Connects to a cluster, or starts one on this machine, for the block.

    Args:
        address: Of the cluster; None to start one.
        workers: Most trainings at a time.
    """
    from softsym.native import free_cores

    ray = connect(address, workers or max(1, free_cores()))
    try:
        yield OnRay(ray, workers)
    finally:
        ray.shutdown()


def _work(
    lesson: Lesson, training: Training, place: int, board: Any, may_diverge: bool, plain: bool
) -> Outcome | None:
    """One training, somewhere."""
    import ray

    told = -PERIOD

    def tell(row: Row) -> bool:
        nonlocal told
        now = time.monotonic()
        if now - told < PERIOD and row["epoch"] < (training.recipe.epochs or 0):
            return False
        told = now
        return bool(ray.get(board.tell.remote(place, row)))

    return outcome_of(lesson, training, tell, may_diverge, plain)


def _anywhere(training: Training) -> Training:
    """The same with a folder that is the same wherever a process works."""
    return training if training.folder is None else replace(training, folder=training.folder.resolve())


def _outcome(ray: Any, reference: Any) -> Outcome | None:
    try:
        outcome: Outcome | None = ray.get(reference)
    except ray.exceptions.RayTaskError as error:  # it failed by itself, as it would have done here
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


def _beside(ray: Any) -> dict[str, Any]:
    """Where the board lives: on the machine of whoever asked, which must not die anyway."""
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    here = ray.get_runtime_context().get_node_id()
    return {"scheduling_strategy": NodeAffinitySchedulingStrategy(here, soft=False)}
