"""The training loop, top to bottom: Adam, cosine decay, strength controller, early stopping, checkpoints.

Data live in memory as tensors and batches are index selections. The order of each epoch is drawn from (seed, epoch) alone, so a
resumed run sees exactly what the uninterrupted one would have seen. Device, precision and data parallelism come from Lightning Fabric.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from lightning_fabric import Fabric
from torch import Tensor, nn

from softsym.errors import InputError, TrainingError
from softsym.progress import reporter
from softsym.regularize import EquivarianceRegularizer
from softsym.regularize.strengths import Controller, Fixed
from softsym.tasks.task import Splits
from softsym.training import checkpoint
from softsym.training.history import History
from softsym.training.settings import Settings
from softsym.training.state import capture, restore
from softsym.training.stopping import EarlyStopping

Measure = Callable[[nn.Module], dict[str, float]]
Criterion = Callable[[Tensor, Tensor], Tensor]


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
    history: list[dict[str, Any]]
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
    measure: Measure | None = None,
    folder: Path | None = None,
    resume: bool = False,
    quiet: bool = True,
    on_epoch: Callable[[dict[str, Any]], bool | None] | None = None,
) -> Fitted:
    """Trains a model.

    Args:
        model: The model; its ``prior()``, if it has one, is added to the loss.
        data: Training and validation data.
        settings: The numbers of the run.
        regularizer: Pulls the model towards symmetries.
        controller: Changes the regularizer's strengths; they stay fixed by default.
        criterion: The loss, from predictions and truth to its mean over rows.
        measure: Model equivariance errors, taken at the period of the settings.
        folder: Where checkpoints and history go; None to keep nothing.
        resume: Go on from the newest checkpoint in the folder.
        quiet: Show no progress.
        on_epoch: Called with the history row of every epoch; returns True to stop.
    """
    fabric = make_fabric(settings)
    if settings.batch % fabric.world_size:
        raise InputError(
            f"the batch of {settings.batch} must be a multiple of the {fabric.world_size} processes"
        )
    prior: Callable[[], Tensor] | None = getattr(model, "prior", None)
    controller = controller or Fixed()
    if regularizer is not None:
        controller.begin(regularizer.strengths)
    stopping = EarlyStopping(settings.patience, settings.stop_after, settings.early_stopping)
    optimizer = make_optimizer(model, regularizer, settings)
    wrapped, optimizer = fabric.setup(model, optimizer)
    (x, y), (x_val, y_val) = (tuple(fabric.to_device(t) for t in pair) for pair in (data.train, data.val))
    x, y, x_val, y_val = (t.to(next(model.parameters()).dtype) for t in (x, y, x_val, y_val))
    main = fabric.global_rank == 0
    history = History(folder / "history.jsonl" if folder is not None and main else None)
    best: dict[str, Tensor] = {}
    start, before = 0, 0.0
    if folder is not None and resume and (saved := checkpoint.latest(folder / "checkpoints")) is not None:
        start, best = saved.epoch, restore(saved, model, optimizer, regularizer, controller, stopping)
        before = saved.state["seconds"]
    history.restart(start)

    def save(epoch: int, seconds: float) -> None:
        if folder is not None and main:
            state = capture(epoch, seconds, model, best, optimizer, regularizer, controller, stopping)
            checkpoint.save(folder / "checkpoints", state)

    began, epoch = time.perf_counter(), start
    with reporter(settings.epochs, start, quiet=quiet or not main) as report:
        while epoch < settings.epochs and not stopping.is_over(epoch):
            epoch += 1
            lr = settings.lr * 0.5 * (1 + math.cos(math.pi * (epoch - 1) / settings.epochs))
            for group in optimizer.param_groups:
                group["lr"] = lr
            loss = train_epoch(
                fabric, wrapped, optimizer, x, y, settings, epoch, regularizer, prior, criterion
            )
            if not math.isfinite(loss):
                raise TrainingError(
                    f"the loss became {loss} in epoch {epoch}; the last good checkpoint is kept (try a smaller lr or strength)"
                )
            row: dict[str, Any] = {"epoch": epoch, "loss": loss, "lr": lr}
            wants = epoch % settings.validate_every == 0 or epoch == settings.epochs
            if stopping.counts(epoch) or wants:
                row["validation"] = evaluate(model, x_val, y_val, criterion)
                if stopping.improves(row["validation"], epoch):
                    best = {name: p.detach().clone() for name, p in model.state_dict().items()}
            if regularizer is not None:
                if wants or controller.wants_residuals(epoch):
                    row["residuals"] = regularizer.totals()
                    regularizer.strengths = controller.on_epoch_end(row["residuals"], epoch)
                row["strengths"] = dict(regularizer.strengths)
            if measure is not None and settings.measure_every and epoch % settings.measure_every == 0:
                row["errors"] = measure(model)
            row["seconds"] = before + time.perf_counter() - began
            history.append(row)
            report(row)
            if epoch % settings.checkpoint_every == 0:
                save(epoch, row["seconds"])
            if on_epoch is not None and on_epoch(row):
                break
    save(epoch, before + time.perf_counter() - began)
    if best:
        model.load_state_dict(best)
    found = stopping.best if best else None
    strengths = dict(regularizer.strengths) if regularizer is not None else {}
    return Fitted(model, history.rows, epoch, stopping.best_epoch if best else epoch, found, strengths)


def train_epoch(
    fabric: Fabric,
    model: Any,
    optimizer: Any,
    x: Tensor,
    y: Tensor,
    settings: Settings,
    epoch: int,
    regularizer: EquivarianceRegularizer | None,
    prior: Callable[[], Tensor] | None,
    criterion: Criterion = nn.functional.mse_loss,
) -> float:
    """One pass over the training data; returns the mean task loss."""
    model.train()
    order = torch.randperm(len(x), generator=epoch_generator(settings.seed, epoch)).to(x.device)
    total, seen = x.new_zeros(()), 0
    for batch in order.split(settings.batch):
        mine = batch[fabric.global_rank :: fabric.world_size]
        optimizer.zero_grad(set_to_none=True)
        task_loss = criterion(model(x[mine]), y[mine])
        loss = task_loss
        if prior is not None:
            loss = loss + prior()
        if regularizer is not None:
            loss = loss + regularizer()
        fabric.backward(loss)
        optimizer.step()
        total += task_loss.detach() * len(batch)
        seen += len(batch)
    return float(fabric.all_reduce(total, reduce_op="mean")) / seen  # type: ignore[arg-type]


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


def make_optimizer(
    model: nn.Module, regularizer: EquivarianceRegularizer | None, settings: Settings
) -> torch.optim.Optimizer:
    """Adam; weight decay (L2 in the loss) only on regularised weights and biases."""
    decayed = {id(p) for p in regularizer.stacked.parameters} if regularizer is not None else set()
    groups = [
        {
            "params": [p for p in model.parameters() if id(p) in decayed],
            "weight_decay": settings.weight_decay,
        },
        {"params": [p for p in model.parameters() if id(p) not in decayed], "weight_decay": 0.0},
    ]
    chosen = [group for group in groups if group["params"]]
    return torch.optim.Adam(chosen, lr=settings.lr, eps=settings.adam_eps, fused=True)


def make_fabric(settings: Settings) -> Fabric:
    """Fabric with the run's devices and precision; several processes talk by DDP."""
    import os

    world = int(os.environ.get("WORLD_SIZE", "1"))
    parallel = settings.devices > 1 or world > 1
    fabric = Fabric(
        accelerator=settings.accelerator,
        devices=max(settings.devices, int(os.environ.get("LOCAL_WORLD_SIZE", "1"))),
        strategy="ddp" if parallel else "auto",
        precision=settings.precision,
    )
    if parallel:
        fabric.launch()
    return fabric
