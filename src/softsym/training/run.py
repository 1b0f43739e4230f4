"""One run: a task, a model, a preset and a seed, in a folder of its own.

The folder holds ``spec.json`` (what was asked), ``history.jsonl``, ``checkpoints/``, ``model.safetensors`` (the best model) and
``result.json``. A run that was stopped resumes; one that is done is not repeated.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from softsym.errors import InputError
from softsym.groups import Group
from softsym.groups import group as read_group
from softsym.measure import data_error, equivariance_error
from softsym.nn import count_parameters
from softsym.regularize.strengths import OneShot
from softsym.tasks.parse import task as read_task
from softsym.tasks.task import Task
from softsym.training import checkpoint
from softsym.training.loop import Fitted, fit
from softsym.training.models import build, candidates
from softsym.training.spec import RunSpec
from softsym.training.track import tensorboard

PROBES, TRANSFORMS = 200, 64
"""Samples and group elements over which the equivariance errors of a result are averaged."""


@dataclass(frozen=True)
class RunResult:
    """What came out of a run; errors are means over samples and group elements, normalised by the sum of norms."""

    task: str
    origin: str
    model: str
    preset: str
    seed: int
    metric: str
    unit: str
    test_error: float
    validation_mse: float | None
    epochs: int
    best_epoch: int
    parameters: int
    seconds: float
    strengths: dict[str, float]
    residuals: dict[str, float]
    model_errors: dict[str, float]
    data_errors: dict[str, float]
    test_mse: float | None = None
    """Of normalised outputs, as the loss has them; equal to the test error unless that is in the task's own units."""

    def to_dict(self) -> dict[str, Any]:
        """Plain numbers and strings, for JSON."""
        return {"schema": 1, **asdict(self)}

    @staticmethod
    def from_dict(fields: Mapping[str, Any]) -> RunResult:
        """Reads :meth:`to_dict`."""
        return RunResult(**{name: value for name, value in fields.items() if name != "schema"})


def run(
    spec: RunSpec, folder: Path, *, resume: bool = False, quiet: bool = False, track: bool = False
) -> RunResult:
    """Carries out a run in a folder, or goes on with it.

    Args:
        spec: What to run.
        folder: The run's folder.
        resume: Go on from the newest checkpoint; a finished run is only read.
        quiet: Show no progress.
        track: Also write the history for TensorBoard.
    """
    task = read_task(spec.task)
    _claim(folder, spec, resume)
    done = folder / "result.json"
    if resume and done.exists():
        return _read_result(done)
    groups = candidates(task, spec.groups)
    group = read_group(spec.group) if spec.group else None
    built = build(spec.model, task, spec.preset, spec.seed, group, groups)
    needed = 10 * 4 * sum(p.numel() for p in built.model.parameters())
    checkpoint.check_writable(folder, needed)
    data = task.splits(spec.seed, spec.preset.sizes, fixed_data=spec.preset.fixed_data)
    preset = spec.preset
    controller = OneShot(preset.adjust_at, preset.gamma, preset.strength_window)
    # Inputs as the data's: off them, a network that fits the data perfectly may break their symmetry in any way.
    probes = task.sample(PROBES, seed=spec.seed)[0].double()
    note = tensorboard(folder / "tensorboard") if track else None
    began = time.perf_counter()
    fitted = fit(
        built.model,
        data,
        spec.settings,
        regularizer=built.regularizer,
        controller=controller,
        measure=lambda model: model_errors(model, task, probes, n_transforms=4, groups=groups),
        folder=folder,
        resume=resume,
        quiet=quiet,
        on_epoch=None if note is None else lambda row: note(row),
    )
    seconds = fitted.history[-1]["seconds"] if fitted.history else time.perf_counter() - began
    result = _result(spec, task, fitted, data, seconds, probes, built.regularizer, groups)
    _finish(folder, fitted.model, result)
    return result


