"""A job for an engine and its outcome, as they go from process to process."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from softsym.experiments.store import Environment, HistoryRows, Record
from softsym.experiments.weights import WeightRows
from softsym.files import put_text
from softsym.training import RunResult, RunSpec

FILE = "outcome.json"


@dataclass(frozen=True)
class Job:
    """A run and the folder it works in."""

    spec: RunSpec
    folder: Path

    def to_dict(self) -> dict[str, Any]:
        """For another process."""
        return {"spec": self.spec.to_dict(), "folder": str(self.folder)}

    @staticmethod
    def from_dict(fields: dict[str, Any]) -> Job:
        """Reads :meth:`to_dict`."""
        return Job(RunSpec.from_dict(fields["spec"]), Path(fields["folder"]))


@dataclass(frozen=True)
class Outcome:
    """How a run ended.

    Args:
        status: ``done``; ``failed``, with its error; or ``busy`` if another process is at this run.
        result: What came out.
        error: One line.
        environment: Versions and threads.
        history: Some epochs.
        weights: Where the weights lie.
    """

    status: Literal["done", "failed", "busy"]
    result: dict[str, Any] | None = None
    error: str | None = None
    environment: Environment | None = None
    history: HistoryRows | None = None
    weights: WeightRows | None = None

    def record(self, spec: RunSpec) -> Record:
        """The finished run."""
        assert self.result is not None
        result = RunResult.from_dict(self.result)
        return Record(spec, result, self.environment or {}, self.history or [], self.weights or [])


def leave_outcome(folder: Path, outcome: Outcome) -> None:
    """Leaves an outcome in the folder of its run."""
    put_text(folder / FILE, json.dumps(asdict(outcome)))


def take_outcome(folder: Path) -> Outcome | None:
    """Takes away what was left; None if nothing was."""
    path = folder / FILE
    if not path.exists():
        return None
    fields: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    path.unlink()
    return Outcome(**fields)
