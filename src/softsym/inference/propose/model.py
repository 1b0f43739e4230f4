"""A fitted model next to the kernel fit: its values and Jacobians in scaled columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from softsym.errors import InputError
from softsym.inference.propose.matrix_action import Action
from softsym.typing import Array

Base = tuple[Array, Array]


class Differentiable(Protocol):
    """A function with its Jacobian."""

    def __call__(self, X: Array) -> Array:
        """Rows (n, D) to rows (n, q)."""

    def jacobian(self, X: Array) -> Array:
        """Derivatives (n, q, D)."""


def read_model(model: Any) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
    """Values (n, q) and Jacobians (n, q, D) of a torch module, or of anything callable with a ``jacobian``."""
    import torch

    if isinstance(model, torch.nn.Module):
        return _of_module(model)
    if not callable(model) or not callable(getattr(model, "jacobian", None)):
        raise InputError("`model` must be a torch module, or a function of rows with a method `jacobian`")
    return (lambda X: np.asarray(model(X), dtype=np.float64)), (
        lambda X: np.asarray(model.jacobian(X), dtype=np.float64)
    )


def scaled_base(model: Any, X: Array, source: Action, target: Action) -> Base:
    """Values without units and Jacobians by scaled inputs, at rows (n, D)."""
    values, jacobian = (function(X) for function in read_model(model))
    if values.shape != (len(X), len(target.unit)) or jacobian.shape != (*values.shape, X.shape[1]):
        raise InputError(
            f"`model` gives values of shape {values.shape} and Jacobians of shape {jacobian.shape}; expected "
            f"({len(X)}, {len(target.unit)}) and ({len(X)}, {len(target.unit)}, {X.shape[1]})"
        )
    return (values - target.shift) / target.unit, jacobian * source.unit / target.unit[:, None]


def _of_module(module: Any) -> tuple[Callable[[Array], Array], Callable[[Array], Array]]:
    import torch

    weights = next(iter(module.parameters()), torch.zeros(0))

    def tensor(X: Array) -> Any:
        return torch.tensor(X, dtype=weights.dtype, device=weights.device)

    def values(X: Array) -> Array:
        with torch.no_grad():
            return np.asarray(module(tensor(X)).cpu().numpy(), dtype=np.float64)

    def jacobian(X: Array) -> Array:
        def summed(x: Any) -> Any:
            return module(x).sum(dim=0)  # rows are independent, so one backward pass serves all

        slopes = torch.autograd.functional.jacobian(summed, tensor(X))
        return np.asarray(slopes.detach().permute(1, 0, 2).cpu().numpy(), dtype=np.float64)

    return values, jacobian
