"""Readers of tables with named columns: text with separators, Parquet and Arrow, all through polars.

Text (``.csv``, ``.tsv``, packed as ``.csv.gz`` or not) names its columns in the first line. Where the columns of a ``.csv`` file are
separated by semicolons, numbers may have decimal commas, as spreadsheets write them in many countries. What polars does not read as
finite numbers is read once more line by line, with spaces and words for truth, to say in which line a mistake is.
"""

from __future__ import annotations

import csv
import gzip
import io
import math
import zlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from softsym.data.columns import prediction_columns
from softsym.data.formats import PACKED, DataFile, suffix_of
from softsym.errors import InputError
from softsym.typing import Array, Index

if TYPE_CHECKING:
    import polars

SEPARATORS = {".csv": ",", ".tsv": "\t"}
SEPARATOR_NAMES = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
MISSING = frozenset({"", "na", "n/a", "#n/a", "null", "none", "?"})
TRUTH = {"true": 1.0, "false": 0.0}
BLOCK = 1 << 20
"""Bytes of text that are decoded at once."""
UNPACKED = 4
"""About how many times longer a text is than its packed form."""
SLICE = 250_000
"""Rows of a Parquet file that are in memory at once where only some are wanted."""
MAGIC = {".parquet": b"PAR1", ".feather": b"ARROW1", ".arrow": b"ARROW1"}
"""First and last bytes of a whole file."""


@dataclass(frozen=True)
class DelimitedFile(DataFile):
    """Text with separators; its first line names the columns.

    Args:
        path: The file.
        names: Its columns.
        separator: Between them.
        header: The line on which the names end.
    """

    separator: str
    header: int

    @classmethod
    def open(cls, path: Path) -> DelimitedFile:
        """Reads the names, after checking that the file is text at all."""
        _check_encoding(path)
        separator = SEPARATORS[suffix_of(path)]
        with _open_text(path) as file:
            first = next((line for line in file if line.strip()), b"")
        if separator == "," and b";" in first and b"," not in first:
            separator = ";"
        for line, cells in _records(path, separator):
            return cls(path, _check_names(path, cells), separator, line)
        raise InputError(f"{path} is empty; it needs a line of column names and rows of numbers")

    def size(self, columns: list[int]) -> int:
        """Estimated from the length of the first lines."""
        with _open_text(self.path) as file:
            start = file.read(1 << 16)
        length = self.path.stat().st_size * (UNPACKED if _is_packed(self.path) else 1)
        return 8 * len(columns) * length * (start.count(b"\n") or 1) // max(len(start), 1)

    def numbers(self, columns: list[int]) -> Array:
        """By polars if the whole file is as it should be, else line by line."""
        numbers = self._numbers_by_polars(columns) if self.header == 1 else None
        return self._numbers_by_line(columns) if numbers is None else numbers

    def cells(self, column: int) -> list[str]:
        texts = []
        for line, cells in self._rows():
            texts.append(cells[column])
            if cells[column].lower() in MISSING:
                raise InputError(
                    f"{self.path}, line {line}: column {self.names[column]!r} has no value; every row needs a label"
                )
        return texts

    @staticmethod
    def write(path: Path, names: list[str], values: Array, std: Array | None) -> None:
        import polars

        frame = polars.DataFrame(prediction_columns(names, values, std))
        frame.write_csv(path, separator=SEPARATORS[suffix_of(path)])

    def _numbers_by_polars(self, columns: list[int]) -> Array | None:
        """The numbers, quickly; None if a cell of these columns is no finite number or a line has too many cells."""
        import polars

        places = range(len(self.names))
        schema = {str(k): polars.Float64 if k in columns else polars.String for k in places}
        try:
            lazy = polars.scan_csv(
                self.path,
                has_header=False,
                skip_rows=1,
                separator=self.separator,
                decimal_comma=self.separator == ";",
                schema=schema,
                glob=False,
            )
            frame = lazy.select(map(str, columns)).collect()
        except polars.exceptions.PolarsError:
            return None
        if not len(frame) or any(series.null_count() for series in frame):
            return None
        numbers = frame.to_numpy()
        return numbers if np.isfinite(numbers).all() else None

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """Line number and stripped cells of every row, short ones filled with empty cells."""
        for line, cells in _records(self.path, self.separator):
            if len(cells) > len(self.names):
                raise InputError(
                    f"{self.path}, line {line} has {len(cells)} cells, but line 1 names {len(self.names)} columns; "
                    "quote cells that contain the separator"
                )
            if line > self.header:
                yield line, [cell.strip() for cell in cells] + [""] * (len(self.names) - len(cells))

    def _numbers_by_line(self, columns: list[int]) -> Array:
        """The same numbers, slowly; refuses text first, then missing values, then NaN and infinity, with the line."""
        numbers = array("d")
        missing: list[tuple[int, int]] = []
        not_finite: list[tuple[int, int, str]] = []
        for line, cells in self._rows():
            for column in columns:
                cell = cells[column]
                has_comma = self.separator == ";" and cell.count(",") == 1
                value = _to_number(cell.replace(",", ".") if has_comma else cell)
                if value is None and cell.lower() not in MISSING:
                    shown = cell if len(cell) <= 40 else cell[:37] + "..."
                    raise InputError(
                        f"{self.path}, line {line}: column {self.names[column]!r} holds {shown!r}, which is no number; "
                        "choose other --x-columns or --y-columns, or correct it"
                    )
                if value is None:
                    missing.append((line, column))
                elif not math.isfinite(value):
                    not_finite.append((line, column, cell))
                numbers.append(value or 0.0)
        if missing:
            line, column = missing[0]
            count = len({line for line, _ in missing})
            raise _missing_error(f"{self.path}, line {line}", self.names[column], count, "line")
        if not_finite:
            line, column, cell = not_finite[0]
            count = len({line for line, _, _ in not_finite})
            raise _not_finite_error(f"{self.path}, line {line}", self.names[column], cell, count, "line")
        if not numbers:
            raise InputError(f"{self.path} has column names but no rows")
        return np.frombuffer(numbers, dtype=np.float64).reshape(-1, len(columns)).copy()


