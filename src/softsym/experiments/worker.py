"""The process of the local engine: reads one job from its input, carries it out and leaves the outcome in the job's folder.

Its input stays open as long as the engine lives. When it closes, the worker ends too, so that nobody works for an engine that was
killed. Started as ``python -m softsym.experiments.worker``.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from softsym.experiments.execute import Job, Outcome, execute

OUTCOME = "outcome.json"


def main() -> None:
    """Carries out the job in the first line of standard input."""
    job = Job.from_dict(json.loads(sys.stdin.buffer.readline()))
    threading.Thread(target=_end_with, args=(sys.stdin.buffer,), daemon=True).start()
    outcome = execute(job)
    temporary = job.folder / f".outcome.{os.getpid()}.tmp"
    temporary.write_text(json.dumps(asdict(outcome)), encoding="utf-8")
    os.replace(temporary, job.folder / OUTCOME)


def read_outcome(folder: Path) -> Outcome | None:
    """What a worker left, which is taken away; None if it left nothing."""
    path = folder / OUTCOME
    if not path.exists():
        return None
    fields: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    path.unlink()
    return Outcome(**fields)


def _end_with(source: IO[bytes]) -> None:
    source.read()
    os._exit(3)


if __name__ == "__main__":
    main()
