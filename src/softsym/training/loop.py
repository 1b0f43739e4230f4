"""The training loop: steps, learning-rate decay, strength controller, early stopping, checkpoints.

Data are tensors in memory and batches are index selections. The order of each epoch is drawn from (seed, epoch) alone, and hooks may
depend on nothing but the number of the step, so a resumed run repeats exactly what the uninterrupted one would have done.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from softsym.errors import InputError, TrainingError
from softsym.native import announce, step_threads
from softsym.nn.network import get_prior
from softsym.progress import reporter
from softsym.regularize import EquivarianceRegularizer
from softsym.regularize.strengths import Controller, Fixed
from softsym.training import checkpoint
from softsym.training.config import TrainingConfig
from softsym.training.devices import Devices, make_devices
from softsym.training.history import EarlyStopping, History, last_epoch
from softsym.training.optim import WeightAverage, make_optimizer, set_learning_rate
from softsym.training.splits import Pair, Splits

Row = dict[str, Any]
Criterion = Callable[[Tensor, Tensor], Tensor]
"""The loss of a task, from predictions and truth to its mean over rows."""
Measure = Callable[[nn.Module], dict[str, float]]
"""Equivariance errors of a model by group."""
ViolationMetric = Callable[[nn.Module, int], dict[str, float]]
"""Violations of the candidate groups by a model on data; the number is a seed."""
BatchHook = Callable[[Tensor, Tensor, int], tuple[Tensor, Tensor]]
"""Changes a batch before the model sees it: from inputs (n, inputs), outputs (n, outputs) and the number of the step."""
LossHook = Callable[[nn.Module, Tensor, Tensor, int], Tensor]
"""Adds to the loss of a batch: a scalar from the model, inputs (n, inputs), their predictions (n, outputs) and the number of the step."""


class Losses(NamedTuple):
    """The loss of a batch, and the task's part of it."""

    whole: Tensor
    task: Tensor


@dataclass(frozen=True, eq=False)
class Objective:
    """The loss of a step: the task's loss on a batch, and what model, regularizer and hooks add to it."""

    model: nn.Module  # the model; the prior that it declares (:class:`softsym.nn.HasPrior`) is part of the loss
    regularizer: EquivarianceRegularizer | None = None  # penalties of symmetries
    criterion: Criterion = nn.functional.mse_loss  # the task's loss
    on_batch: BatchHook | None = None  # changes every batch
    on_loss: LossHook | None = None  # adds to the loss of every batch
    penalises: bool = True  # whether the regularizer is part of the loss; otherwise it acts by proximal steps
    balanced: bool = False  # whether the term of the hook is scaled to the size of the task's loss in every batch

    def __call__(self, f: Callable[[Tensor], Tensor], x: Tensor, y: Tensor, step: int) -> Losses:
        """Computes the losses of a batch."""
        if self.on_batch is not None:
            x, y = self.on_batch(x, y, step)
        prediction = f(x)
        # In mixed precision predictions have another dtype than data, and not every torch compares the two.
        y = y.to(prediction.dtype) if y.is_floating_point() else y
        task = whole = self.criterion(prediction, y)
        if self.on_loss is not None:
            added = self.on_loss(self.model, x, prediction, step)
            if self.balanced:
                added = added * (task / added.clamp_min(torch.finfo(added.dtype).tiny)).detach()
            whole = whole + added
        if (prior := get_prior(self.model)) is not None:
            whole = whole + prior()
        if self.regularizer is not None and self.penalises:
            whole = whole + self.regularizer()
        return Losses(whole, task)


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
    config: TrainingConfig,
    *,
    regularizer: EquivarianceRegularizer | None = None,
    controller: Controller | None = None,
    criterion: Criterion = nn.functional.mse_loss,
    on_batch: BatchHook | None = None,
    on_loss: LossHook | None = None,
    balanced: bool = False,
    measure: Measure | None = None,
    violations: ViolationMetric | None = None,
    folder: Path | None = None,
    resume: bool = False,
    quiet: bool = True,
    on_epoch: Callable[[Row], bool | None] | None = None,
) -> Fitted:
    """Trains a model.

    Args:
        model: The model; the prior that it declares (:class:`softsym.nn.HasPrior`) is added to the loss. After training it is on the
            device where it was.
        data: Training and validation data.
        config: The hyperparameters.
        regularizer: Penalties of symmetries.
        controller: Changes the regularizer's strengths; they stay fixed by default.
        criterion: The loss, from predictions and truth to its mean over rows.
        on_batch: Changes every training batch before the model sees it.
        on_loss: Adds to the loss of every training batch.
        balanced: Scale its term to the size of the task's loss, batch by batch.
        measure: Equivariance errors of the model, taken at the period in ``config``.
        violations: Violations on data, for a controller that reads them (:class:`softsym.metrics.equivariance.Violations`).
        folder: Where checkpoints and history go; None to keep nothing.
        resume: Go on from the newest checkpoint in the folder.
        quiet: Show no progress.
        on_epoch: Called with the history row of every epoch, while the model has its averaged weights; returns True to stop.
    """
    devices = make_devices(config)
    writes = folder if devices.global_rank == 0 else None
    stopping = EarlyStopping(config.patience, config.stop_after, config.early_stopping)
    controller = controller or Fixed()
    if regularizer is not None:
        controller.begin(regularizer.strengths)
    if controller.reads == "data" and violations is None and regularizer is not None:
        raise InputError(f"{type(controller).__name__} reads what a model does on data; pass `violations`")
    objective = Objective(
        model, regularizer, criterion, on_batch, on_loss, penalises=config.form == "loss", balanced=balanced
    )
    device = next(model.parameters()).device
    wrapped, optimizer = devices.setup(model, make_optimizer(model, regularizer, config))
    dtype = next(model.parameters()).dtype
    x, y, x_val, y_val = (devices.to_device(values.to(dtype)) for values in (*data.train, *data.val))
    average = WeightAverage(model, config.average)
    state = checkpoint.TrainingState(model, optimizer, regularizer, controller, stopping, average)
    epoch, seconds_before = 0, 0.0
    if folder is not None and resume:
        saved = checkpoint.latest(folder / "checkpoints", last_epoch(folder / "history.jsonl"))
        if saved is not None:
            state.restore(saved)
            epoch, seconds_before = saved.epoch, saved.state["seconds"]
    history = History(None if writes is None else writes / "history.jsonl")
    history.restart(epoch)
    announce()
    work = config.batch * sum(parameter.numel() for parameter in model.parameters())
    began = time.perf_counter() - seconds_before
    with step_threads(work), reporter(config.epochs, epoch, quiet=quiet or devices.global_rank > 0) as report:
        while epoch < config.epochs and not stopping.is_over(epoch):
            epoch += 1
            loss, lr = train_epoch(devices, wrapped, optimizer, (x, y), config, epoch, objective, average)
            if not math.isfinite(loss):
                raise TrainingError(
                    f"the loss became {loss} in epoch {epoch}; the last good checkpoint is kept (try a smaller lr or strength)"
                )
            row: Row = {"epoch": epoch, "loss": loss, "lr": lr}
            is_due = epoch % config.validate_every == 0 or epoch == config.epochs
            with average.in_place():
                if is_due or stopping.counts(epoch):
                    row["validation"] = evaluate(model, x_val, y_val, criterion)
                    if stopping.improves(row["validation"], epoch):
                        state.note_best()
                if regularizer is not None:
                    if is_due or controller.wants_residuals(epoch):
                        row["residuals"] = readings = regularizer.totals()
                        if controller.reads == "data" and controller.wants_residuals(epoch):
                            assert violations is not None
                            row["violations"] = readings = violations(model, epoch)
                        regularizer.strengths = controller.on_epoch_end(readings, epoch)
                    row["strengths"] = dict(regularizer.strengths)
                if measure is not None and config.measure_every and epoch % config.measure_every == 0:
                    row["errors"] = measure(model)
            row["seconds"] = time.perf_counter() - began
            history.append(row)
            report(row)
            if writes is not None and epoch % config.checkpoint_every == 0:
                history.to_disk()
                checkpoint.save(writes / "checkpoints", state.capture(epoch, row["seconds"]))
            if on_epoch is not None:
                with average.in_place():
                    if on_epoch(row):
                        break
    if writes is not None:
        history.to_disk()
        checkpoint.save(writes / "checkpoints", state.capture(epoch, time.perf_counter() - began))
    strengths = dict(regularizer.strengths) if regularizer is not None else {}
    model.to(device)
    if not state.best:
        return Fitted(model, history.rows, epoch, epoch, None, strengths)
    model.load_state_dict(state.best)
    return Fitted(model, history.rows, epoch, stopping.best_epoch, stopping.best, strengths)


