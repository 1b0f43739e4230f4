"""Flights: recorded balls under the three normalisations of vehicles, six past positions to six future ones.

The file is the one of :mod:`softsym_lab.tasks.table_tennis`. Gravity singles out z, which no normalisation changes, and all balls
fly one way, so that dividing every axis by its own standard deviation breaks rotations about z as well: what a normalisation costs shows on
real, public data.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from softsym.data import encode_labels
from softsym.datasets import FIXED_SEED, Arguments, Task, stream
from softsym.errors import InputError
from softsym.groups import Group, group
from softsym.metrics import TRAJECTORY as NORMALISATIONS
from softsym.reps import Rep, rep
from softsym.training import Error, Pair, Sizes, Splits, read_sizes
from softsym.typing import Index
from softsym_lab.tasks.motion.normalise import Normaliser
from softsym_lab.tasks.motion.trajectories import MotionData, halves
from softsym_lab.tasks.recordings import Rows, ade, split_by_group
from softsym_lab.tasks.table_tennis import TableTennis


@dataclass(frozen=True)
class Flights(Task):
    """Six past positions of a ball to six future ones, normalised.

    Args:
        normalisation: ``scale-aware``, ``symmetry-aware`` or ``symmetry-scale-aware``.
        file: The file of recorded flights; without it the task has representations, but no rows.
    """

    normalisation: str = "symmetry-aware"
    file: str | None = None
    rep_in: ClassVar[Rep] = rep("6V")
    rep_out: ClassVar[Rep] = rep("6V")
    groups: ClassVar[tuple[Group, ...]] = tuple(group(f"O(2)@{axis}") for axis in "xyz")
    largest: ClassVar[Group] = group("O(3)")
    error: ClassVar[Error] = ade

    def __post_init__(self) -> None:
        Arguments(self.name, "flights", self.normalisation, {}).choose("", NORMALISATIONS)

    @staticmethod
    def read(arguments: Arguments) -> Flights:
        """Reads the task from its text."""
        arguments.only("file")
        return Flights(arguments.choose("symmetry-aware", NORMALISATIONS), arguments.options.get("file"))

    @property
    def name(self) -> str:
        """``flights:`` and the normalisation, and the file."""
        return f"flights:{self.normalisation}" + ("" if self.file is None else f",file={self.file}")

    @property
    def origin(self) -> str:
        """That they are recorded, not simulated."""
        return "recorded flights of table-tennis balls, split by flight"

    @property
    def sizes(self) -> Sizes:
        """Two thousand windows to train on, as :class:`~softsym_lab.tasks.table_tennis.TableTennis` has."""
        return Sizes(2000, 500, 500)

    def with_file(self, file: str) -> Flights:
        """See the base class."""
        return replace(self, file=str(file))

    def sample(self, n: int, seed: int) -> Pair:
        """Draws n of the training windows, normalised with the statistics of all: inputs and outputs, float32."""
        x, y = self.splits(seed).train
        if n > len(x):
            raise InputError(f"flights has {len(x)} training windows, {n} were asked for; ask for fewer")
        rows = torch.randperm(len(x), generator=stream(seed, "sample"))[:n]
        return x[rows], y[rows]

    def splits(self, seed: int, sizes: tuple[int, int, int] | None = None, *, fixed_data: bool = False) -> Splits:
        """Draws the data of one run; a flight is in one split only, and errors are in metres. Without ``sizes``, at most the usual ones."""
        windows, flights, parts = self._parts(FIXED_SEED if fixed_data else seed, sizes)
        return self._data(windows, parts).splits(_labels(flights, parts))

    def observations(self, seed: int) -> Pair:
        """The training windows in metres, before any normalisation."""
        windows, _, parts = self._parts(seed)
        return halves(windows[parts[0]])

    def evidence_data(self, seed: int) -> Pair:
        """The training windows as the normalisation makes them, which is where its price shows."""
        return self.splits(seed).train

    def row_groups(self, seed: int) -> Index:
        """The flight of each training window."""
        _, flights, parts = self._parts(seed)
        return _labels(flights, parts)

    def data(self, seed: int, sizes: tuple[int, int, int] | None = None) -> MotionData:
        """The windows behind :meth:`splits`, in metres."""
        windows, _, parts = self._parts(seed, sizes)
        return self._data(windows, parts)

    def _data(self, windows: Tensor, parts: tuple[Rows, Rows, Rows]) -> MotionData:
        train, val, test = (windows[rows] for rows in parts)
        return MotionData(train, val, test, Normaliser.fit(train, self.normalisation))

    def _parts(
        self, seed: int, sizes: tuple[int, int, int] | None = None
    ) -> tuple[Tensor, NDArray[np.intp], tuple[Rows, Rows, Rows]]:
        """All windows, the flight of each, and which of them are in each split."""
        if self.file is None:
            raise InputError("flights: name the file of recorded flights, as in flights:file=flights.npz")
        windows, flights = TableTennis(self.file).windows()
        counts = read_sizes(self.sizes if sizes is None else sizes)
        rows = split_by_group(flights, counts, stream(seed, "splits"), exact=sizes is not None, what="flight")
        return windows, flights, rows


def _labels(flights: NDArray[np.intp], parts: tuple[Rows, Rows, Rows]) -> Index:
    """The flight of each training window."""
    return encode_labels(flights[parts[0]].tolist(), "flights")
