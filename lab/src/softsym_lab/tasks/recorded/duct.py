r"""Turbulent flow in a square duct: from the gradient of the mean velocity to the logarithm of the Reynolds stress.

The file is an ``.npz`` with ``gradU`` (n, 9), row-major 3 x 3, x along the duct; ``w`` (n, 6), the logarithm of the stress in Mandel
order (11, sqrt2 12, sqrt2 13, 22, sqrt2 23, 33); and ``grid`` (n, 2), coordinates that are *not* in the order of the rows but by whose
first one the published split is made. The rows are a square raster, line by line. Gradients span four decades: ``even`` inputs have the
sheared row (xy, xz) and the cross-section (yy, yz, zy, zz) each divided by its size and multiplied by asinh of it, which rotations about x
leave as they are.

Of the training half, one side is fitted and the other validates: rows drawn at random from a smooth raster have neighbours among the
fitted ones, and would choose models that do nothing but interpolate, while the test asks about the other half.

The published measure has one mean over all six outputs in its denominator, so that predicting each output's mean scores 0.85 already;
:attr:`~softsym.datasets.builtin.Splits.scores` has it and the R2 of each output.

Reference:
    A curated dataset for data-driven turbulence modelling (McConkey, Yee and Lien, 2021), https://doi.org/10.1038/s41597-021-01034-2
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from softsym.datasets import FIXED_SEED, Arguments, Task, stream
from softsym.errors import InputError
from softsym.groups import Group, group
from softsym.reps import Rep, rep
from softsym.training import Error, Pair, Sizes, Splits, read_sizes
from softsym.typing import Array
from softsym_lab.tasks.recorded.arrays import check_shape, read_arrays

PUBLISHED_R2 = "published R2"
OUTPUTS = ("xx", "xy", "xz", "yy", "yz", "zz")
_FIRST, _SECOND = np.array([0, 0, 0, 1, 1, 2]), np.array([0, 1, 2, 1, 2, 2])
_STRETCH = np.where(_FIRST == _SECOND, 1.0, math.sqrt(2))
SHEARED, ACROSS = [1, 2], [4, 5, 7, 8]
"""Columns of the gradient that rotations about x mix among each other; the others are zero in a developed flow."""
INPUTS = ("even", "raw")


def from_mandel(w: Array) -> Array:
    """Symmetric matrices (n, 9) from Mandel vectors (n, 6)."""
    full = np.empty((len(w), 3, 3))
    full[:, _FIRST, _SECOND] = full[:, _SECOND, _FIRST] = w / _STRETCH
    return full.reshape(len(w), 9)


def mandel(full: Tensor) -> Tensor:
    """Mandel vectors (n, 6) of matrices (n, 9), of which the symmetric part counts."""
    matrix = full.unflatten(-1, (3, 3))
    symmetric = (matrix + matrix.mT) / 2
    return symmetric[..., _FIRST, _SECOND] * torch.from_numpy(_STRETCH).to(full)


@dataclass(frozen=True)
class Duct(Task):
    """Velocity gradients to logarithms of Reynolds stresses, both 3 x 3.

    Args:
        inputs: ``even`` compresses the sizes of gradients, ``raw`` takes them as they are.
        file: The file; without it the task has representations, but no rows.
    """

    inputs: str = "even"
    file: str | None = None
    rep_in: ClassVar[Rep] = rep("T(2)")
    rep_out: ClassVar[Rep] = rep("T(2)")
    groups: ClassVar[tuple[Group, ...]] = tuple(group(text) for text in ("D(2)@x", "D(4)@x", "O(2)@x"))
    largest: ClassVar[Group] = group("O(3)")
    error: ClassVar[Error] = Error("MSE", "", lambda prediction, truth: _squares(prediction, truth, 1.0))

    @staticmethod
    def read(arguments: Arguments) -> Duct:
        """Reads the task from its text."""
        arguments.only("file")
        return Duct(arguments.choose("even", INPUTS), arguments.options.get("file"))

    @property
    def name(self) -> str:
        """``duct:`` and how inputs are taken, and the file."""
        return f"duct:{self.inputs}" + ("" if self.file is None else f",file={self.file}")

    @property
    def origin(self) -> str:
        """Whose simulation it is."""
        return "turbulent flow in a square duct at Re 1100 (simulated by others), published split"

    @property
    def sizes(self) -> Sizes:
        """The published halves; of the training one, one side is for validation."""
        return Sizes(2304, 2304, 4608)

    def with_file(self, file: str) -> Duct:
        """See the base class."""
        return replace(self, file=str(file))

    def sample(self, n: int, seed: int) -> Pair:
        """Draws n of the training rows, normalised: inputs and outputs, float32."""
        return self.splits(seed, (n, 0, 0)).train

    def splits(self, seed: int, sizes: tuple[int, int, int] | None = None, *, fixed_data: bool = False) -> Splits:
        """The published halves, in an order that the seed draws. The error is that of the Mandel vector."""
        gradients, stresses, part = self.rows()
        counts = read_sizes(self.sizes if sizes is None else sizes)
        drawn, chosen = stream(FIXED_SEED if fixed_data else seed, "splits"), []
        for label, wanted in zip(counts._fields, counts, strict=True):
            rows = np.flatnonzero(part == label)
            if wanted > len(rows):
                raise InputError(f"duct has {len(rows)} rows for {label}, {wanted} were asked for; ask for fewer")
            chosen.append(rows[torch.randperm(len(rows), generator=drawn).numpy()[:wanted]])
        fitted = np.flatnonzero(part == "train")
        X = self._inputs(gradients, fitted)
        level = from_mandel(_level(stresses[fitted])[None])[0]
        scale = float(np.sqrt(np.mean((from_mandel(stresses[fitted]) - level) ** 2)))
        Y = (from_mandel(stresses) - level) / scale
        train, val, held = ((torch.from_numpy(X[rows]).float(), torch.from_numpy(Y[rows]).float()) for rows in chosen)
        error = Error("MSE", "", lambda prediction, truth: _squares(prediction, truth, scale))
        return Splits(train, val, held, error, scores=lambda p, t: _scores(p, t, level, scale))

    def observations(self, seed: int) -> Pair:
        """Rows of the whole duct, gradients as they are: the training half alone never shows the reflection that the test needs."""
        gradients, stresses, _ = self.rows()
        rows = torch.randperm(len(gradients), generator=stream(seed, "observations")).numpy()
        return torch.from_numpy(gradients[rows]), torch.from_numpy(from_mandel(stresses[rows]))

    def evidence_data(self, seed: int) -> Pair:
        """The same rows, inputs as the models take them: whether rotations about x hold is the same question."""
        gradients, stresses = (values.numpy() for values in self.observations(seed))
        inputs = self._inputs(gradients, np.arange(len(gradients)))
        return torch.from_numpy(inputs), torch.from_numpy(stresses)

    def rows(self) -> tuple[Array, Array, NDArray[np.str_]]:
        """Gradients (n, 9), Mandel vectors (n, 6) and the split (n,) of each row, as the file has them."""
        if self.file is None:
            raise InputError("duct: name the file of the flow, as in duct:file=square_duct.npz")
        path = Path(self.file)
        arrays = read_arrays(path, ("gradU", "w", "grid"), "an .npz of the flow")
        gradients = check_shape(path, arrays, "gradU", (None, 9))
        n = len(gradients)
        stresses, grid = (check_shape(path, arrays, key, (n, size)) for key, size in (("w", 6), ("grid", 2)))
        is_train = grid[:, 0] >= 0
        if not 0 < is_train.sum() < n:
            raise InputError(f"{path}: the first column of `grid` has one sign, so there is no published split")
        side = math.isqrt(n)
        if side**2 != n:
            raise InputError(f"{path}: {n} rows are no square raster")
        is_first = np.arange(n) % side < side / 2
        return gradients, stresses, np.where(~is_train, "test", np.where(is_first, "train", "val"))

    def _inputs(self, gradients: Array, train: NDArray[np.intp]) -> Array:
        if self.inputs == "raw":
            return gradients / np.sqrt(np.mean(gradients[train] ** 2))
        X = np.zeros_like(gradients)
        for block in (SHEARED, ACROSS):
            size = np.linalg.norm(gradients[:, block], axis=1, keepdims=True)
            typical = np.median(size[train]) or 1.0
            X[:, block] = gradients[:, block] / np.maximum(size, 1e-300) * np.arcsinh(size / typical)
        return X


def _level(w: Array) -> Array:
    """What rotations about x leave invariant of the mean Mandel vector (6,)."""
    mean = w.mean(0)
    across = (mean[3] + mean[5]) / 2
    return np.array([mean[0], 0.0, 0.0, across, 0.0, across])


def _squares(prediction: Tensor, truth: Tensor, scale: float) -> Tensor:
    """Squared error of every row, mean over the six outputs, in the units of the file."""
    return scale**2 * (mandel(prediction) - mandel(truth)).square().mean(-1)


def _scores(prediction: Tensor, truth: Tensor, level: Array, scale: float) -> dict[str, float]:
    """The published measure and R2 of every output."""
    shift = torch.from_numpy(level)
    guess, w = (mandel(values.double() * scale + shift) for values in (prediction, truth))
    squares = (guess - w).square()
    whole = 1 - float(squares.mean() / (w - w.mean()).square().mean())
    each = 1 - squares.mean(0) / (w - w.mean(0)).square().mean(0)
    return {PUBLISHED_R2: whole, **{f"R2 {name}": float(value) for name, value in zip(OUTPUTS, each, strict=True)}}
