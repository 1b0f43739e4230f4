"""Training, validation and test rows of one run, and the error that is reported on them."""

from __future__ import annotations

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
    """A named error; calling it gives the mean over all examples."""

    name: str  # name for tables, such as ``"MSE"``
    unit: str  # unit of the values, empty for none
    each: Callable[[Tensor, Tensor], Tensor]
    """From predictions and truth, both (..., n), the error of every example, (...)."""

    def __call__(self, prediction: Tensor, truth: Tensor) -> Tensor:
        """The mean error, a scalar."""
        if prediction.shape != truth.shape:
            shapes = f"{tuple(prediction.shape)} and {tuple(truth.shape)}"
            raise InputError(f"prediction and truth must have the same shape, got {shapes}")
        return self.each(prediction, truth).mean()


def squared_error(prediction: Tensor, truth: Tensor) -> Tensor:
    """Squared error, averaged over coordinates: (..., n) to (...)."""
    return (prediction - truth).square().mean(-1)


mse = Error("MSE", "", squared_error)
"""Mean squared error, over examples and coordinates."""


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
        scores: Further scores by name, from predictions and truth (n, outputs) of the test; None for none.
        row_groups: Labels 0, 1, ... of the row groups of the training rows, shape (n,); None if rows are independent.
    """

    train: Pair
    val: Pair
    test: Pair
    error: Error
    scores: Scores | None = None
    row_groups: Index | None = None

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
