"""Tables in ``.npz`` archives: an array ``X`` of inputs, ``Y`` of outputs, and optionally ``x_names`` and ``y_names``.

Row groups are an array of any other name with one entry for every row. Names and shapes are read from the arrays' headers; arrays are
loaded when their numbers are asked for.
"""

from __future__ import annotations

import math
import struct
import tokenize
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from softsym.data.columns import Header
from softsym.data.formats import ROW_GROUPS, DataFile
from softsym.errors import DataWarning, InputError
from softsym.typing import Array, Index

Shape = tuple[int, ...]
DAMAGE = (
    *(OSError, EOFError, KeyError, TypeError, ValueError, SyntaxError, RuntimeError, MemoryError),
    *(tokenize.TokenError, struct.error, zlib.error, zipfile.BadZipFile),
)
"""Errors that reading a damaged archive can raise."""
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


@dataclass(frozen=True)
class NpzFile(DataFile):
    """An archive of inputs and, perhaps, outputs.

    Args:
        path: The file.
        names: The columns of X, then those of Y.
        inputs: How many of them are of X.
        rows: How many rows X has.
        sizes: Bytes of each array in memory, by name.
        no_outputs: Why Y cannot be used, raised when outputs are asked for; None if it can.
    """

    inputs: int
    rows: int
    sizes: dict[str, int]
    no_outputs: InputError | None
    knows_inputs: ClassVar[bool] = True

    @classmethod
    def open(cls, path: Path) -> NpzFile:
        """Reads the headers of both arrays."""
        try:
            with zipfile.ZipFile(path) as archive:
                sizes = {item.filename.removesuffix(".npy"): item.file_size for item in archive.infolist()}
        except DAMAGE as error:
            what = "is empty" if path.stat().st_size == 0 else "is no .npz archive, or a damaged one"
            raise InputError(f"{path} {what}; write it with numpy.savez(path, X=X, Y=Y)") from error
        rows, x_names = _read_header(path, "X", sizes)
        try:
            y_rows, y_names = _read_header(path, "Y", sizes)
            if rows != y_rows:
                raise InputError(
                    f"{path}: X has {rows} rows and Y has {y_rows}; the first axis of both must be the examples"
                )
        except InputError as error:
            return cls(path, x_names, len(x_names), rows, sizes, error)
        return cls(path, x_names + y_names, len(x_names), rows, sizes, None)

    def choose(
        self, x_text: str | None, y_text: str | None, *, need_y: bool, row_groups: str | None = None
    ) -> tuple[list[int], list[int]]:
        """All columns of X and, if needed, of Y, or those of them that a text chooses."""
        x = self._select("X", self.names[: self.inputs], x_text)
        if not need_y and y_text is None:
            return x, []
        if self.no_outputs is not None:
            raise self.no_outputs
        y = self._select("Y", self.names[self.inputs :], y_text)
        return x, [self.inputs + k for k in y]

    def labels(self, row_groups: str, rows: Index | None = None) -> list[Any]:
        """The entries of an array of one axis, as Python objects."""
        if row_groups not in self.sizes:
            raise InputError(
                f"{ROW_GROUPS}: {self.path} has no array `{row_groups}`; it holds {', '.join(self.sizes)}"
            )
        shape, dtype = _header(self.path, row_groups)
        if dtype.hasobject or shape != (self.rows,):
            raise InputError(
                f"{ROW_GROUPS}: {self.path}: `{row_groups}` must hold a text or a number for each of {self.rows} rows, got {dtype} "
                f"of shape {shape}"
            )
        entries: Any = _load(self.path, row_groups)
        return (entries if rows is None else entries[rows]).tolist()

    def size(self, columns: list[int]) -> int:
        """Bytes of the arrays that hold these columns: they are loaded whole."""
        return self.sizes["X"] + (self.sizes["Y"] if max(columns, default=0) >= self.inputs else 0)

    def numbers(self, columns: list[int]) -> Array:
        """An array of one axis is one column; further axes are flattened, the last one fastest, with a warning."""
        places = np.array(columns, dtype=np.intp)
        numbers = np.empty((self.rows, len(places)))
        for name, start, own in (("X", 0, places < self.inputs), ("Y", self.inputs, places >= self.inputs)):
            if own.any():
                numbers[:, own] = self._flat(name)[:, places[own] - start]
        return numbers

    @staticmethod
    def write(path: Path, names: list[str], values: Array, std: Array | None) -> None:
        """Writes predictions as Y, their names as y_names and their standard deviations as std."""
        further = {} if std is None else {"std": std}
        with path.open("wb") as file:
            np.savez(file, allow_pickle=False, Y=values, y_names=np.array(names), **further)

    def _select(self, name: str, names: tuple[str, ...], text: str | None) -> list[int]:
        header = Header(f"`{name}` of {self.path}", names)  # refuses names that occur twice
        return list(range(len(names))) if text is None else header.select(text, f"--{name.lower()}-columns")

    def _flat(self, name: str) -> Array:
        values = _load(self.path, name)
        if values.ndim > 2:
            warnings.warn(
                f"{self.path}: `{name}` has shape {values.shape}; each row is flattened to "
                f"{math.prod(values.shape[1:])} columns, the last axis fastest",
                DataWarning,
                stacklevel=4,
            )
        flat = values.reshape(len(values), math.prod(values.shape[1:])).astype(np.float64)
        bad = ~np.isfinite(flat)
        if bad.any():
            row, column = np.argwhere(bad)[0]
            rows = int(bad.any(axis=1).sum())
            raise InputError(
                f"{self.path}: `{name}` is {flat[row, column]} in row {row}, column {column}, counted from 0 "
                f"({rows} {'row' if rows == 1 else 'rows'} with NaN or infinity); leave such rows out"
            )
        return flat


