"""What an engine is: it executes runs, several at a time, and reports each as it ends.

A :class:`Job` goes to a worker and a :class:`RunOutcome` comes back; both travel between processes as JSON.
"""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from softsym.cluster import RETRIES as RETRIES
from softsym.errors import InputError
from softsym_lab.experiments.store import RunRecord
from softsym_lab.runs.spec import RunSpec

Tick = Callable[[], None]


@dataclass(frozen=True)
class Job:
    """A run, the folder it works in, and the file of records that its task reads, if it reads one."""

    spec: RunSpec
    folder: Path
    records: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """For another process."""
        return {"spec": self.spec.to_dict(), "folder": str(self.folder), "records": self.records}

    @staticmethod
    def from_dict(fields: dict[str, Any]) -> Job:
        """Reads :meth:`to_dict`."""
        return Job(RunSpec.from_dict(fields["spec"]), Path(fields["folder"]), fields.get("records"))


@dataclass(frozen=True)
class RunOutcome:
    """How a run ended.

    Args:
        status: ``done``, with its record; ``failed``, with its error; or ``busy`` if another process is at this run.
        record: The finished run.
        error: One line.
    """

    status: Literal["done", "failed", "busy"]
    record: RunRecord | None = None
    error: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """For another process."""
        record = None if self.record is None else self.record.to_dict()
        return {"status": self.status, "record": record, "error": self.error}

    @staticmethod
    def from_dict(fields: dict[str, Any]) -> RunOutcome:
        """Reads :meth:`to_dict`."""
        record = fields["record"]
        finished = None if record is None else RunRecord.from_dict(record)
        return RunOutcome(fields["status"], finished, fields["error"])


class Engine(ABC):
    """Executes runs. The same spec gives the same bits in every engine.

    Args:
        workers: Runs at a time; as many as there are cores by default.
    """

    name: str

    def __init__(self, workers: int | None = None) -> None:
        if workers is not None and workers < 1:
            raise InputError(f"`workers` must be at least 1, got {workers}")
        self.workers = workers or cores()

    @abstractmethod
    def outcomes(self, jobs: Sequence[Job], tick: Tick = lambda: None) -> Iterator[tuple[Job, RunOutcome]]:
        """Executes all jobs and yields each with its outcome as it ends.

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
