"""The formats of data files: what a format can do, and the one list of those there are.

A format is a subclass of :class:`DataFile`. A new one is a file of its own and one line in :data:`FORMATS`. Its module is imported when
a file of it is opened, so that asking which suffixes there are costs nothing.
"""

from __future__ import annotations

import importlib
from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from softsym.data.columns import Header, choose
from softsym.errors import InputError

if TYPE_CHECKING:
    from softsym.typing import Array, Index


@dataclass(frozen=True)
class Format:
    """Where the class of a format is defined.

    Args:
        module: Its module.
        name: Its name there.
        is_written: Whether predictions can be written in it.
    """

    module: str
    name: str
    is_written: bool = True


FORMATS: dict[str, Format] = {
    ".npz": Format("softsym.data.npz", "NpzFile"),
    ".csv": Format("softsym.data.delimited", "DelimitedFile"),
    ".tsv": Format("softsym.data.delimited", "DelimitedFile"),
    ".parquet": Format("softsym.data.parquet", "ParquetFile"),
    ".feather": Format("softsym.data.parquet", "ParquetFile"),
    ".arrow": Format("softsym.data.parquet", "ParquetFile"),
}
"""The format of each suffix; text files may be packed, as in ``.csv.gz``."""
PACKED = ".gz"
OTHERS = {
    ".xlsx": "an Excel workbook; save the sheet as CSV",
    ".xls": "an Excel workbook; save the sheet as CSV",
    ".ods": "a spreadsheet; save the sheet as CSV",
    ".npy": "a single array; save inputs and outputs together with numpy.savez(file, X=X, Y=Y)",
    ".mat": "a MATLAB file; read it with scipy.io.loadmat and save it with numpy.savez(file, X=X, Y=Y)",
    ".h5": "an HDF5 file; read it with h5py and save it with numpy.savez(file, X=X, Y=Y)",
    ".hdf5": "an HDF5 file; read it with h5py and save it with numpy.savez(file, X=X, Y=Y)",
    ".json": "a JSON file; save its rows as CSV or Parquet",
    ".pkl": "a pickle, which is never opened since it can run code; save the rows as CSV, Parquet or .npz",
    ".zip": "an archive; unpack it first",
}
"""What other files are, and what to do with them."""
TOGETHER = "--rows-together"
"""The option by which labels of rows are chosen, for messages."""


@dataclass(frozen=True)
class DataFile(ABC):
    """A file that was opened once to see which columns it has.

    Args:
        path: The file.
        names: Its columns.
    """

    path: Path
    names: tuple[str, ...]
    knows_inputs: ClassVar[bool] = False
    """Whether the file itself says which of its numbers are inputs."""

    @classmethod
    @abstractmethod
    def open(cls, path: Path) -> Self:
        """Looks at the names, after checking that the file is of this format."""

    @abstractmethod
    def size(self, columns: list[int]) -> int:
        """About how many bytes reading so many columns takes."""

    @abstractmethod
    def numbers(self, columns: list[int]) -> Array:
        """The chosen columns, shape (rows, len(columns)), at least one row, all finite."""

    def count(self) -> int | None:
        """How many rows there are, where that is known without reading them."""
        return None

    def sample(self, columns: list[int], rows: Index) -> Array:
        """As :meth:`numbers`, of some rows (in ascending order) alone; a format that can do so holds no others in memory."""
        return self.numbers(columns)[rows]

    def sample_cells(self, column: int, rows: Index) -> Sequence[Hashable]:
        """As :meth:`cells`, of some rows alone."""
        cells = self.cells(column)
        return [cells[row] for row in rows]

    def choose(
        self, x_text: str | None, y_text: str | None, *, need_y: bool, together: str | None = None
    ) -> tuple[list[int], list[int]]:
        """Places of the input and output columns, see :func:`softsym.data.columns.choose`.

        Args:
            x_text: Selection of the inputs.
            y_text: Selection of the outputs.
            need_y: Whether outputs are needed.
            together: The column that labels rows, which is an input or an output only if it is chosen as one.
        """
        header = Header(str(self.path), self.names)
        apart = () if together is None else (header.one(together, TOGETHER),)
        return choose(header, x_text, y_text, need_y=need_y, apart=apart)

    def labels(self, together: str, rows: Index | None = None) -> Sequence[Hashable]:
        """What a column holds for every row, or for some, of whatever type: rows with equal ones belong together."""
        column = Header(str(self.path), self.names).one(together, TOGETHER)
        return self.cells(column) if rows is None else self.sample_cells(column, rows)

    def cells(self, column: int) -> Sequence[Hashable]:
        """What stands in a column; its numbers unless a format can hold something else."""
        return [float(value) for value in self.numbers([column])[:, 0]]

    @staticmethod
    def write(path: Path, names: list[str], values: Array, spread: Array | None) -> None:
        """Writes predictions; only where the format says that it can.

        Args:
            path: The file.
            names: The outputs.
            values: Shape (rows, outputs).
            spread: How far the members of an ensemble are apart, of the same shape; None for nothing to tell.
        """
        raise NotImplementedError


def suffixes(*, written: bool = False) -> tuple[str, ...]:
    """The suffixes of all formats, or of those that can be written.

    Example:
        >>> ", ".join(suffixes())
        '.npz, .csv, .tsv, .parquet, .feather, .arrow'
    """
    return tuple(suffix for suffix, known in FORMATS.items() if known.is_written or not written)


def suffix_of(path: Path) -> str:
    """What a file's name says it is, packed or not.

    Example:
        >>> suffix_of(Path("Runs.CSV")), suffix_of(Path("runs.csv.gz")), suffix_of(Path("runs.parquet.gz"))
        ('.csv', '.csv', '.gz')
    """
    suffix = path.suffix.lower()
    inner = Path(path.stem).suffix.lower() if suffix == PACKED else ""
    return inner if inner in (".csv", ".tsv") else suffix


def format_of(path: Path) -> type[DataFile]:
    """The class for a file, by the suffix of its name.

    Raises:
        InputError: No format has that suffix.
    """
    suffix = suffix_of(path)
    known = FORMATS.get(suffix)
    if known is None and suffix in OTHERS:
        raise InputError(f"{path} is {OTHERS[suffix]}")
    if known is None:
        raise InputError(
            f"cannot tell what {path} is from its name; pass a file that ends in {', '.join(suffixes())}"
        )
    file_class: type[DataFile] = getattr(importlib.import_module(known.module), known.name)
    return file_class
