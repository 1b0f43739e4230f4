"""A task: a target function, its representations and candidate groups.

Inputs and outputs are vectors on which representations act. A task draws its own data from a seed; it never trains.
"""

from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar, Literal

import numpy as np
import torch
from torch import Tensor

from softsym.errors import InputError
from softsym.groups import Group
from softsym.reps import Rep
from softsym.training.splits import Error, Pair, Sizes, Splits, mse, read_sizes
from softsym.typing import Index

Verdict = Literal["exact", "soft", "absent"]
FIXED_SEED = 0  # seed of the data where every run is to have the same, as in the published code
OBSERVED = 1_500  # rows of a table of a task whose truth is a formula
TRUTH_ABSENT_ABOVE = 0.2
"""A symmetry is called absent if the equivariance error of the truth is larger."""


def stream(seed: int, name: str) -> torch.Generator:
    """The random generator of a named stream: drawing more from one never changes another."""
    seed = operator.index(seed)
    if seed < 0:
        raise InputError(f"`seed` must not be negative, got {seed}")
    (word,) = np.random.SeedSequence([seed, *name.encode()]).generate_state(1, np.uint64)
    return torch.Generator().manual_seed(int(word) >> 1)


class Task(ABC):
    """A target function to learn. Concrete tasks are frozen values; :func:`softsym.datasets.builtin` reads them from their name."""

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
        """The true map, from (..., rep_in.size) to (..., rep_out.size) in any float type; None where it is unknown."""
        return None

    @property
    def expected(self) -> Mapping[Group, Verdict]:
        """What is known about each candidate group; empty where nothing is. See :data:`TRUTH_ABSENT_ABOVE`."""
        return {}

    @abstractmethod
    def sample(self, n: int, seed: int) -> Pair:
        """Draws n examples: inputs and outputs, float32, from a stream of their own; recorded ones may be in a split too."""

    @abstractmethod
    def splits(self, seed: int, sizes: tuple[int, int, int] | None = None, *, fixed_data: bool = False) -> Splits:
        """Draws examples for training, validation and test; ``fixed_data`` are the same for every seed, as in the published code."""

    def observations(self, seed: int) -> Pair:
        """Inputs and outputs in their own units, as a file would hold them: by default the training data."""
        return self.splits(seed).train

    def evidence_data(self, seed: int) -> Pair:
        """Rows for tests of symmetry without a model: by default the observations."""
        return self.observations(seed)

    def with_file(self, file: str) -> Task:
        """The task that reads its rows from a file; an :class:`InputError` if it needs none, or names its own."""
        raise InputError(f"{self.name} reads no file of records; leave it out")

    def row_groups(self, seed: int) -> Index | None:
        """Labels 0, 1, ... of the row groups of observations and evidence data, shape (n,); None if rows are independent."""
        return None

    def __str__(self) -> str:
        return self.name


def verdict(breaking: float) -> Verdict:
    """The verdict for the equivariance error of a target function."""
    if breaking == 0.0:
        return "exact"
    return "soft" if breaking < TRUTH_ABSENT_ABOVE else "absent"


class Synthetic(Task):
    """A task with a known target function; subclasses define the distribution of inputs and the function."""

    error: ClassVar[Error] = mse
    sizes: ClassVar[Sizes] = Sizes(1000, 1000, 1000)
    origin: ClassVar[str] = "computed from a formula"

    @abstractmethod
    def inputs(self, n: int, generator: torch.Generator) -> Tensor:
        """Draws inputs, shape (n, rep_in.size), float64."""

    @abstractmethod
    def truth(self, x: Tensor) -> Tensor:
        """The true map, from (..., rep_in.size) to (..., rep_out.size)."""

    @property
    @abstractmethod
    def breaking(self) -> Mapping[Group, float]:
        """About how large the truth's own equivariance error is, for each candidate group; zero only where it is exactly zero."""

    @property
    def expected(self) -> Mapping[Group, Verdict]:
        """Exact, soft or absent, by how much the truth breaks each candidate group."""
        return {candidate: verdict(value) for candidate, value in self.breaking.items()}

    @property
    def target(self) -> Callable[[Tensor], Tensor]:
        """The true map."""
        return self.truth

    def sample(self, n: int, seed: int) -> Pair:
        """Draws n examples: inputs and outputs, float32, independent of all splits."""
        return self._draw(n, stream(seed, "sample"))

    def observations(self, seed: int) -> Pair:
        """Examples computed afresh: a formula can give more than the training data."""
        return self.sample(OBSERVED, seed)

    def splits(self, seed: int, sizes: tuple[int, int, int] | None = None, *, fixed_data: bool = False) -> Splits:
        """Draws the data of one run, each part from its own stream."""
        counts = read_sizes(self.sizes if sizes is None else sizes)
        seed = FIXED_SEED if fixed_data else seed
        train, val, test = (self._draw(n, stream(seed, part)) for part, n in zip(counts._fields, counts, strict=True))
        return Splits(train, val, test, self.error)

    def _draw(self, n: int, generator: torch.Generator) -> Pair:
        x = self.inputs(n, generator)
        return x.float(), self.truth(x).float()
