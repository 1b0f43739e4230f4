"""What one step makes small: the task's loss on a batch, and what model, regularizer and hooks add to it.

A hook is told the number of the step and may depend on nothing else that changes: a resumed run then does exactly what the
uninterrupted one would have done.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import torch
from torch import Tensor, nn

from softsym.nn.network import get_prior
from softsym.regularize import EquivarianceRegularizer

Criterion = Callable[[Tensor, Tensor], Tensor]
"""The loss of a task, from predictions and truth to its mean over rows."""


class BatchHook(Protocol):
    """Changes a batch before the model sees it."""

    def __call__(self, x: Tensor, y: Tensor, step: int) -> tuple[Tensor, Tensor]:
        """Inputs (n, inputs) and outputs (n, outputs), changed."""


class LossHook(Protocol):
    """Adds to the loss of a batch."""

    def __call__(self, model: nn.Module, x: Tensor, prediction: Tensor, step: int) -> Tensor:
        """What is added: a differentiable scalar, for inputs (n, inputs) and their predictions (n, outputs)."""


class Losses(NamedTuple):
    """The loss of a batch, and the task's part of it."""

    whole: Tensor
    task: Tensor


@dataclass(frozen=True, eq=False)
class Objective:
    """What is to become small.

    Args:
        model: The model; the prior that it declares (:class:`softsym.nn.HasPrior`) is part of the loss.
        regularizer: Pulls the model towards symmetries.
        criterion: The task's loss.
        on_batch: Changes every batch.
        on_loss: Adds to the loss of every batch.
        penalises: Whether the regularizer is part of the loss; it may act by steps of its own instead.
        balanced: Whether what the hook adds is scaled to the size of the task's loss in every batch.
    """

    model: nn.Module
    regularizer: EquivarianceRegularizer | None = None
    criterion: Criterion = nn.functional.mse_loss
    on_batch: BatchHook | None = None
    on_loss: LossHook | None = None
    penalises: bool = True
    balanced: bool = False

    def __call__(self, f: Callable[[Tensor], Tensor], x: Tensor, y: Tensor, step: int) -> Losses:
        """The losses of a batch.

        Args:
            f: The model as the devices wrap it.
            x: Inputs (n, inputs).
            y: Outputs (n, outputs).
            step: The number of the step, from zero; other processes of the same run have other numbers.
        """
        if self.on_batch is not None:
            x, y = self.on_batch(x, y, step)
        prediction = f(x)
        # In mixed precision predictions are less precise than data, and not every torch compares the two.
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
