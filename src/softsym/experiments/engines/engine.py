"""What an engine is: it carries out runs, several at a time, and reports each as it ends."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence

from softsym.errors import InputError
from softsym.experiments.engines.job import Job, Outcome

Tick = Callable[[], None]
RETRIES = 2
"""How often a run is taken up again after its process died."""


class Engine(ABC):
    """Carries out runs. The same spec gives the same bits in every engine.

    Args:
        workers: Runs at a time; as many as there are cores by default.
    """

    name: str

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise InputError(f"`workers` must be at least 1, got {workers}")
        self.workers = workers or cores()

    @abstractmethod
    def outcomes(self, jobs: Sequence[Job], tick: Tick = lambda: None) -> Iterator[tuple[Job, Outcome]]:
        """Carries out all jobs and yields each with its outcome as it ends.

        A run whose process dies is taken up again from its checkpoint, up to twice; a run that fails is one outcome among others. If
        the iterator is closed or interrupted, no process stays behind.

        Args:
            jobs: What to run.
            tick: Called a few times a second.
        """


def cores() -> int:
    """How many cores this process may use."""
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not on every system
        return os.cpu_count() or 1
