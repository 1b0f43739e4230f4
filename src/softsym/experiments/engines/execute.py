"""Carrying out one run in this process, with what it left behind: a result, or the error it ended with.

Every run has one thread, whatever the engine: the last bits of a result depend on their number, and a grid of many runs uses cores
better side by side than together.
"""

from __future__ import annotations

import os
import traceback
from typing import Any

from softsym.experiments.engines.head_start import take_head_start
from softsym.experiments.engines.job import Job, Outcome
from softsym.experiments.store import HistoryRows
from softsym.experiments.weights import weight_rows
from softsym.native import environment
from softsym.training import RunSpec

THREADS = 1
ROWS = 60
"""About how many rows of a history are kept."""


def execute(job: Job) -> Outcome:
    """Carries out a run, or goes on with it."""
    import torch
    from filelock import FileLock, Timeout

    torch.set_num_threads(THREADS)
    try:
        job.folder.mkdir(parents=True, exist_ok=True)
        with FileLock(job.folder / ".lock", timeout=0):
            (job.folder / "worker.pid").write_text(str(os.getpid()))
            return _carry_out(job)
    except Timeout:
        return Outcome("busy")
    except Exception as error:  # whatever it is, the other runs go on
        (job.folder / "traceback.txt").write_text(traceback.format_exc())
        return Outcome("failed", error=f"{type(error).__name__}: {' '.join(str(error).split())}")


def _carry_out(job: Job) -> Outcome:
    from softsym.training import history, run

    take_head_start(job.spec, job.folder)
    result = run(job.spec, job.folder, resume=True, quiet=True)
    rows = history.read(job.folder / "history.jsonl")
    weights = weight_rows(job.spec, job.folder)
    return Outcome("done", result.to_dict(), None, environment(), thinned(rows, job.spec), weights)


def thinned(rows: HistoryRows, spec: RunSpec) -> HistoryRows:
    """The rows that figures are drawn from: at a period, where errors were measured, around the adjustment, and the last."""
    period = 10 * max(
        1, round(spec.settings.epochs / ROWS / 10)
    )  # validation and residuals come every ten epochs
    adjusted = spec.preset.adjust_at
    kept = [
        row for row in rows
        if row["epoch"] % period == 0 or "errors" in row or row["epoch"] in (adjusted - 1, adjusted) or row is rows[-1]
    ]  # fmt: skip
    return [_rounded({name: value for name, value in row.items() if name != "lr"}) for row in kept]


def _rounded(value: Any) -> Any:
    """Six digits are enough for a figure."""
    if isinstance(value, dict):
        return {name: _rounded(inner) for name, inner in value.items()}
    return float(f"{value:.6g}") if isinstance(value, float) else value
