"""How long runs will take: from finished runs of the same kind where there are some, else from what the table expects.

A run under way is judged by its own pace: the epochs that such runs usually take, less those it has done, times its seconds per epoch.
Runs of its kind that have not begun are judged by it too, since finished ones may come from a slower or busier machine.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from softsym_lab.experiments.engines.engine import Job
from softsym_lab.experiments.store import RunRecord
from softsym_lab.runs.spec import RunSpec

Kind = tuple[str, str, str, int, bool]
UNKNOWN = 600.0
"""Seconds of a run that nothing is known about."""
SETTLED = 20
"""Epochs after which the pace of a run says something about others: the first ones are slow."""


@dataclass(frozen=True)
class Pace:
    """How far a run has come."""

    epoch: int
    seconds: float


def kind(spec: RunSpec) -> Kind:
    """Runs of one kind take about equally long."""
    family = spec.task.partition(":")[0]
    return family, spec.model, spec.preset.name, spec.width, spec.early_stopping


class Estimate:
    """Estimates seconds.

    Args:
        minutes: What the tables expect of each run.
        records: Finished runs.
    """

    def __init__(self, minutes: Mapping[RunSpec, float], records: Iterable[RunRecord] = ()) -> None:
        self.minutes = minutes
        self._seconds: dict[Kind, list[float]] = {}
        self._epochs: dict[Kind, list[int]] = {}
        for record in records:
            self.learn(record)

    def learn(self, record: RunRecord) -> None:
        """Takes note of a finished run."""
        self._seconds.setdefault(kind(record.spec), []).append(record.result.seconds)
        self._epochs.setdefault(kind(record.spec), []).append(record.result.epochs)

    def seconds(self, spec: RunSpec) -> float:
        """A whole run."""
        known = self._seconds.get(kind(spec))
        if known:
            return statistics.median(known)
        expected = self.minutes.get(spec)
        if expected is None:
            return UNKNOWN
        return 60 * expected * (1 if spec.early_stopping else 2)

    def left(self, spec: RunSpec, pace: Pace | None) -> float:
        """What is left of a run."""
        if pace is None or pace.epoch == 0:
            return self.seconds(spec)
        # A run that goes on longer than usual ends when its patience does, at the earliest.
        missing = max(self._usual_epochs(spec) - pace.epoch, spec.preset.patience / 2)
        return missing * pace.seconds / pace.epoch

    def total(self, jobs: Sequence[Job], workers: int) -> float:
        """All jobs, with so many at a time."""
        paces = [pace(job.folder) for job in jobs]
        now: dict[Kind, list[float]] = {}
        for job, found in zip(jobs, paces, strict=True):
            if found and found.epoch >= SETTLED:
                now.setdefault(kind(job.spec), []).append(found.seconds / found.epoch)
        whole = {name: statistics.median(each) for name, each in now.items()}
        times = [
            whole[kind(job.spec)] * self._usual_epochs(job.spec)
            if found is None and kind(job.spec) in whole
            else self.left(job.spec, found)
            for job, found in zip(jobs, paces, strict=True)
        ]
        return sum(times) / max(1, min(workers, len(jobs)))

    def _usual_epochs(self, spec: RunSpec) -> float:
        """What runs of its kind took; early stopping mostly ends one soon after it begins to count."""
        known = self._epochs.get(kind(spec))
        if known:
            return statistics.median(known)
        settings = spec.settings
        if not settings.early_stopping:
            return settings.epochs
        return min(settings.epochs, settings.stop_after + 2 * settings.patience)


def pace(folder: Path) -> Pace | None:
    """How far the run in a folder has come; None if it has not begun."""
    try:
        with (folder / "history.jsonl").open("rb") as file:
            file.seek(max(0, file.seek(0, 2) - 8192))
            lines = file.read().splitlines()
    except OSError:
        return None
    for line in reversed(lines):
        try:
            row = json.loads(line)
            return Pace(int(row["epoch"]), float(row["seconds"]))
        except (ValueError, KeyError, TypeError):  # cut off
            continue
    return None


def duration(seconds: float) -> str:
    """A time for people.

    Example:
        >>> duration(40), duration(800), duration(20_000)
        ('40 s', '13 min', '5.6 h')
    """
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
