"""Executing one run in this process, with its outcome: a result, or the error it ended with.

Every run has one thread, whatever the engine: the last bits of a result depend on their number, and a grid of many runs uses cores
better side by side than together.
"""

from __future__ import annotations

import os
import shutil
import traceback
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from softsym.errors import BusyError
from softsym.io import lock_folder, put_file, put_folder
from softsym.native import environment
from softsym_lab.experiments.engines.engine import Job, RunOutcome
from softsym_lab.experiments.store import HistoryRows, RunRecord, WeightRows, name
from softsym_lab.runs.spec import RunSpec
from softsym_lab.zoo import MODELS

THREADS = 1
FILE = "model.safetensors"
"""The weights that a run leaves in its folder."""
ROWS = 60
"""About how many rows of a history are kept."""


def execute(job: Job) -> RunOutcome:
    """Executes a run, or goes on with it."""
    import torch

    torch.set_num_threads(THREADS)
    try:
        job.folder.mkdir(parents=True, exist_ok=True)
        with lock_folder(job.folder):
            (job.folder / "worker.pid").write_text(str(os.getpid()))
            return RunOutcome("done", _run_and_record(job))
    except BusyError:
        return RunOutcome("busy")
    except Exception as error:  # whatever it is, the other runs go on
        (job.folder / "traceback.txt").write_text(traceback.format_exc())
        return RunOutcome("failed", error=f"{type(error).__name__}: {' '.join(str(error).split())}")


def _run_and_record(job: Job) -> RunRecord:
    from softsym.training import read_history
    from softsym_lab.runs.runner import run

    take_head_start(job.spec, job.folder)
    result = run(job.spec, job.folder, resume=True, quiet=True, records=job.records)
    past = job.folder / "history.jsonl"
    rows = read_history(past) if past.exists() else []  # what is solved has no epochs
    weights = weight_rows(job.spec, job.folder)
    return RunRecord(job.spec, result, environment(), thin_history(rows, job.spec), weights)


def take_head_start(spec: RunSpec, folder: Path) -> bool:
    """Lets a run over the full schedule go on where the same run with early stopping stopped, if it has not begun itself.

    Up to the epoch in which that twin stopped, both runs are the same to the last bit, so the outcome does not depend on it.

    Args:
        spec: A run.
        folder: Where it works; that of its twin is in the same folder.
    """
    twin = folder.parent / name(replace(spec, early_stopping=True))
    if spec.early_stopping or (folder / "history.jsonl").exists() or not (twin / "result.json").exists():
        return False
    put_folder(folder / "checkpoints", lambda path: shutil.copytree(twin / "checkpoints", path, dirs_exist_ok=True))
    # The history is the sign that the run has begun, so it comes last.
    put_file(folder / "history.jsonl", lambda path: shutil.copy(twin / "history.jsonl", path))
    return True


def thin_history(rows: HistoryRows, spec: RunSpec) -> HistoryRows:
    """The rows that figures are drawn from: at a period, where errors were measured, around the adjustment, and the last."""
    period = 10 * max(1, round(spec.settings.epochs / ROWS / 10))  # validation and residuals come every ten epochs
    adjusted = spec.preset.adjust_at
    kept = [
        row
        for row in rows
        if row["epoch"] % period == 0 or "errors" in row or row["epoch"] in (adjusted - 1, adjusted) or row is rows[-1]
    ]
    return [_round_digits({name: value for name, value in row.items() if name != "lr"}) for row in kept]


def _round_digits(value: Any) -> Any:
    """Six digits are enough for a figure."""
    if isinstance(value, dict):
        return {name: _round_digits(inner) for name, inner in value.items()}
    return float(f"{value:.6g}") if isinstance(value, float) else value


def weight_rows(spec: RunSpec, folder: Path) -> WeightRows:
    """The parts of every layer of a finished run, from the weights that it left; empty where they cannot leave the equivariant spaces.

    Args:
        spec: The run.
        folder: Where it worked.

    Raises:
        InputError: The weights are damaged.
    """
    if not MODELS[spec.model].is_free or not (folder / FILE).exists():
        return []
    from softsym.metrics import weight_parts
    from softsym_lab.runs.run_folder import RunFolder

    RunFolder(folder).result()  # refuses weights that are not those of the result
    rows = [asdict(parts) for parts in weight_parts(load_network(spec, folder / FILE))]
    return [row | {name: _round_digits(row[name]) for name in ("inside", "outside", "confined")} for row in rows]


def load_network(spec: RunSpec, path: Path) -> Any:
    """The network of a finished run, from its file of weights."""
    from safetensors.torch import load_file

    from softsym.datasets import task as read_task

    model = spec.build(read_task(spec.task)).model
    model.load_state_dict(load_file(path))
    return model
