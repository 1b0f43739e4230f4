"""An average of weights over the last steps: less noisy than the weights of any one step, and no further along."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import Tensor, nn

YOUNG = 10
"""An average of few steps forgets faster: after n steps the past counts at most (1 + n) / (this + n)."""


class Average:
    """The exponential average of a model's parameters.

    Args:
        model: The model.
        past: Weight of the past; with 0 there is no average, and the model stands for it.
    """

    def __init__(self, model: nn.Module, past: float) -> None:
        self._past, self._steps = past, 0
        trained = [p for p in model.parameters() if p.requires_grad] if past else []
        self._parameters: list[Tensor] = list(trained)
        self._values = [p.detach().clone() for p in self._parameters]

    @torch.no_grad()
    def update(self) -> None:
        """Takes the parameters as they are into the average."""
        self._steps += 1
        if self._values:
            past = min(self._past, (1 + self._steps) / (YOUNG + self._steps))
            torch._foreach_lerp_(self._values, self._parameters, 1 - past)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Inside the block the model has its average parameters."""
        if not self._values:
            yield
            return
        own = [p.detach().clone() for p in self._parameters]
        self._put(self._values)
        try:
            yield
        finally:
            self._put(own)

    @torch.no_grad()
    def _put(self, values: list[Tensor]) -> None:
        torch._foreach_copy_(self._parameters, values)

    def tensors(self) -> dict[str, Tensor]:
        """What must survive a restart; empty if there is no average."""
        steps = {"steps": torch.tensor(self._steps)} if self._values else {}
        return {str(place): value for place, value in enumerate(self._values)} | steps

    @torch.no_grad()
    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Puts :meth:`tensors` back."""
        if self._values:
            self._steps = int(tensors["steps"])
            torch._foreach_copy_(self._values, [tensors[str(place)] for place in range(len(self._values))])
