"""A loss with sample weights, which are the last column of the outputs."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from softsym.training.loop import Criterion


@dataclass(frozen=True)
class Weighted:
    """The mean over rows of weight times loss.

    Args:
        inner: The loss, which averages over its rows.

    Example:
        >>> loss = Weighted(torch.nn.functional.mse_loss)
        >>> loss(torch.tensor([[1.0], [1.0]]), torch.tensor([[0.0, 0.5], [3.0, 1.5]]))  # (0.5 * 1 + 1.5 * 4) / 2
        tensor(3.2500)
    """

    inner: Criterion

    def __call__(self, prediction: Tensor, y: Tensor) -> Tensor:
        """The loss of predictions (n, outputs) and outputs with weights (n, outputs + 1), a scalar."""
        true, weights = y[:, :-1], y[:, -1]
        if self.inner is torch.nn.functional.cross_entropy:
            each = torch.nn.functional.cross_entropy(prediction, true, reduction="none")
        else:
            each = (prediction - true).square().mean(1)
        return (weights * each).mean()
