"""One run: a task, a model, a preset and a seed, in a folder of its own. A stopped run resumes; one that is done is not repeated."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from softsym.datasets import Task
from softsym.datasets import task as read_task
from softsym.errors import InputError
from softsym.metrics import Violations
from softsym.nn import ScaleCanonical
from softsym.training import Fitted, Splits, evaluate, fit
from softsym_lab.runs.record import RunResult, draw_probes, make_result, model_errors
from softsym_lab.runs.run_folder import RunFolder
from softsym_lab.runs.spec import RunSpec
from softsym_lab.zoo.kernel_models import ClosedForm


def run(
    spec: RunSpec,
    folder: Path,
    *,
    resume: bool = False,
    quiet: bool = False,
    track: bool = False,
    records: str | None = None,
) -> RunResult:
    """Executes a run in a folder, or goes on with it.

    Args:
        spec: What to run.
        folder: The run's folder.
        resume: Go on from the newest checkpoint; a finished run is only read.
        quiet: Show no progress.
        track: Also write the history for TensorBoard.
        records: The file of a task that reads one and whose text does not name it; where it lies is no part of the spec.
    """
    spec.check()
    place = RunFolder(folder)
    if resume and (done := place.result()) is not None:
        place.claim(spec, resume=True)
        return done
    with place.lock():
        task = read_task(spec.task)
        located = task if records is None else task.with_file(records)
        return _run(spec, located, place, resume=resume, quiet=quiet, track=track)


def _run(spec: RunSpec, task: Task, place: RunFolder, *, resume: bool, quiet: bool, track: bool) -> RunResult:
    built, groups = spec.build(task), spec.candidates(task)  # what is refused here claims no folder
    place.claim(spec, resume=resume)
    place.check_space(10 * 4 * sum(p.numel() for p in built.model.parameters()))
    data = task.splits(spec.seed, spec.preset.sizes, fixed_data=spec.preset.fixed_data)
    if isinstance(built.model, ScaleCanonical):
        built.model.fit_size_(data.train[0])
    probes = draw_probes(task, spec.seed)
    note = tensorboard(place.path / "tensorboard") if track else None
    began = time.perf_counter()
    fitted = (
        fit_closed_form(built.model, data)
        if isinstance(built.model, ClosedForm)
        else fit(
            built.model,
            data,
            spec.settings,
            regularizer=built.regularizer,
            controller=spec.controller,
            on_batch=built.on_batch,
            on_loss=built.on_loss,
            balanced=built.balanced,
            measure=lambda model: model_errors(model, task, probes, n_transforms=4, groups=groups),
            violations=Violations(task.rep_in, task.rep_out, groups, data.train, data.val),
            folder=place.path,
            resume=resume,
            quiet=quiet,
            on_epoch=None if note is None else lambda row: note(row),
        )
    )
    seconds = fitted.history[-1]["seconds"] if fitted.history else time.perf_counter() - began
    result = make_result(spec, task, fitted, data, seconds, probes, built.regularizer)
    place.finish(fitted.model, result)
    return result


def fit_closed_form(model: ClosedForm, data: Splits) -> Fitted:
    """A closed form after it was solved: its history has no epoch."""
    model.solve_(data)
    x, y = data.val
    validation = evaluate(model, x, y) if len(x) else None
    return Fitted(model, [], 0, 0, validation, {})


def tensorboard(folder: Path) -> Callable[[Mapping[str, Any]], None]:
    """A function that writes every number of a history row to TensorBoard files in a folder."""
    try:
        from torch.utils.tensorboard import SummaryWriter
    except ImportError as error:
        raise InputError(
            "tracking needs TensorBoard: pip install 'softsym-lab[track]', or leave out --track"
        ) from error
    writer = SummaryWriter(str(folder))

    def note(row: Mapping[str, Any]) -> None:
        for name, value in flat(row).items():
            writer.add_scalar(name, value, row["epoch"])
        writer.flush()

    return note


def flat(row: Mapping[str, Any]) -> dict[str, float]:
    """The numbers of a history row, those of groups under names of their own.

    Example:
        >>> flat({"epoch": 3, "loss": 0.5, "strengths": {"O(3)": 2.0}})
        {'loss': 0.5, 'strengths/O(3)': 2.0}
    """
    found: dict[str, float] = {}
    for name, value in row.items():
        if isinstance(value, Mapping):
            found |= {f"{name}/{group}": float(number) for group, number in value.items()}
        elif name != "epoch" and value is not None:
            found[name] = float(value)
    return found
