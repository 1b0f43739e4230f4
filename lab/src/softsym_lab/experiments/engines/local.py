"""The local engine: a fresh process for every run, as many at a time as there are workers, one thread each.

A worker is this module run as a script: it reads one job from its input, executes it and leaves the outcome in the job's folder. Its
input stays open as long as the engine lives. When it closes, the worker ends too, so that no process works for an engine that was killed.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from softsym.io import dump_with_checksum, load_with_checksum, put_text
from softsym_lab.experiments.engines.engine import RETRIES, Engine, Job, RunOutcome, Tick
from softsym_lab.experiments.engines.execute import THREADS, execute

PAUSE = 0.1
OUTCOME = "outcome.json"
"""Where a worker leaves its outcome; the engine takes it away."""


@dataclass(eq=False)
class _Attempt:
    """A process at work on a job."""

    job: Job
    process: subprocess.Popen[bytes]
    number: int


class Local(Engine):
    """Worker processes on this machine."""

    name = "local"

    def outcomes(self, jobs: Sequence[Job], tick: Tick = lambda: None) -> Iterator[tuple[Job, RunOutcome]]:
        """See :class:`~softsym_lab.experiments.engines.engine.Engine`."""
        waiting = deque((job, 1) for job in jobs)
        running: list[_Attempt] = []
        try:
            while waiting or running:
                while waiting and len(running) < self.workers:
                    running.append(_start(*waiting.popleft()))
                for attempt in [one for one in running if one.process.poll() is not None]:
                    running.remove(attempt)
                    outcome = _read_outcome(attempt)
                    if outcome is None:
                        waiting.appendleft((attempt.job, attempt.number + 1))
                    else:
                        yield attempt.job, outcome
                tick()
                time.sleep(PAUSE)
        finally:
            for attempt in running:
                _stop(attempt.process)


def _start(job: Job, number: int) -> _Attempt:
    job.folder.mkdir(parents=True, exist_ok=True)
    (job.folder / OUTCOME).unlink(missing_ok=True)  # of an attempt whose engine was killed
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(names, str(THREADS))}
    with _log(job.folder).open("ab") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "softsym_lab.experiments.engines.local"],
            stdin=subprocess.PIPE,
            stdout=log,
            stderr=log,
            env=environment,
            start_new_session=True,  # an interrupt at the terminal is for the engine, which stops its workers
        )
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError):  # it died at once, which the exit code tells
        process.stdin.write(json.dumps(job.to_dict()).encode() + b"\n")
        process.stdin.flush()
    return _Attempt(job, process, number)


def _read_outcome(attempt: _Attempt) -> RunOutcome | None:
    """The outcome; None if the process died and the run should be taken up again."""
    _stop(attempt.process)
    left = attempt.job.folder / OUTCOME
    with contextlib.suppress(
        OSError, ValueError
    ):  # not there, or damaged: the result is in the folder and is read again
        outcome = RunOutcome.from_dict(load_with_checksum(left.read_text(encoding="utf-8")))
        left.unlink()
        return outcome
    if attempt.number <= RETRIES:
        return None
    lines = _log(attempt.job.folder).read_text(errors="replace").splitlines()
    last = f": {lines[-1].strip()}" if lines else ""
    error = f"its process died {attempt.number} times, last with exit code {attempt.process.returncode}{last}"
    return RunOutcome("failed", error=error)


def _stop(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.kill()  # checkpoints are whole at any moment
    process.wait()
    if process.stdin is not None:
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()


def _log(folder: Path) -> Path:
    return folder / "worker.log"


def main() -> None:
    """The worker: executes the job in the first line of standard input."""
    job = Job.from_dict(json.loads(sys.stdin.buffer.readline()))
    threading.Thread(target=_end_with, args=(sys.stdin.buffer,), daemon=True).start()
    put_text(job.folder / OUTCOME, dump_with_checksum(execute(job).to_dict()))
    sys.stdout.flush()
    os._exit(0)  # the thread still holds standard input, which would trouble an orderly exit


def _end_with(source: IO[bytes]) -> None:
    source.read()
    os._exit(3)


if __name__ == "__main__":
    main()
