"""The training loop, top to bottom: steps, falling rate, strength controller, early stopping, checkpoints.

Data live in memory as tensors and batches are index selections. The order of each epoch is drawn from (seed, epoch) alone, so a
resumed run sees exactly what the uninterrupted one would have seen.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from softsym.errors import InputError, TrainingError
from softsym.native import announce, step_threads
from softsym.progress import reporter
from softsym.regularize import EquivarianceRegularizer
from softsym.regularize.strengths import Controller, Fixed
from softsym.training import checkpoint
from softsym.training.average import Average
from softsym.training.devices import Devices, make_devices
from softsym.training.history import History, last_epoch
from softsym.training.objective import BatchHook, LossHook, Objective
from softsym.training.objective import Criterion as Criterion
from softsym.training.optim import make_optimizer, set_rate
from softsym.training.settings import Settings
from softsym.training.splits import Pair, Splits
from softsym.training.stopping import EarlyStopping

Row = dict[str, Any]
Measure = Callable[[nn.Module], dict[str, float]]
Gauge = Callable[[nn.Module, int], dict[str, float]]
"""Violations of the candidate groups by a model; the number is a seed."""


@dataclass(frozen=True, eq=False)
class Fitted:
    """A trained model: the one with the best validation loss.

    Args:
        model: The model.
        history: One row per epoch.
        epochs: How many epochs ran.
        best_epoch: The epoch of the best model; the last one if validation never counted.
        best_validation: Its validation loss; None if validation never counted.
        strengths: Final strengths by group.
    """

    model: nn.Module
    history: list[Row]
    epochs: int
    best_epoch: int
    best_validation: float | None
    strengths: dict[str, float]


def fit(
    model: nn.Module,
    data: Splits,
    settings: Settings,
    *,
    regularizer: EquivarianceRegularizer | None = None,
    controller: Controller | None = None,
    criterion: Criterion = nn.functional.mse_loss,
    on_batch: BatchHook | None = None,
    on_loss: LossHook | None = None,
    balanced: bool = False,
    measure: Measure | None = None,
    gauge: Gauge | None = None,
    folder: Path | None = None,
    resume: bool = False,
    quiet: bool = True,
    on_epoch: Callable[[Row], bool | None] | None = None,
) -> Fitted:
    """Trains a model.

    Args:
        model: The model; the prior that it declares (:class:`softsym.nn.HasPrior`) is added to the loss. Wherever it is trained, it
            comes back to the device where it is.
        data: Training and validation data.
        settings: The numbers of the run.
        regularizer: Pulls the model towards symmetries.
        controller: Changes the regularizer's strengths; they stay fixed by default.
        criterion: The loss, from predictions and truth to its mean over rows.
        on_batch: Changes every training batch before the model sees it.
        on_loss: Adds to the loss of every training batch.
        balanced: Scale what it adds to the size of the task's loss, batch by batch.
        measure: Model equivariance errors, taken at the period of the settings.
        gauge: Violations on data, for a controller that reads them (:class:`softsym.metrics.equivariance.Violations`).
        folder: Where checkpoints and history go; None to keep nothing.
        resume: Go on from the newest checkpoint in the folder.
        quiet: Show no progress.
        on_epoch: Called with the history row of every epoch, while the model has the weights that would be kept; returns True to stop.
    """
    devices = make_devices(settings)
    writes = folder if devices.rank == 0 else None
    stopping = EarlyStopping(settings.patience, settings.stop_after, settings.early_stopping)
    controller = controller or Fixed()
    if regularizer is not None:
        controller.begin(regularizer.strengths)
    if controller.reads == "data" and gauge is None and regularizer is not None:
        raise InputError(f"{type(controller).__name__} reads what a model does on data; pass `gauge`")
    objective = Objective(
        model, regularizer, criterion, on_batch, on_loss, penalises=settings.form == "loss", balanced=balanced
    )
    home = next(model.parameters()).device
    wrapped, optimizer = devices.setup(model, make_optimizer(model, regularizer, settings))
    train, (x_val, y_val) = (_placed(pair, devices, model) for pair in (data.train, data.val))
    average = Average(model, settings.average)
    progress = checkpoint.Progress(model, optimizer, regularizer, controller, stopping, average)
    epoch, before = 0, 0.0
    if folder is not None and resume:
        saved = checkpoint.latest(folder / "checkpoints", last_epoch(folder / "history.jsonl"))
        if saved is not None:
            progress.restore(saved)
            epoch, before = saved.epoch, saved.state["seconds"]
    history = History(None if writes is None else writes / "history.jsonl")
    history.restart(epoch)
    announce()
    work = settings.batch * sum(parameter.numel() for parameter in model.parameters())
    began = time.perf_counter() - before
    with step_threads(work), reporter(settings.epochs, epoch, quiet=quiet or devices.rank > 0) as report:
        while epoch < settings.epochs and not stopping.is_over(epoch):
            epoch += 1
            loss, lr = train_epoch(devices, wrapped, optimizer, train, settings, epoch, objective, average)
            if not math.isfinite(loss):
                raise TrainingError(
                    f"the loss became {loss} in epoch {epoch}; the last good checkpoint is kept (try a smaller lr or strength)"
                )
            row: Row = {"epoch": epoch, "loss": loss, "lr": lr}
            is_due = epoch % settings.validate_every == 0 or epoch == settings.epochs
            with average.in_place():
                if is_due or stopping.counts(epoch):
                    row["validation"] = evaluate(model, x_val, y_val, criterion)
                    if stopping.improves(row["validation"], epoch):
                        progress.note_best()
                if regularizer is not None:
                    if is_due or controller.wants_residuals(epoch):
                        row["residuals"] = readings = regularizer.totals()
                        if controller.reads == "data" and controller.wants_residuals(epoch):
                            assert gauge is not None
                            row["violations"] = readings = gauge(model, epoch)
                        regularizer.strengths = controller.on_epoch_end(readings, epoch)
                    row["strengths"] = dict(regularizer.strengths)
                if measure is not None and settings.measure_every and epoch % settings.measure_every == 0:
                    row["errors"] = measure(model)
            row["seconds"] = time.perf_counter() - began
            history.append(row)
            report(row)
            if writes is not None and epoch % settings.checkpoint_every == 0:
                history.to_disk()
                checkpoint.save(writes / "checkpoints", progress.capture(epoch, row["seconds"]))
            if on_epoch is not None:
                with average.in_place():
                    if on_epoch(row):
                        break
    if writes is not None:
        history.to_disk()
        checkpoint.save(writes / "checkpoints", progress.capture(epoch, time.perf_counter() - began))
    strengths = dict(regularizer.strengths) if regularizer is not None else {}
    model.to(home)
    if not progress.best:
        return Fitted(model, history.rows, epoch, epoch, None, strengths)
    model.load_state_dict(progress.best)
    return Fitted(model, history.rows, epoch, stopping.best_epoch, stopping.best, strengths)


def train_epoch(
    devices: Devices,
    model: Any,
    optimizer: Any,
    train: Pair,
    settings: Settings,
    epoch: int,
    objective: Objective,
    average: Average,
) -> tuple[float, float]:
    """One pass over the training data; returns the mean task loss and the last learning rate."""
    model.train()
    x, y = train
    order = torch.randperm(len(x), generator=epoch_generator(settings.seed, epoch)).to(x.device)
    batches = order.split(settings.batch)
    total, seen, rate = x.new_zeros(()), 0, 0.0
    for step, batch in enumerate(batches, (epoch - 1) * len(batches)):
        rate = set_rate(optimizer, settings, epoch, step % len(batches), len(batches))
        mine = batch[devices.rank :: devices.processes]
        optimizer.zero_grad(set_to_none=True)
        loss, task_loss = objective(model, x[mine], y[mine], step * devices.processes + devices.rank)
        devices.backward(loss)
        if settings.clip:
            nn.utils.clip_grad_norm_(objective.model.parameters(), settings.clip)
        optimizer.step()
        if objective.regularizer is not None and not objective.penalises:
            objective.regularizer.prox_(rate)
        average.update()
        total += task_loss.detach() * len(batch)
        seen += len(batch)
    return float(devices.mean(total)) / seen, rate


@torch.no_grad()
def evaluate(
    model: nn.Module,
    x: Tensor,
    y: Tensor,
    criterion: Criterion = nn.functional.mse_loss,
    chunk: int = 4096,
) -> float:
    """The mean loss on a whole set; every process computes the same."""
    model.eval()
    parts = zip(x.split(chunk), y.split(chunk), strict=True)
    sums = [criterion(model(a), b) * len(a) for a, b in parts]
    return float(torch.stack(sums).sum()) / len(y)


def epoch_generator(seed: int, epoch: int) -> torch.Generator:
    """The source of an epoch's order, from seed and epoch alone."""
    return torch.Generator().manual_seed(seed * 1_000_003 + epoch)


def _placed(pair: Pair, devices: Devices, model: nn.Module) -> Pair:
    """Inputs and outputs on the device, in the precision of the model."""
    x, y = (devices.place(values.to(next(model.parameters()).dtype)) for values in pair)
    return x, y