def model_errors(
    model: nn.Module,
    task: Task,
    probes: torch.Tensor,
    n_transforms: int = TRANSFORMS,
    groups: Sequence[Group] | None = None,
) -> dict[str, float]:
    """Equivariance errors of a model under the candidate groups, the task's by default."""
    x = probes.to(next(model.parameters()).dtype)
    return {
        group.name: equivariance_error(model, x, task.rep_in, task.rep_out, group, n_transforms=n_transforms)
        for group in groups or task.groups
    }


def data_errors(
    task: Task, probes: torch.Tensor, n_transforms: int = TRANSFORMS, groups: Sequence[Group] | None = None
) -> dict[str, float]:
    """Equivariance errors of the true target under the candidate groups; empty where nobody knows it."""
    if task.target is None:
        return {}
    return {
        group.name: data_error(
            task.target, probes, task.rep_in, task.rep_out, group, n_transforms=n_transforms
        )
        for group in groups or task.groups
    }


def _result(
    spec: RunSpec,
    task: Task,
    fitted: Fitted,
    data: Any,
    seconds: float,
    probes: torch.Tensor,
    per: Any,
    groups: Sequence[Group],
) -> RunResult:
    x, y = data.test
    fitted.model.eval()
    with torch.no_grad():
        prediction = fitted.model(x)
        test_error, test_mse = float(data.error(prediction, y)), float(nn.functional.mse_loss(prediction, y))
    return RunResult(
        task=task.name,
        origin=task.origin,
        model=spec.model,
        preset=spec.preset.name,
        seed=spec.seed,
        metric=data.error.name,
        unit=data.error.unit,
        test_error=test_error,
        validation_mse=fitted.best_validation,
        epochs=fitted.epochs,
        best_epoch=fitted.best_epoch,
        parameters=count_parameters(fitted.model),
        seconds=seconds,
        strengths=fitted.strengths,
        residuals={} if per is None else per.totals(),
        model_errors=model_errors(fitted.model, task, probes, groups=groups),
        data_errors=data_errors(task, probes, groups=groups),
        test_mse=test_mse,
    )


def is_first_process() -> bool:
    """Whether this is the process that writes, of those that share a run (as torchrun or Fabric number them)."""
    rank = os.environ.get("RANK")
    if rank is not None:
        return int(rank) == 0
    return all(int(os.environ.get(name, "0")) == 0 for name in ("LOCAL_RANK", "NODE_RANK"))


def _claim(folder: Path, spec: RunSpec, resume: bool) -> None:
    """Takes a folder for a run, or makes sure that it belongs to the same one."""
    if not is_first_process():  # which claims it for all
        return
    path = folder / "spec.json"
    wanted = json.loads(json.dumps(spec.to_dict()))
    if path.exists():
        if not resume:
            raise InputError(
                f"{folder} holds a run already; pass --resume to go on with it, or another --out-dir"
            )
        if json.loads(path.read_text(encoding="utf-8")) != wanted:
            raise InputError(f"{folder} holds another run (see {path}); pass another --out-dir")
        return
    checkpoint.check_writable(folder, 0)
    _write(path, json.dumps(wanted, indent=2))


def _finish(folder: Path, model: nn.Module, result: RunResult) -> None:
    from safetensors.torch import save_file

    if not is_first_process():
        return
    tensors = {name: value.detach().cpu().contiguous() for name, value in model.state_dict().items()}
    save_file(tensors, folder / ".model.tmp")
    os.replace(folder / ".model.tmp", folder / "model.safetensors")
    _write(folder / "result.json", json.dumps(result.to_dict(), indent=2))


def _write(path: Path, text: str) -> None:
    """Writes a file whole or not at all."""
    temporary = path.with_suffix(".tmp")
    temporary.write_text(text + "\n", encoding="utf-8")
    os.replace(temporary, path)


def _read_result(path: Path) -> RunResult:
    return RunResult.from_dict(json.loads(path.read_text(encoding="utf-8")))