def _read_header(path: Path, name: str, held: dict[str, int]) -> tuple[int, tuple[str, ...]]:
    """Number of rows and names of the columns of an array, after checking that it holds real numbers."""
    if name not in held:
        raise InputError(
            f"{path} has no array `{name}`; it holds {', '.join(held) or 'nothing'}. "
            "Write it with numpy.savez(path, X=X, Y=Y)"
        )
    shape, dtype = _header(path, name)
    if dtype.hasobject:
        raise InputError(
            f"{path}: `{name}` is an array of Python objects, which are never loaded; "
            "store numbers of one type and rows of one length"
        )
    if dtype.kind not in "fiub":
        raise InputError(f"{path}: `{name}` holds {dtype}, not real numbers; convert it to float64")
    if not shape or not shape[0]:
        raise InputError(f"{path}: `{name}` of shape {shape} has no rows")
    columns, letter = math.prod(shape[1:]), name.lower()
    if f"{letter}_names" not in held:
        return shape[0], tuple(f"{letter}{k}" for k in range(columns))
    shape_of_names, dtype = _header(path, f"{letter}_names")
    if dtype.kind != "U" or shape_of_names != (columns,):
        raise InputError(
            f"{path}: `{letter}_names` must hold {columns} texts, one for each column, got {dtype} "
            f"of shape {shape_of_names}"
        )
    return shape[0], tuple(map(str, _load(path, f"{letter}_names")))


def _header(path: Path, name: str) -> tuple[Shape, np.dtype[np.generic]]:
    """Shape and type of an array, which is not loaded."""
    with _refuse_damage(path, name), zipfile.ZipFile(path) as archive, archive.open(f"{name}.npy") as file:
        shape, _, dtype = _HEADERS[np.lib.format.read_magic(file)](file)
    return shape, dtype


def _load(path: Path, name: str) -> NDArray[np.generic]:
    with _refuse_damage(path, name), np.load(path, allow_pickle=False) as stored:
        return np.asarray(stored[name])


@contextmanager
def _refuse_damage(path: Path, name: str) -> Iterator[None]:
    try:
        yield
    except DAMAGE as error:
        line = " ".join(str(error).split()) or type(error).__name__
        raise InputError(f"{path}: `{name}` is damaged: {line}") from error