@dataclass(frozen=True)
class ColumnarFile(DataFile):
    """A file that stores named columns one by one: ``.parquet``, and Arrow's ``.feather`` and ``.arrow``."""

    @classmethod
    def open(cls, path: Path) -> ColumnarFile:
        """Reads the names, after checking that the file is whole."""
        magic = MAGIC[path.suffix.lower()]
        with path.open("rb") as file:
            start = file.read(len(magic))
            size = file.seek(0, io.SEEK_END)
            file.seek(-min(size, len(magic)), io.SEEK_END)
            end = file.read()
        if not size:
            raise InputError(f"{path} is empty; write it again")
        if start != magic or end != magic:
            raise _damage_error(path, f"it does not begin and end with {magic.decode()}")
        return cls(path, tuple(_collect(path, _scan(path).head(0)).columns))

    def size(self, columns: list[int]) -> int:
        return 8 * len(columns) * self.count()

    def count(self) -> int:
        """The number of rows, from the file's metadata."""
        import polars

        return int(_collect(self.path, _scan(self.path).select(polars.len())).item())

    def numbers(self, columns: list[int]) -> Array:
        frame = _collect(self.path, _scan(self.path).select([self.names[k] for k in columns]))
        if not len(frame):
            raise InputError(f"{self.path} has columns but no rows")
        return self._to_numbers(frame, 0)

    def sample(self, columns: list[int], rows: Index) -> Array:
        """Some rows, from one slice of the file after the other; rows that are not wanted are checked too."""
        picked = []
        for start in range(0, self.count(), SLICE):
            inside = rows[(rows >= start) & (rows < start + SLICE)] - start
            picked.append(self.slice(columns, start, start + SLICE)[inside])
        return np.concatenate(picked)

    def slice(self, columns: list[int], start: int, stop: int) -> Array:
        """The rows from ``start`` to ``stop``."""
        lazy = _scan(self.path).slice(start, stop - start).select([self.names[k] for k in columns])
        return self._to_numbers(_collect(self.path, lazy), start)

    def cells(self, column: int) -> list[Any]:
        frame = _collect(self.path, _scan(self.path).select(self.names[column]))
        self._check_missing(frame, 0)
        return frame.to_series().to_list()

    @staticmethod
    def write(path: Path, names: list[str], values: Array, std: Array | None) -> None:
        import polars

        frame = polars.DataFrame(prediction_columns(names, values, std))
        frame.write_parquet(path) if path.suffix.lower() == ".parquet" else frame.write_ipc(path)

    def _to_numbers(self, frame: polars.DataFrame, start: int) -> Array:
        """The numbers of a slice that begins with row ``start``; refuses what is no finite number."""
        import polars

        for series in frame:
            if not (series.dtype.is_numeric() or series.dtype in (polars.Boolean, polars.Null)):
                values = series.drop_nulls()
                shown = " ".join(repr(values[0]).split())[:40] if len(values) else "nothing"
                raise InputError(
                    f"{self.path}: column {series.name!r} holds {series.dtype} such as {shown}, which are no numbers; "
                    "choose other --x-columns or --y-columns"
                )
        self._check_missing(frame, start)
        numbers = frame.cast(polars.Float64).to_numpy(order="c")
        if not np.isfinite(numbers).all():
            bad = ~np.isfinite(numbers)
            row, column = np.argwhere(bad)[0]
            where, count = f"{self.path}, row {start + row + 1}", int(bad.any(axis=1).sum())
            raise _not_finite_error(where, frame.columns[column], numbers[row, column], count, "row")
        return numbers

    def _check_missing(self, frame: polars.DataFrame, start: int) -> None:
        if any(series.null_count() for series in frame):
            bad = np.column_stack([series.is_null().to_numpy() for series in frame])
            row, column = np.argwhere(bad)[0]
            where, count = f"{self.path}, row {start + row + 1}", int(bad.any(axis=1).sum())
            raise _missing_error(where, frame.columns[column], count, "row")