def train_epoch(
    devices: Devices,
    model: Any,
    optimizer: Any,
    train: Pair,
    config: TrainingConfig,
    epoch: int,
    objective: Objective,
    average: WeightAverage,
) -> tuple[float, float]:
    """One pass over the training data; returns the mean task loss and the last learning rate."""
    model.train()
    x, y = train
    generator = torch.Generator().manual_seed(config.seed * 1_000_003 + epoch)  # from seed and epoch alone
    order = torch.randperm(len(x), generator=generator).to(x.device)
    batches = order.split(config.batch)
    total, seen, rate = x.new_zeros(()), 0, 0.0
    for step, batch in enumerate(batches, (epoch - 1) * len(batches)):
        rate = set_learning_rate(optimizer, config, epoch, step % len(batches), len(batches))
        mine = batch[devices.global_rank :: devices.world_size]
        optimizer.zero_grad(set_to_none=True)
        loss, task_loss = objective(model, x[mine], y[mine], step * devices.world_size + devices.global_rank)
        devices.backward(loss)
        if config.clip:
            nn.utils.clip_grad_norm_(objective.model.parameters(), config.clip)
        optimizer.step()
        if objective.regularizer is not None and not objective.penalises:
            objective.regularizer.prox_(rate)
        average.update()
        total += task_loss.detach() * len(batch)
        seen += len(batch)
    return float(devices.all_reduce(total, reduce_op="mean")) / seen, rate


@torch.no_grad()
def evaluate(
    model: nn.Module, x: Tensor, y: Tensor, criterion: Criterion = nn.functional.mse_loss, chunk: int = 4096
) -> float:
    """The mean loss on all rows, in chunks; every process computes the same."""
    model.eval()
    parts = zip(x.split(chunk), y.split(chunk), strict=True)
    sums = [criterion(model(a), b) * len(a) for a, b in parts]
    return float(torch.stack(sums).sum()) / len(y)
