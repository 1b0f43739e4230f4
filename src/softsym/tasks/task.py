"""A task: a map to learn, how its data transform, and which symmetries it may have.

Inputs and outputs are vectors on which representations act. A task draws its own data from a seed; it never trains.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from softsym.errors import InputError
from softsym.groups import Group
from softsym.reps import Rep
from softsym.tasks.error import Error

Verdict = Literal["exact", "soft", "absent"]
Pair = tuple[Tensor, Tensor]
Scores = Callable[[Tensor, Tensor], dict[str, float]]
FIXED_SEED = 0
"""Seed of the data where every run is to have the same, as in the published code."""
TRUTH_ABSENT_ABOVE = 0.2
"""A symmetry is called absent if the truth breaks it by more: mean of |rho f(x) - f(rho x)| over the sum of both norms, Haar measure.

The boundary of the truth, not that of a verdict about a fitted model (``softsym.discovery.judge.verdict.MODEL_ABSENT_ABOVE``), whose error
has the model's own error in it."""


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
    sources: NDArray[np.int64] | None = None

    @property
    def sizes(self) -> Sizes:
        """Numbers of examples."""
        return Sizes(len(self.train[0]), len(self.val[0]), len(self.test[0]))


class Task(ABC):
    """A map to learn. Concrete tasks are frozen values; :func:`softsym.tasks.task` reads them from their name."""

    rep_in: ClassVar[Rep]
    rep_out: ClassVar[Rep]
    groups: ClassVar[tuple[Group, ...]]
    """Candidate groups."""
    largest: ClassVar[Group]
    """Group of gates and bilinear layers."""
    error: ClassVar[Error]
    """What is reported, for data in the task's own units; use the error of the :class:`Splits` for what they hold."""

    @property
    @abstractmethod
    def name(self) -> str:
        """The text form, which parses back."""

    @property
    @abstractmethod
    def origin(self) -> str:
        """Where the data come from, for reports: computed, simulated or recorded."""

    @property
    @abstractmethod
    def sizes(self) -> Sizes:
        """Numbers of examples if none are asked for."""

    @property
    def target(self) -> Callable[[Tensor], Tensor] | None:
        """The true map, from (..., rep_in.size) to (..., rep_out.size) in any float type; None where nobody knows it."""
        return None

    @property
    def expected(self) -> Mapping[Group, Verdict]:
        """What is known about each candidate group; empty where nothing is. See :data:`TRUTH_ABSENT_ABOVE`."""
        return {}

    @abstractmethod
    def sample(self, n: int, seed: int) -> Pair:
        """Draws n examples: inputs and outputs, float32, from a stream of their own; recorded ones may be in a split too."""

    @abstractmethod
    def splits(
        self, seed: int, sizes: tuple[int, int, int] | None = None, *, fixed_data: bool = False
    ) -> Splits:
        """Draws the data of one run.

        Args:
            seed: Seed of the run; everything drawn varies with it.
            sizes: Numbers of examples for training, validation and test.
            fixed_data: Draw the same data whatever the seed, as the published code does.
        """

    def observations(self, seed: int) -> Pair:
        """Inputs and outputs in their own units, as a person's file would hold them: the training data unless a task says otherwise."""
        return self.splits(seed).train

    def asked(self, seed: int) -> Pair:
        """Rows that are asked about symmetries without a model: the observations unless a task says otherwise."""
        return self.observations(seed)

    def at(self, file: str) -> Task:
        """The task with the file that its rows are read from.

        Raises:
            InputError: It needs none, or names its own.
        """
        raise InputError(f"{self.name} reads no file of records; leave it out")

    def together(self, seed: int) -> NDArray[np.int64] | None:
        """Labels 0, 1, ... of observations, and of rows that are asked, that belong together, shape (n,); None if each stands by itself."""
        return None

    def __str__(self) -> str:
        return self.name


def read_sizes(sizes: tuple[int, int, int]) -> Sizes:
    """Checks numbers of examples."""
    if len(sizes) != 3 or sizes[0] < 1 or min(sizes) < 0:
        raise InputError(
            f"`sizes` must be numbers of (training, validation, test) examples, at least (1, 0, 0), got {tuple(sizes)}"
        )
    return Sizes(*sizes)


def verdict(breaking: float) -> Verdict:
    """The word for how much a truth breaks a symmetry."""
    if breaking == 0.0:
        return "exact"
    return "soft" if breaking < TRUTH_ABSENT_ABOVE else "absent"
