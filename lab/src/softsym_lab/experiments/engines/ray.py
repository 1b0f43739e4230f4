"""The Ray engine: runs on an existing cluster, or on one that is started here for the purpose.

Every run is a task of its own process with one core and one thread, so that its bits are those of the local engine. Ray itself takes a
run up again when its process or node dies; checkpoints are found again if the store is on a file system that all nodes share, and
otherwise the run begins anew. A process outlives its node by moments, in which it still holds its run: that is waited for.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from softsym.cluster import connect, ray_module
from softsym_lab.experiments.engines.engine import RETRIES, Engine, Job, RunOutcome, Tick
from softsym_lab.experiments.engines.execute import execute

PAUSE = 0.2
GRACE = 20.0
"""Seconds for which a run that another process holds is asked for again."""


class Ray(Engine):
    """Tasks of a Ray cluster (the ``[ray]`` extra).

    Args:
        workers: Runs at a time; all cores by default.
        address: Address of a cluster; None to start one on this machine.
    """

    name = "ray"

    def __init__(self, workers: int | None = None, address: str | None = None) -> None:
        super().__init__(workers)
        self.address = address

    def outcomes(self, jobs: Sequence[Job], tick: Tick = lambda: None) -> Iterator[tuple[Job, RunOutcome]]:
        """See :class:`~softsym_lab.experiments.engines.engine.Engine`."""
        ray_module()  # refused even where there is nothing to do
        if not jobs:
            return
        ray = connect(self.address, self.workers)
        # max_calls: a fresh process for every run, as in the local engine.
        remote = ray.remote(num_cpus=1, max_retries=RETRIES, max_calls=1)(_work)
        waiting = list(jobs)
        pending: dict[Any, Job] = {}
        try:
            while waiting or pending:
                while waiting and len(pending) < self.workers:
                    job = waiting.pop(0)
                    pending[remote.remote(_anywhere(job).to_dict())] = job
                for reference in ray.wait(list(pending), num_returns=1, timeout=PAUSE)[0]:
                    yield pending.pop(reference), _outcome(ray, reference)
                tick()
        finally:
            for reference in pending:
                with contextlib.suppress(Exception):  # the cluster may be gone
                    ray.cancel(reference, force=True)
            ray.shutdown()


def _work(fields: dict[str, Any]) -> dict[str, Any]:
    job, began = Job.from_dict(fields), time.monotonic()
    outcome = execute(job)
    while outcome.status == "busy" and time.monotonic() - began < GRACE:
        time.sleep(1)
        outcome = execute(job)
    return outcome.to_dict()


def _anywhere(job: Job) -> Job:
    """The same with paths that are the same wherever a process works."""
    records = None if job.records is None else str(Path(job.records).resolve())
    return Job(job.spec, job.folder.resolve(), records)


def _outcome(ray: Any, reference: Any) -> RunOutcome:
    try:
        return RunOutcome.from_dict(ray.get(reference))
    except ray.exceptions.RayError as error:
        return RunOutcome("failed", error=f"its process died: {' '.join(str(error).split())[:300]}")
