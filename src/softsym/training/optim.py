r"""How weights change: optimizers, learning rate, and the average of weights over the last steps.

Muon makes the momentum of a matrix orthogonal: with its singular value decomposition :math:`M = U S V^T` the step goes along
:math:`U V^T`, which a few Newton-Schulz iterations approximate by matrix products alone. It commutes with orthogonal changes of basis
on both sides, so the step of an equivariant gradient is equivariant; Adam's, entry by entry, is not. ``torch.optim.Muon`` iterates in
bfloat16, which is slow on a CPU, and leaves what is no matrix to a second optimizer; hence our own.

Reference:
    Muon: An optimizer for hidden layers in neural networks (Jordan et al., 2024), https://kellerjordan.github.io/posts/muon/;
    Muon is Scalable for LLM Training (Liu et al., 2025), https://arxiv.org/abs/2502.16982 (the length of the step)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.optim import Optimizer

from softsym.regularize import EquivarianceRegularizer
from softsym.training.config import TrainingConfig

LINEAR, CUBIC, QUINTIC = 3.4445, -4.7750, 2.0315
"""Coefficients of the polynomial x -> a x + b x^3 + c x^5 that brings singular values near one, as published."""
NEWTON_SCHULZ_ITERATIONS = 5
MOMENTUM, BETAS = 0.95, (0.9, 0.999)  # weights of the past: of Muon's momentum, and of Adam's mean and square
ADAM_STEP_SIZE = 0.2
"""Root mean square of an entry of Adam's steps; those of a matrix are scaled to it, so that one learning rate suits both."""
DECAY_WARM_UP = 10
"""After n steps the decay of the average is at most (1 + n) / (this + n), so that it forgets the first steps quickly."""


def make_optimizer(model: nn.Module, regularizer: EquivarianceRegularizer | None, config: TrainingConfig) -> Optimizer:
    """Adam, or Muon for matrices; weight decay in the loss (L2) only on regularized weights and biases, decoupled decay on all."""
    if config.optimizer == "muon":
        trained = (p for p in model.parameters() if p.requires_grad)
        return Muon(trained, config.lr, eps=config.adam_eps, shrink=config.shrink)
    options: dict[str, Any] = {"lr": config.lr, "eps": config.adam_eps, "fused": True}
    if config.shrink:
        return torch.optim.AdamW(model.parameters(), weight_decay=config.shrink, **options)
    decayed = {id(p) for p in regularizer.stacked.parameters} if regularizer is not None else set()
    groups = [
        {"params": [p for p in model.parameters() if id(p) in decayed], "weight_decay": config.weight_decay},
        {"params": [p for p in model.parameters() if id(p) not in decayed], "weight_decay": 0.0},
    ]
    chosen = [group for group in groups if group["params"]]
    return torch.optim.Adam(chosen, **options)


def set_learning_rate(optimizer: Optimizer, config: TrainingConfig, epoch: int, batch: int, batches: int) -> float:
    """Sets the learning rate of a step and returns it: it rises in the warm-up, and then falls along half a cosine to zero.

    Without a warm-up it is constant within an epoch; with one the first step has a positive rate already.
    """
    part = (batch + 1) / batches if config.warm_up else 0.0
    done = (epoch - 1 + part) / config.epochs
    if done < config.warm_up:
        rate = config.lr * done / config.warm_up
    else:
        rate = config.lr * 0.5 * (1 + math.cos(math.pi * (done - config.warm_up) / (1 - config.warm_up)))
    for group in optimizer.param_groups:
        group["lr"] = rate
    return rate


