"""The Ray engine: runs on an existing cluster, or on one that is started here for the purpose.

Every run is a task of its own process with one core and one thread, so that its bits are those of the local engine. Ray itself takes a
run up again when its process or node dies; checkpoints are found again if the store is on a file system that all nodes share, and
otherwise the run begins anew.
"""

from __future__ import annotations

import contextlib
import socket
from collections.abc import Iterator, Sequence
from typing import Any

from softsym.errors import InputError
from softsym.experiments.engines.engine import RETRIES, Engine, Job, RunOutcome, Tick
from softsym.experiments.engines.execute import execute

PAUSE = 0.2


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
        """See :class:`~softsym.experiments.engines.engine.Engine`."""
        ray = _ray()
        if not jobs:
            return
        self._connect(ray)
        # max_calls: a fresh process for every run, as in the local engine.
        remote = ray.remote(num_cpus=1, max_retries=RETRIES, max_calls=1)(_work)
        waiting = list(jobs)
        pending: dict[Any, Job] = {}
        try:
            while waiting or pending:
                while waiting and len(pending) < self.workers:
                    job = waiting.pop(0)
                    pending[remote.remote(job.to_dict())] = job
                for reference in ray.wait(list(pending), num_returns=1, timeout=PAUSE)[0]:
                    yield pending.pop(reference), _outcome(ray, reference)
                tick()
        finally:
            for reference in pending:
                with contextlib.suppress(Exception):  # the cluster may be gone
                    ray.cancel(reference, force=True)
            ray.shutdown()

    def _connect(self, ray: Any) -> None:
        quiet = {"log_to_driver": False, "logging_level": "ERROR"}
        try:
            if self.address is None:
                ray.init(num_cpus=self.workers, include_dashboard=False, **quiet)
            else:
                _check_reachable(self.address)
                ray.init(address=self.address, **quiet)
        except (OSError, RuntimeError, ValueError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(
                f"no Ray cluster at {self.address or 'this machine'}: {reason}; pass another --address, or --engine local"
            ) from error


def _check_reachable(address: str) -> None:
    """Fails at once where Ray would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        socket.create_connection((host, int(port)), timeout=5).close()


def _work(fields: dict[str, Any]) -> dict[str, Any]:
    return execute(Job.from_dict(fields)).to_dict()


def _outcome(ray: Any, reference: Any) -> RunOutcome:
    try:
        return RunOutcome.from_dict(ray.get(reference))
    except ray.exceptions.RayError as error:
        return RunOutcome("failed", error=f"its process died: {' '.join(str(error).split())[:300]}")


def _ray() -> Any:
    try:
        import ray
    except ImportError as error:
        raise InputError(
            "this engine needs Ray: pip install 'softsym[ray]', or pass --engine local"
        ) from error
    return ray
