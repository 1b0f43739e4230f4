"""Motion capture of a runner: from where 31 joints are and how they move to where they are 30 frames later.

The file is an ``.npz`` of trials: ``trial_K`` (frames, 31, 3) for each, ``edges`` (30, 2) of the skeleton, and the split as frame
numbers, ``train_K``, ``val_K`` and ``test_K``. y is up. Velocities are differences to the next frame, as published. Positions are
written in coordinates that are even or odd under the body's reflection (:mod:`softsym_lab.tasks.recorded.skeleton`), which is O(1) here.

Reference:
    Equivariant Graph Neural Operator for Modeling 3D Dynamics (Xu et al., 2024), https://arxiv.org/abs/2401.11037
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray

from softsym.data import encode_labels
from softsym.datasets import Arguments, Task, stream
from softsym.errors import InputError
from softsym.groups import Group, group
from softsym.reps import Rep, rep
from softsym.training import Error, Pair, Sizes, Splits, mse, read_sizes
from softsym.typing import Array, Index
from softsym_lab.tasks.recorded.arrays import Arrays, check_shape, read_arrays
from softsym_lab.tasks.recorded.skeleton import parity_basis, reflect_joints
from softsym_lab.tasks.recordings import scaled_mse

JOINTS, EVEN, AHEAD = 31, 50, 30
"""Joints of the skeleton, coordinates that are even under its reflection, and frames from input to output."""
LISTED = {"train": 40, "val": 80, "test": 80}
"""Of the frames that a trial lists for a split, the first so many are rows."""
ORIGINS = ("centred", "raw")


@dataclass(frozen=True, eq=False)
class Rows:
    """Inputs (n, 186), outputs (n, 93) and the trial (n,) of each row, in the units of the file."""

    x: Array
    y: Array
    trial: Index


@dataclass(frozen=True)
class Mocap(Task):
    """Positions and velocities at a frame to positions 30 frames later.

    Args:
        measured: ``centred`` measures x and z from the middle of the body, before and after; ``raw`` takes them as recorded.
        file: The file; without it the task has representations, but no rows.
    """

    measured: str = "centred"
    file: str | None = None
    rep_in: ClassVar[Rep] = rep("100S + 86V")
    rep_out: ClassVar[Rep] = rep("50S + 43V")
    groups: ClassVar[tuple[Group, ...]] = (group("O(1)"),)
    largest: ClassVar[Group] = group("O(1)")
    error: ClassVar[Error] = mse

    @staticmethod
    def read(arguments: Arguments) -> Mocap:
        """Reads the task from its text."""
        arguments.only("file")
        return Mocap(arguments.choose("centred", ORIGINS), arguments.options.get("file"))

    @property
    def name(self) -> str:
        """``mocap:`` and how positions are measured, and the file."""
        return f"mocap:{self.measured}" + ("" if self.file is None else f",file={self.file}")

    @property
    def origin(self) -> str:
        """Whose recordings they are."""
        return "motion capture of a runner (CMU Graphics Lab, subject 9), published split"

    @property
    def sizes(self) -> Sizes:
        """The published numbers."""
        return Sizes(200, 240, 240)

    def with_file(self, file: str) -> Mocap:
        """See the base class."""
        return replace(self, file=str(file))

    def sample(self, n: int, seed: int) -> Pair:
        """Draws n of the training rows, normalised: inputs and outputs, float32."""
        x, y = self.splits(seed).train
        if n > len(x):
            raise InputError(f"mocap has {len(x)} training rows, {n} were asked for; ask for fewer")
        rows = torch.randperm(len(x), generator=stream(seed, "sample"))[:n]
        return x[rows], y[rows]

    def splits(self, seed: int, sizes: tuple[int, int, int] | None = None, *, fixed_data: bool = False) -> Splits:
        """The published rows, whatever the seed; the first so many of each split if sizes are given. The error is in the file's units."""
        parts, counts = self.rows(), read_sizes(self.sizes if sizes is None else sizes)
        for (part, rows), count in zip(parts.items(), counts, strict=True):
            if count > len(rows.x):
                raise InputError(f"mocap has {len(rows.x)} rows for {part}, {count} were asked for; ask for fewer")
        inputs, outputs = _scale(parts["train"].x, BLOCKS_IN), _scale(parts["train"].y, BLOCKS_OUT)
        train, val, test = (
            (_apply_scale(rows.x[:count], *inputs), _apply_scale(rows.y[:count], *outputs))
            for rows, count in zip(parts.values(), counts, strict=True)
        )
        trials = encode_labels(parts["train"].trial[: counts.train].tolist(), "trials")
        return Splits(train, val, test, scaled_mse(float(outputs[1][0])), row_groups=trials)

    def observations(self, seed: int) -> Pair:
        """The training rows in the units of the file."""
        rows = self.rows()["train"]
        return torch.from_numpy(rows.x), torch.from_numpy(rows.y)

    def row_groups(self, seed: int) -> Index:
        """The trial of each observation."""
        return encode_labels(self.rows()["train"].trial.tolist(), "trials")

    def rows(self) -> dict[str, Rows]:
        """All rows of each split, in the units of the file."""
        if self.file is None:
            raise InputError("mocap: name the file of trials, as in mocap:file=mocap_run.npz")
        path = Path(self.file)
        arrays = read_arrays(path, ("edges",), "an .npz of motion capture trials")
        edges = check_shape(path, arrays, "edges", (None, 2)).astype(int).tolist()
        basis, even = parity_basis(reflect_joints(edges, JOINTS))
        if even != EVEN:
            raise InputError(f"{path}: the skeleton has {even} even coordinates, that of the task has {EVEN}")
        return {part: self._part(path, arrays, part, basis) for part in LISTED}

    def _part(self, path: Path, arrays: Arrays, part: str, basis: Array) -> Rows:
        inputs, outputs, trials = [], [], []
        for key in sorted(name for name in arrays if name.startswith(f"{part}_")):
            trial = key.removeprefix(f"{part}_")
            if f"trial_{trial}" not in arrays:
                raise InputError(f"{path}: `{key}` has no trial_{trial}")
            x = check_shape(path, arrays, f"trial_{trial}", (None, JOINTS, 3))
            frames = check_shape(path, arrays, key, (None,)).astype(np.intp)[: LISTED[part]]
            if frames.size and not (frames.min() >= 0 and frames.max() + AHEAD < len(x)):
                raise InputError(f"{path}: `{key}` names frames beyond the {len(x)} of its trial")
            now, step, later = x[frames], x[frames + 1] - x[frames], x[frames + AHEAD]
            if self.measured == "centred":
                middle = now.mean(1, keepdims=True) * [1.0, 0.0, 1.0]
                now, later = now - middle, later - middle
            here, speed, there = (each.reshape(len(frames), -1) @ basis.T for each in (now, step, later))
            inputs.append(np.concatenate([here[:, :EVEN], speed[:, :EVEN], here[:, EVEN:], speed[:, EVEN:]], 1))
            outputs.append(there)
            trials += [int(trial)] * len(frames)
        if not trials:
            raise InputError(f"{path} has no frames for {part}; pass the file with the published split")
        return Rows(np.concatenate(inputs), np.concatenate(outputs), np.array(trials))


_PLACE = np.arange(2 * 3 * JOINTS)
_IS_EVEN = _PLACE < 2 * EVEN
_IS_SPEED = np.where(_IS_EVEN, _PLACE >= EVEN, _PLACE >= 3 * JOINTS + EVEN)
BLOCKS_IN = (~_IS_SPEED, _IS_SPEED)
"""Positions and velocities have a scale each, whatever their parity."""
BLOCKS_OUT = (np.ones(3 * JOINTS, dtype=bool),)


def _scale(X: Array, blocks: tuple[NDArray[np.bool_], ...]) -> tuple[Array, Array]:
    """What to subtract from each column, nothing from odd ones, and what to divide it by, one number for every block."""
    even = _IS_EVEN if X.shape[1] == len(_IS_EVEN) else np.arange(X.shape[1]) < EVEN
    shift = np.where(even, X.mean(0), 0.0)
    scale = np.ones(X.shape[1])
    for block in blocks:
        scale[block] = np.sqrt(np.mean((X - shift)[:, block] ** 2)) or 1.0
    return shift, scale


def _apply_scale(X: Array, shift: Array, scale: Array) -> torch.Tensor:
    return torch.from_numpy((X - shift) / scale).float()
