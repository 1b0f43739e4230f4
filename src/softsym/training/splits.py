"""Training, validation and test rows of one run, and the error that is reported on them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from torch import Tensor

from softsym.errors import InputError
from softsym.typing import Index

Pair = tuple[Tensor, Tensor]
Scores = Callable[[Tensor, Tensor], dict[str, float]]


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


class Sizes(NamedTuple):
    """Numbers of examples for training, validation and test."""

    train: int
    val: int
    test: int


@dataclass(frozen=True, eq=False)
class Splits:
    """The data of one run.

    Args:
        train: Inputs (n, rep_in.size) and outputs (n, rep_out.size), float32.
        val: The same, for validation.
        test: The same, for the test.
        error: What is reported on them, in the units of the task even if the data are normalised.
        scores: What else is worth reporting, by name, from predictions and truth (n, outputs) of the test; None for nothing.
        sources: Labels 0, 1, ... of the training rows that belong together, shape (n,); None if each stands by itself.
    """

    train: Pair
    val: Pair
    test: Pair
    error: Error
    scores: Scores | None = None
    sources: Index | None = None

    @property
    def sizes(self) -> Sizes:
        """Numbers of examples."""
        return Sizes(len(self.train[0]), len(self.val[0]), len(self.test[0]))


def read_sizes(sizes: tuple[int, int, int]) -> Sizes:
    """Checks numbers of examples."""
    if len(sizes) != 3 or sizes[0] < 1 or min(sizes) < 0:
        raise InputError(
            f"`sizes` must be numbers of (training, validation, test) examples, at least (1, 0, 0), got {tuple(sizes)}"
        )
    return Sizes(*sizes)
