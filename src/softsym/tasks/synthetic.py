"""Tasks whose truth is a formula: as many examples as wanted, each with its exact answer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import ClassVar

import torch
from torch import Tensor

from softsym.groups import Group
from softsym.tasks.draw import stream
from softsym.tasks.error import Error, mse
from softsym.tasks.task import FIXED_SEED, Pair, Sizes, Splits, Task, Verdict, read_sizes, verdict

OBSERVED = 1_500
"""Rows of a table of a task whose truth is a formula."""


class Synthetic(Task):
    """A task with a known target function; a concrete one says what its inputs are and what the truth is."""

    error: ClassVar[Error] = mse

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
    def sizes(self) -> Sizes:
        """A thousand of each."""
        return Sizes(1000, 1000, 1000)

    @property
    def origin(self) -> str:
        """A formula."""
        return "computed from a formula"

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

    def splits(
        self, seed: int, sizes: tuple[int, int, int] | None = None, *, fixed_data: bool = False
    ) -> Splits:
        """Draws the data of one run, each part from its own stream."""
        counts = read_sizes(self.sizes if sizes is None else sizes)
        seed = FIXED_SEED if fixed_data else seed
        train, val, test = (
            self._draw(n, stream(seed, part)) for part, n in zip(counts._fields, counts, strict=True)
        )
        return Splits(train, val, test, self.error)

    def _draw(self, n: int, generator: torch.Generator) -> Pair:
        x = self.inputs(n, generator)
        return x.float(), self.truth(x).float()
