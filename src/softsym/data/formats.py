"""The formats of data files: the list of suffixes, and what a format can do.

A format is a subclass of :class:`DataFile`; a new one is a class and one line in :data:`FORMATS`. Its module is imported when a file of
it is opened, so that asking which suffixes there are costs nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Self

from softsym.data.columns import Header, Places, choose
from softsym.errors import InputError
from softsym.registry import Registry

if TYPE_CHECKING:
    from softsym.typing import Array, Index

PACKED = ".gz"
OTHERS = {
    **dict.fromkeys((".xlsx", ".xls"), "an Excel workbook; save the sheet as CSV"),
    ".ods": "a spreadsheet; save the sheet as CSV",
    **dict.fromkeys((".h5", ".hdf5"), "an HDF5 file; read it with h5py and save it with numpy.savez(file, X=X, Y=Y)"),
    ".npy": "a single array; save inputs and outputs together with numpy.savez(file, X=X, Y=Y)",
    ".mat": "a MATLAB file; read it with scipy.io.loadmat and save it with numpy.savez(file, X=X, Y=Y)",
    ".json": "a JSON file; save its rows as CSV or Parquet",
    ".pkl": "a pickle, which is never opened since it can run code; save the rows as CSV, Parquet or .npz",
    ".zip": "an archive; unpack it first",
}
"""Files that are not read, and what to do with them."""
ROW_GROUPS = "--row-groups"  # the option that chooses the column of row groups, for messages


@dataclass(frozen=True)
class DataFile(ABC):
    """A file that was opened once to see which columns it has."""

    path: Path  # the file
    names: tuple[str, ...]  # its columns
    knows_inputs: ClassVar[bool] = False
    """Whether the file itself says which of its numbers are inputs."""

    @classmethod
    @abstractmethod
    def open(cls, path: Path) -> Self:
        """Reads the names, after checking that the file is of this format."""

    @abstractmethod
    def size(self, columns: list[int]) -> int:
        """About how many bytes these columns take in memory."""

    @abstractmethod
    def numbers(self, columns: list[int], *, keep_missing: bool = False) -> Array:
        """The chosen columns, shape (rows, len(columns)), at least one row, all finite; or NaN where a value is missing or none."""

    def count(self) -> int | None:
        """How many rows there are, where that is known without reading them."""
        return None

    def sample(self, columns: list[int], rows: Index, *, keep_missing: bool = False) -> Array:
        """As :meth:`numbers`, of some rows (in ascending order); a format that can do so holds no others in memory."""
        return self.numbers(columns, keep_missing=keep_missing)[rows]

    def text_columns(self) -> set[str]:
        """Names of columns that hold something else than numbers, as far as a quick look tells."""
        return set()

    def choose(self, x_text: str | None, y_text: str | None, *, need_y: bool, row_groups: str | None = None) -> Places:
        """Places of the input and output columns, see :func:`softsym.data.columns.choose`.

        The column ``row_groups`` is an input or an output only if a text chooses it.
        """
        header = Header(str(self.path), self.names)
        apart = () if row_groups is None else (header.select_one(row_groups, ROW_GROUPS),)
        return choose(header, x_text, y_text, need_y=need_y, apart=apart)

    def labels(self, row_groups: str, rows: Index | None = None) -> Sequence[Hashable]:
        """The entries of a column, of whatever type, for every row or for some: rows with equal ones are a row group."""
        cells = self.cells(Header(str(self.path), self.names).select_one(row_groups, ROW_GROUPS))
        return cells if rows is None else [cells[row] for row in rows]

    def cells(self, column: int) -> Sequence[Hashable]:
        """The entries of a column; its numbers unless a format can hold something else."""
        return [float(value) for value in self.numbers([column])[:, 0]]

    @staticmethod
    @abstractmethod
    def write(path: Path, names: list[str], values: Array, std: Array | None) -> None:
        """Writes predictions (rows, outputs) under their names, and their standard deviations if there are any."""


FORMATS: Registry[type[DataFile]] = Registry(
    "format",
    {
        ".npz": "softsym.data.readers:NpzFile",
        ".csv": "softsym.data.readers:DelimitedFile",
        ".tsv": "softsym.data.readers:DelimitedFile",
        ".parquet": "softsym.data.readers:ColumnarFile",
        ".feather": "softsym.data.readers:ColumnarFile",
        ".arrow": "softsym.data.readers:ColumnarFile",
    },
)
"""The format of each suffix; text files may be packed, as in ``.csv.gz``."""


def suffixes() -> tuple[str, ...]:
    """The suffixes of all formats."""
    return tuple(FORMATS)


def suffix_of(path: Path) -> str:
    """The suffix of a file, without that of packing.

    Example:
        >>> suffix_of(Path("Runs.CSV")), suffix_of(Path("runs.csv.gz")), suffix_of(Path("runs.parquet.gz"))
        ('.csv', '.csv', '.gz')
    """
    suffix = path.suffix.lower()
    inner = Path(path.stem).suffix.lower() if suffix == PACKED else ""
    return inner if inner in (".csv", ".tsv") else suffix


def open_file(path: Path) -> DataFile:
    """Opens a file to see which columns it has; refuses one that does not exist or cannot be read."""
    if path.is_dir():
        raise InputError(f"{path} is a folder; pass a file in it")
    known = format_of(path)
    if str(path).encode(errors="ignore").decode() != str(path):
        raise InputError(f"the name of {path} is not UTF-8; rename the file")
    if path.exists() and not path.is_file():  # it would be waited for, and could be read once only
        raise InputError(f"{path} is a pipe or a device; write what it gives to a file and pass that")
    try:
        with path.open("rb"):
            pass
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}; pass the path of an existing one") from error
    except PermissionError as error:
        raise InputError(f"no permission to read {path}; pass a file that you may read") from error
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {path}: {getattr(error, 'strerror', error)}; pass another file") from error
    return known.open(path)


def format_of(path: Path) -> type[DataFile]:
    """The class for a file, by the suffix of its name; refuses unknown ones."""
    suffix = suffix_of(path)
    if suffix in FORMATS:
        return FORMATS[suffix]
    if suffix in OTHERS:
        raise InputError(f"{path} is {OTHERS[suffix]}")
    raise InputError(f"cannot tell what {path} is from its name; pass a file that ends in {', '.join(suffixes())}")