def _scan(path: Path) -> polars.LazyFrame:
    import polars

    is_parquet = path.suffix.lower() == ".parquet"
    return polars.scan_parquet(path, glob=False) if is_parquet else polars.scan_ipc(path, glob=False)


def _collect(path: Path, lazy: polars.LazyFrame) -> polars.DataFrame:
    """Runs a query on a Parquet or Arrow file; whatever polars says of a damaged one becomes one line."""
    import polars

    try:
        return lazy.collect()
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError) as error:
        raise _damage_error(
            path, str(error).splitlines()[0] if str(error) else type(error).__name__
        ) from error


def _damage_error(path: Path, why: str) -> InputError:
    kind = "Parquet" if path.suffix.lower() == ".parquet" else "Arrow"
    return InputError(f"{path} is no {kind} file, or a damaged one: {why}")


def _missing_error(where: str, column: str, count: int, unit: str) -> InputError:
    lines = f"{count} {unit}{'' if count == 1 else 's'}"
    return InputError(
        f"{where}: column {column!r} has no value ({lines} with missing values); fill it in or leave the {unit} out"
    )


def _not_finite_error(where: str, column: str, value: object, count: int, unit: str) -> InputError:
    lines = f"{count} {unit}{'' if count == 1 else 's'}"
    return InputError(
        f"{where}: column {column!r} is {value} ({lines} with NaN or infinity); leave such {unit}s out"
    )


def _is_packed(path: Path) -> bool:
    return path.suffix.lower() == PACKED


def _open_text(path: Path) -> gzip.GzipFile | io.BufferedReader:
    """The bytes of a text, unpacked."""
    return gzip.open(path, "rb") if _is_packed(path) else path.open("rb")


def _check_encoding(path: Path) -> None:
    """Refuses files that are not UTF-8 text, naming the first byte and line that are not."""
    position, line = 0, 1
    try:
        with _open_text(path) as file:
            while block := file.read(BLOCK) + file.readline():  # whole lines, so that no character is cut
                bad = block.find(b"\0")
                try:
                    block.decode()
                except UnicodeDecodeError as error:
                    bad = error.start if bad < 0 else min(bad, error.start)
                if bad >= 0:
                    raise InputError(
                        f"{path} is not UTF-8 text: byte 0x{block[bad]:02x} at position {position + bad}, "
                        f"line {line + block[:bad].count(10)}; save it as UTF-8"
                    )
                position, line = position + len(block), line + block.count(b"\n")
    except (OSError, EOFError, zlib.error) as error:
        if not _is_packed(path):
            raise
        raise InputError(f"{path} is no gzip file, or a damaged one ({error}); pack it again") from error


def _records(path: Path, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every line that is not blank."""
    with io.TextIOWrapper(_open_text(path), encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=separator)
        try:
            yield from ((reader.line_num, cells) for cells in reader if any(map(str.strip, cells)))
        except csv.Error as error:
            raise InputError(
                f"{path}, line {reader.line_num}: {error}; a double quote may not be closed"
            ) from error


def _check_names(path: Path, cells: list[str]) -> tuple[str, ...]:
    """The names of the columns; refuses a line of another separator, or of numbers."""
    separator = SEPARATORS[suffix_of(path)]
    names = tuple(cell.strip() or f"column{k + 1}" for k, cell in enumerate(cells))
    for other in "\t|,;" if separator == "," else ";|,":
        if len(names) == 1 and other in names[0]:
            raise InputError(
                f"{path} has its columns separated by {SEPARATOR_NAMES[other]}; "
                f"a {suffix_of(path)} file must have {SEPARATOR_NAMES[separator]}"
            )
    if all(_to_number(name) is not None for name in names):
        raise InputError(f"line 1 of {path} holds numbers only; it must hold the names of the columns")
    return names


def _to_number(cell: str) -> float | None:
    """The number a cell holds, if it is one; booleans are numbers."""
    if cell.lower() in TRUTH:
        return TRUTH[cell.lower()]
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None
