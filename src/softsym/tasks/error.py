"""How far a prediction is off: a named error with its unit, for each example and on average."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

from softsym.errors import InputError


@dataclass(frozen=True)
class Error:
    """A named error; calling it gives the mean over all examples.

    Args:
        name: Name for tables, such as ``"MSE"``.
        unit: Unit of the values, empty for none.
        each: From predictions and truth, both (..., n), the error of every example, (...).
    """

    name: str
    unit: str
    each: Callable[[Tensor, Tensor], Tensor]

    def __call__(self, prediction: Tensor, truth: Tensor) -> Tensor:
        """The mean error, a scalar."""
        if prediction.shape != truth.shape:
            raise InputError(
                f"prediction and truth must have the same shape, got {tuple(prediction.shape)} and {tuple(truth.shape)}"
            )
        return self.each(prediction, truth).mean()


def squared_error(prediction: Tensor, truth: Tensor) -> Tensor:
    """Squared error, averaged over coordinates: (..., n) to (...)."""
    return (prediction - truth).square().mean(-1)


def displacement_error(prediction: Tensor, truth: Tensor, scale: Tensor | None = None) -> Tensor:
    """Euclidean distance, averaged over the points of a trajectory: (..., 3T) to (...).

    Args:
        prediction: T points, one after another, shape (..., 3T).
        truth: The same.
        scale: Length of one unit along x, y and z, shape (3,); one each by default.
    """
    apart = (prediction - truth).unflatten(-1, (-1, 3))
    if scale is not None:
        apart = apart * scale.to(apart)
    return apart.norm(dim=-1).mean(-1)


mse = Error("MSE", "", squared_error)
"""Mean squared error, over examples and coordinates."""

ade = Error("ADE", "m", displacement_error)
"""Average displacement error of trajectories in metres."""


def scaled_ade(scale: Tensor) -> Error:
    """The average displacement error in metres of trajectories that were divided by ``scale``, shape (3,).

    Example:
        >>> import torch
        >>> error = scaled_ade(torch.tensor([2.0, 2.0, 2.0]))
        >>> error(torch.tensor([[3.0, 4.0, 0.0]]), torch.zeros(1, 3))
        tensor(10.)
    """
    return Error(ade.name, ade.unit, functools.partial(displacement_error, scale=scale.detach().clone()))


def scaled_mse(scale: float) -> Error:
    """The mean squared error of outputs that were divided by ``scale``, in their own units.

    Example:
        >>> import torch
        >>> scaled_mse(3.0)(torch.tensor([[1.0, 1.0]]), torch.zeros(1, 2))
        tensor(9.)
    """
    return Error(mse.name, mse.unit, lambda prediction, truth: scale**2 * squared_error(prediction, truth))
