"""Numbers from ``.npz`` archives: an array ``X`` of inputs, ``Y`` of outputs, and optionally ``x_names`` and ``y_names``."""

from __future__ import annotations

import math
import struct
import tokenize
import warnings
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from softsym.errors import DataWarning, InputError

Array = NDArray[np.float64]
DAMAGE = (
    OSError, EOFError, KeyError, TypeError, ValueError, SyntaxError, RuntimeError, MemoryError, tokenize.TokenError,
    struct.error, zlib.error, zipfile.BadZipFile,
)  # fmt: skip
"""What reading a damaged archive can end in."""


@dataclass(frozen=True)
class Archive:
    """An archive that was opened once to see what is in it.

    Args:
        path: The file.
        sizes: Bytes of each array in memory, by name.
    """

    path: Path
    sizes: dict[str, int]

    @classmethod
    def open(cls, path: Path) -> Archive:
        """Lists the arrays."""
        try:
            with zipfile.ZipFile(path) as archive:
                sizes = {item.filename.removesuffix(".npy"): item.file_size for item in archive.infolist()}
        except DAMAGE as error:
            empty = path.stat().st_size == 0
            raise InputError(
                f"{path} is empty; write it with numpy.savez(path, X=X, Y=Y)"
                if empty
                else f"{path} is no .npz archive, or a damaged one; write it with numpy.savez(path, X=X, Y=Y)"
            ) from error
        return cls(path, sizes)

    def numbers(self, name: str) -> Array:
        """An array of numbers as (rows, columns), all finite.

        One axis is one column. Further axes are flattened row by row, the last one fastest, with a warning.
        """
        values = self._load(name)
        if values.dtype.kind not in "fiub":
            raise InputError(
                f"{self.path}: `{name}` holds {values.dtype}, not real numbers; convert it to float64"
            )
        if values.ndim == 0 or not len(values):
            raise InputError(f"{self.path}: `{name}` of shape {values.shape} has no rows")
        if values.ndim > 2:
            columns = math.prod(values.shape[1:])
            warnings.warn(
                f"{self.path}: `{name}` has shape {values.shape}; each row is flattened to {columns} columns, "
                "the last axis fastest",
                DataWarning,
                stacklevel=2,
            )
        flat = values.reshape(len(values), math.prod(values.shape[1:])).astype(np.float64)
        self._check_finite(flat, name)
        return flat

    def names(self, name: str, columns: int, prefix: str) -> tuple[str, ...]:
        """Names of columns: those stored, or the prefix with numbers."""
        if name not in self.sizes:
            return tuple(f"{prefix}{k}" for k in range(columns))
        values = self._load(name)
        if values.dtype.kind != "U" or values.shape != (columns,):
            raise InputError(
                f"{self.path}: `{name}` must hold {columns} texts, one for each column, got {values.dtype} "
                f"of shape {values.shape}"
            )
        return tuple(map(str, values))

    def _load(self, name: str) -> NDArray[np.generic]:
        if name not in self.sizes:
            held = ", ".join(self.sizes) or "nothing"
            raise InputError(
                f"{self.path} has no array `{name}`; it holds {held}. Write it with numpy.savez(path, X=X, Y=Y)"
            )
        try:
            with np.load(self.path, allow_pickle=False) as stored:
                return np.asarray(stored[name])
        except DAMAGE as error:
            if "allow_pickle" not in str(error):
                raise InputError(f"{self.path}: `{name}` is damaged: {_line(error)}") from error
            raise InputError(
                f"{self.path}: `{name}` is an array of Python objects, which are never loaded; "
                "store numbers of one type and rows of one length"
            ) from error

    def _check_finite(self, values: Array, name: str) -> None:
        bad = ~np.isfinite(values)
        if not bad.any():
            return
        row, column = np.argwhere(bad)[0]
        rows = int(bad.any(axis=1).sum())
        raise InputError(
            f"{self.path}: `{name}` is {values[row, column]} in row {row}, column {column}, counted from 0 "
            f"({rows} {'row' if rows == 1 else 'rows'} with NaN or infinity); leave such rows out"
        )


def _line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
