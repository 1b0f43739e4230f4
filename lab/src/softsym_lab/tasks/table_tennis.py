"""Table tennis: recorded flights of a ball, from six past positions to six future ones.

The file is an ``.npz`` with ``states`` (N, 6), position and velocity of all flights one after another, in metres and metres per
second, z up, and ``length``, the samples of each flight. Windows in which the ball bounces or is hit are left out, and positions
are relative to the mean of the six past ones, so that what remains is the dynamics of flight: gravity singles out z, and where the ball
was launched does not matter.
"""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from softsym.data import encode_labels
from softsym.datasets import FIXED_SEED, Arguments, Task, stream
from softsym.errors import InputError
from softsym.groups import Group, group
from softsym.reps import Rep, rep
from softsym.training import Error, Pair, Sizes, Splits, read_sizes
from softsym.typing import Array, Index
from softsym_lab.tasks.recordings import Rows, ade, split_by_group

POINTS = 6
BOUNCE = 0.5
"""In free flight the upward velocity falls; if it rises by more than this between samples, in m/s, something hit the ball."""


@dataclass(frozen=True)
class TableTennis(Task):
    """Six past positions to six future ones, in metres.

    Args:
        path: The file.
        every: Of the samples every how many-th is a point of a window.
        stride: Samples between the starts of two windows of a flight.
    """

    path: str
    every: int = 3
    stride: int = 3
    rep_in: ClassVar[Rep] = rep("6V")
    rep_out: ClassVar[Rep] = rep("6V")
    groups: ClassVar[tuple[Group, ...]] = tuple(group(f"O(2)@{axis}") for axis in "xyz")
    largest: ClassVar[Group] = group("O(3)")
    error: ClassVar[Error] = ade

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", str(self.path))
        if self.every < 1 or self.stride < 1:
            raise InputError(
                f"table_tennis: `every` and `stride` must be at least 1, got {self.every} and {self.stride}"
            )

    @staticmethod
    def read(arguments: Arguments) -> TableTennis:
        """Reads the task from its text."""
        arguments.only("file", "every", "stride")
        if arguments.variant and "file" in arguments.options:
            arguments.fail("the file is named twice; leave out file=")
        path = arguments.variant or arguments.options.get("file")
        if not path:
            arguments.fail("name the file of recorded flights, as in table_tennis:flights.npz")
        return TableTennis(path, arguments.integer("every", 3), arguments.integer("stride", 3))

    @property
    def name(self) -> str:
        """``table_tennis:`` and the file, and whatever is not the default."""
        changed = [f"{key}={getattr(self, key)}" for key in ("every", "stride") if getattr(self, key) != 3]
        return ",".join([f"table_tennis:{self.path}", *changed])

    @property
    def origin(self) -> str:
        """The file."""
        return f"recorded flights of {self.path}"

    @property
    def sizes(self) -> Sizes:
        """Two thousand windows to train on."""
        return Sizes(2000, 500, 500)

    def windows(self) -> tuple[Tensor, NDArray[np.intp]]:
        """All windows, shape (n, 12, 3), float64, in world coordinates, and the flight of each, shape (n,)."""
        states, lengths = read_flights(Path(self.path))
        span = (2 * POINTS - 1) * self.every + 1
        windows, flights = [], []
        for flight, states_of in enumerate(np.split(states, np.cumsum(lengths)[:-1])):
            hit = np.flatnonzero(np.diff(states_of[:, 5]) > BOUNCE)
            for start in range(0, len(states_of) - span + 1, self.stride):
                if not ((hit >= start) & (hit < start + span - 1)).any():
                    windows.append(states_of[start : start + span : self.every, :3])
                    flights.append(flight)
        if not windows:
            raise InputError(
                f"{self.path} has no {span} samples in a row without a bounce; pass a smaller `every` than {self.every}"
            )
        return torch.from_numpy(np.stack(windows)), np.array(flights)

    def sample(self, n: int, seed: int) -> Pair:
        """Draws n windows: inputs and outputs, float32."""
        return self.splits(seed, (n, 0, 0)).train

    def splits(self, seed: int, sizes: tuple[int, int, int] | None = None, *, fixed_data: bool = False) -> Splits:
        """Draws the data of one run; a flight is in one split only. Without ``sizes``, at most the usual ones."""
        windows, flights = self.windows()
        parts = self._parts(flights, FIXED_SEED if fixed_data else seed, sizes)
        train, val, test = (_pair(windows[rows]) for rows in parts)
        return Splits(train, val, test, self.error)

    def row_groups(self, seed: int) -> Index:
        """The flight of each observation."""
        flights = self.windows()[1]
        return encode_labels(flights[self._parts(flights, seed, None)[0]].tolist(), "flights")

    def _parts(
        self, flights: NDArray[np.intp], seed: int, sizes: tuple[int, int, int] | None
    ) -> tuple[Rows, Rows, Rows]:
        """The windows of each split."""
        counts = read_sizes(self.sizes if sizes is None else sizes)
        return split_by_group(flights, counts, stream(seed, "splits"), exact=sizes is not None, what="flight")


def _pair(windows: Tensor) -> Pair:
    past, future = windows.split(POINTS, dim=1)
    centre = past.mean(1, keepdim=True)
    return (past - centre).flatten(1).float(), (future - centre).flatten(1).float()


def read_flights(path: Path) -> tuple[Array, NDArray[np.intp]]:
    """Reads ``states`` (N, 6) and ``length`` (flights,) and checks that they belong together."""
    try:
        with path.open("rb") as stored, np.load(stored, allow_pickle=False) as file:
            states, lengths = file["states"], file["length"]
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}; pass an .npz of recorded flights") from error
    except KeyError as error:
        raise InputError(f"{path} has no array `{_missing(error)}`; it needs `states` and `length`") from error
    except (OSError, ValueError, EOFError, zipfile.BadZipFile, TypeError, AttributeError) as error:
        raise InputError(f"{path} is no .npz of numbers: {error}") from error
    if states.ndim != 2 or states.shape[1] != 6 or states.dtype.kind not in "fiu":
        raise InputError(f"{path}: `states` must be numbers of shape (N, 6), got {states.dtype} {states.shape}")
    if lengths.ndim != 1 or lengths.dtype.kind not in "iu" or (lengths < 1).any():
        raise InputError(f"{path}: `length` must be positive whole numbers, one for each flight")
    if lengths.sum() != len(states):
        raise InputError(f"{path}: `length` adds up to {lengths.sum()}, but `states` has {len(states)} rows")
    if not np.isfinite(states).all():
        raise InputError(f"{path}: `states` contains NaN or infinity")
    return states.astype(np.float64), lengths.astype(np.intp)


def _missing(error: KeyError) -> str:
    return "length" if "length" in str(error) else "states"
