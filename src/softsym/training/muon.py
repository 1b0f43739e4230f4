r"""Muon: a step for a matrix of weights is its momentum made orthogonal.

With the singular value decomposition :math:`M = U S V^T` of the momentum, the step goes along :math:`U V^T`, which a few Newton-Schulz
iterations approximate by matrix products alone. It commutes with orthogonal changes of basis on both sides, so the step of an
equivariant gradient is equivariant; Adam's, entry by entry, leaves every equivariant space at once. What is no matrix is moved by Adam.

Torch has Muon too, but iterates in bfloat16, which is slow on a CPU, and leaves what is no matrix to a second optimizer.

Reference:
    Muon: An optimizer for hidden layers in neural networks (Jordan et al., 2024), https://kellerjordan.github.io/posts/muon/;
    Muon is Scalable for LLM Training (Liu et al., 2025), https://arxiv.org/abs/2502.16982 (the length of the step)
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch import Tensor, nn

LINEAR, CUBIC, QUINTIC = 3.4445, -4.7750, 2.0315
"""Coefficients of the polynomial x -> a x + b x^3 + c x^5 that brings singular values near one, as published."""
ITERATIONS = 5
AS_LONG_AS_ADAM = 0.2
"""Root mean square of an entry of Adam's steps, to which those of a matrix are scaled, so that one rate suits both."""


class Muon(torch.optim.Optimizer):
    """Muon for matrices, Adam for the rest, decoupled decay for both.

    Args:
        parameters: What is trained.
        lr: The rate.
        momentum: Weight of the past in the momentum of a matrix.
        betas: Weights of the past in Adam's averages.
        eps: Added to Adam's denominator.
        shrink: In every step all parameters lose this share of themselves, times the rate.

    Example:
        >>> net = nn.Linear(3, 2)
        >>> before = net.weight.detach().clone()
        >>> _ = net(torch.ones(1, 3)).sum().backward()
        >>> Muon(net.parameters(), lr=0.1).step()
        >>> bool((net.weight != before).all())
        True
    """

    def __init__(
        self,
        parameters: Iterable[nn.Parameter],
        lr: float,
        *,
        momentum: float = 0.95,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        shrink: float = 0.0,
    ) -> None:
        defaults = {"lr": lr, "momentum": momentum, "betas": betas, "eps": eps, "shrink": shrink}
        super().__init__(list(parameters), defaults)

    @torch.no_grad()
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Moves all parameters that have gradients; returns what a closure gives that computes them, if there is one."""
        with torch.enable_grad():
            loss = None if closure is None else closure()
        for group in self.param_groups:
            trained = [p for p in group["params"] if p.grad is not None]
            if group["shrink"]:
                torch._foreach_mul_(trained, 1 - group["lr"] * group["shrink"])
            self._move_matrices([p for p in trained if p.ndim == 2], group)
            self._move_others([p for p in trained if p.ndim != 2], group)
        return loss

    def _move_matrices(self, matrices: list[Tensor], group: dict[str, Any]) -> None:
        past = group["momentum"]
        by_shape: dict[torch.Size, list[Tensor]] = defaultdict(list)
        for parameter in matrices:
            state = self.state[parameter]
            if not state:
                state["momentum"] = torch.zeros_like(parameter)
            by_shape[parameter.shape].append(parameter)
        for shape, same in by_shape.items():
            if not shape.numel():
                continue
            momenta, gradients = [self.state[p]["momentum"] for p in same], _gradients(same)
            torch._foreach_lerp_(momenta, gradients, 1 - past)
            ahead = torch._foreach_lerp(gradients, momenta, past)
            length = group["lr"] * AS_LONG_AS_ADAM * math.sqrt(max(shape))
            for parameter, direction in zip(same, orthogonalised(torch.stack(ahead)), strict=True):
                parameter.sub_(direction, alpha=length)

    def _move_others(self, parameters: list[Tensor], group: dict[str, Any]) -> None:
        if not parameters:
            return
        first, second = group["betas"]
        for parameter in parameters:
            state = self.state[parameter]
            if not state:
                state |= {"mean": torch.zeros_like(parameter), "square": torch.zeros_like(parameter)}
                state["steps"] = torch.zeros(())
        states, gradients = [self.state[p] for p in parameters], _gradients(parameters)
        means, squares = [state["mean"] for state in states], [state["square"] for state in states]
        for state in states:
            state["steps"] += 1
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


def orthogonalised(matrices: Tensor) -> Tensor:
    """Matrices (k, m, n) with their singular values brought to about one (0.7 to 1.2), by Newton-Schulz iterations.

    Example:
        >>> M = torch.diag(torch.tensor([3.0, 0.5]))[None]
        >>> torch.linalg.svdvals(orthogonalised(M)).round(decimals=0)
        tensor([[1., 1.]])
    """
    is_tall = matrices.shape[1] > matrices.shape[2]
    X = matrices.mT if is_tall else matrices
    X = X / (X.norm(dim=(1, 2), keepdim=True) + torch.finfo(X.dtype).tiny ** 0.5)
    for _ in range(ITERATIONS):
        A = X @ X.mT
        X = torch.baddbmm(X, torch.baddbmm(A, A, A, beta=CUBIC, alpha=QUINTIC), X, beta=LINEAR)
    return X.mT if is_tall else X