class Muon(Optimizer):
    """Muon for matrices, Adam for the rest, decoupled decay for both."""

    def __init__(self, parameters: Iterable[Tensor], lr: float, *, eps: float = 1e-8, shrink: float = 0.0) -> None:
        super().__init__(parameters, {"lr": lr, "eps": eps, "shrink": shrink})

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Updates all parameters that have gradients; returns the value of a closure that computes them, if there is one."""
        with torch.enable_grad():
            loss = None if closure is None else closure()
        for group in self.param_groups:
            trained = [p for p in group["params"] if p.grad is not None]
            if group["shrink"]:
                torch._foreach_mul_(trained, 1 - group["lr"] * group["shrink"])
            self._step_matrices([p for p in trained if p.ndim == 2], group)
            self._step_others([p for p in trained if p.ndim != 2], group)
        return loss

    def _step_matrices(self, matrices: list[Tensor], group: dict[str, Any]) -> None:
        """A step along the orthogonalized momentum, for matrices of one shape together."""
        for shape in dict.fromkeys(p.shape for p in matrices if p.numel()):
            same = [p for p in matrices if p.shape == shape]
            for parameter in same:
                if not self.state[parameter]:
                    self.state[parameter]["momentum"] = torch.zeros_like(parameter)
            momenta, gradients = [self.state[p]["momentum"] for p in same], _gradients(same)
            torch._foreach_lerp_(momenta, gradients, 1 - MOMENTUM)
            ahead = torch._foreach_lerp(gradients, momenta, MOMENTUM)
            length = group["lr"] * ADAM_STEP_SIZE * math.sqrt(max(shape))
            for parameter, direction in zip(same, orthogonalize(torch.stack(ahead)), strict=True):
                parameter.sub_(direction, alpha=length)

    def _step_others(self, parameters: list[Tensor], group: dict[str, Any]) -> None:
        """A step of Adam."""
        if not parameters:
            return
        first, second = BETAS
        for parameter in parameters:
            state = self.state[parameter]
            if not state:
                state |= {name: torch.zeros_like(parameter) for name in ("mean", "square")} | {"steps": torch.zeros(())}
            state["steps"] += 1
        states, gradients = [self.state[p] for p in parameters], _gradients(parameters)
        means, squares = [state["mean"] for state in states], [state["square"] for state in states]
        steps = float(states[0]["steps"])
        torch._foreach_lerp_(means, gradients, 1 - first)
        torch._foreach_mul_(squares, second)
        torch._foreach_addcmul_(squares, gradients, gradients, 1 - second)
        sizes = torch._foreach_sqrt(squares)
        torch._foreach_div_(sizes, math.sqrt(1 - second**steps))
        torch._foreach_add_(sizes, group["eps"])
        torch._foreach_addcdiv_(parameters, means, sizes, -group["lr"] / (1 - first**steps))


def _gradients(parameters: list[Tensor]) -> list[Tensor]:
    return [p.grad for p in parameters if p.grad is not None]


def orthogonalize(matrices: Tensor) -> Tensor:
    """Brings the singular values of matrices (k, m, n) to about one (0.7 to 1.2) by Newton-Schulz iterations."""
    is_tall = matrices.shape[1] > matrices.shape[2]
    X = matrices.mT if is_tall else matrices
    X = X / (X.norm(dim=(1, 2), keepdim=True) + torch.finfo(X.dtype).tiny ** 0.5)
    for _ in range(NEWTON_SCHULZ_ITERATIONS):
        A = X @ X.mT
        X = torch.baddbmm(X, torch.baddbmm(A, A, A, beta=CUBIC, alpha=QUINTIC), X, beta=LINEAR)
    return X.mT if is_tall else X


class WeightAverage:
    """The exponential moving average of a model's parameters, less noisy than those of any one step; a ``decay`` of 0 is none.

    Unlike ``torch.optim.swa_utils.AveragedModel`` it has a warm-up and puts its values into the model itself, for validation.
    """

    def __init__(self, model: nn.Module, decay: float) -> None:
        self._decay, self._steps = decay, 0
        self._parameters: list[Tensor] = [p for p in model.parameters() if p.requires_grad and decay]
        self._values = [p.detach().clone() for p in self._parameters]

    @torch.no_grad()
    def update(self) -> None:
        """Adds the current parameters to the average."""
        self._steps += 1
        if self._values:
            decay = min(self._decay, (1 + self._steps) / (DECAY_WARM_UP + self._steps))
            torch._foreach_lerp_(self._values, self._parameters, 1 - decay)

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Inside the block the model has the averaged parameters."""
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
        """State for checkpoints; empty without averaging."""
        steps = {"steps": torch.tensor(self._steps)} if self._values else {}
        return {str(place): value for place, value in enumerate(self._values)} | steps

    @torch.no_grad()
    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Restores :meth:`tensors`."""
        if self._values:
            self._steps = int(tensors["steps"])
            torch._foreach_copy_(self._values, [tensors[str(place)] for place in range(len(self._values))])
