"""Readers of tables: text with separators, Parquet and Arrow through polars, and NumPy's archives.

Text (``.csv``, ``.tsv``, packed as ``.csv.gz`` or not) names its columns in the first line. Where the columns of a ``.csv`` file are
separated by semicolons, numbers may have decimal commas, as spreadsheets write them in many countries. What polars does not read as
finite numbers is read once more line by line, with spaces and words for truth, to say in which line a mistake is.

An ``.npz`` archive has an array ``X`` of inputs, ``Y`` of outputs, and optionally ``x_names`` and ``y_names``; row groups are an array of
any other name with one entry for every row.

Sizes come from headers and are checked before anything is loaded; a header that promises more than the file can hold is not believed.
"""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import math
import struct
import tokenize
import warnings
import zipfile
import zlib
from array import array
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np
from numpy.typing import NDArray

from softsym.data.columns import Header, Places, prediction_columns
from softsym.data.formats import PACKED, ROW_GROUPS, DataFile, suffix_of
from softsym.errors import DataWarning, InputError, shorten
from softsym.limits import check_memory
from softsym.progress import progress
from softsym.typing import Array, Index

if TYPE_CHECKING:
    import polars

SEPARATORS = {".csv": ",", ".tsv": "\t"}
SEPARATOR_NAMES = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}
MISSING = frozenset({"", "na", "n/a", "#n/a", "null", "none", "?"})
TRUTH = {"true": 1.0, "false": 0.0}
BLOCK = 1 << 20  # bytes of text that are decoded at once
LONGEST_LINE = 1 << 24  # bytes of a line; what has longer ones is no table
LOOK_ROWS = 20  # rows that say whether a column holds numbers, for a suggestion
MOST_COLUMNS, MOST_ROWS = 200_000, 10**10  # files that say they have more are not believed
UNPACKED = 20  # a text that is so many times longer than its packed form must fit into memory
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # a cell of a spreadsheet that begins so is computed
SLICE = 250_000  # rows of a Parquet file that are in memory at once where only some are wanted
DEFLATE = 1100  # bytes that a packed byte of an archive can hold at most
LONGEST_NAMES = 10**8  # bytes of the names of columns in an archive
MAGIC = {".parquet": b"PAR1", ".feather": b"ARROW1", ".arrow": b"ARROW1"}  # first and last bytes of a whole file
Shape = tuple[int, ...]
T = TypeVar("T")
DAMAGE = (
    *(ArithmeticError, EOFError, LookupError, MemoryError, OSError, RuntimeError, SyntaxError, TypeError, ValueError),
    *(tokenize.TokenError, struct.error, zlib.error, zipfile.BadZipFile),
)
"""Errors that reading a damaged file can raise."""
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


@dataclass(frozen=True)
class DelimitedFile(DataFile):
    """Text with separators; its first line names the columns."""

    separator: str  # between them
    header: int  # the line on which the names end
    lines: int  # how many lines there are
    length: int  # how many bytes, unpacked

    @classmethod
    def open(cls, path: Path) -> DelimitedFile:
        """Reads the names, after checking that the file is text at all."""
        lines, length = _check_encoding(path)
        separator = SEPARATORS[suffix_of(path)]
        with _open_text(path) as file:
            first = next((line for line in file if line.strip()), b"")
        if separator == "," and b";" in first and b"," not in first:
            separator = ";"
        for line, cells in _records(path, separator):
            return cls(path, _check_names(path, cells), separator, line, lines, length)
        raise InputError(f"{path} is empty; it needs a line of column names and rows of numbers")

    def size(self, columns: list[int]) -> int:
        """A number for each line and column; packed text is unpacked in memory."""
        return 8 * len(columns) * self.lines + (self.length if _is_packed(self.path) else 0)

    def text_columns(self) -> set[str]:
        """By the first rows."""
        texts = set()
        for _, cells in itertools.islice(self._rows(), LOOK_ROWS):
            named = zip(self.names, cells, strict=True)
            texts |= {name for name, cell in named if self._to_number(cell) is None and cell.lower() not in MISSING}
        return texts

    def numbers(self, columns: list[int], *, keep_missing: bool = False) -> Array:
        """By polars if the whole file is as it should be, else line by line."""
        numbers = self._numbers_by_polars(columns, keep_missing) if self.header == 1 else None
        return self._numbers_by_line(columns, keep_missing) if numbers is None else numbers

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

        columns = prediction_columns(names, values, std).items()
        # A spreadsheet would run such a name as a formula.
        frame = polars.DataFrame({f"'{name}" if name.startswith(FORMULA) else name: each for name, each in columns})
        frame.write_csv(path, separator=SEPARATORS[suffix_of(path)])

    def _numbers_by_polars(self, columns: list[int], keep_missing: bool) -> Array | None:
        """The numbers, quickly; None if a cell of these columns is no finite number or a line has too many cells."""
        import polars

        schema = {str(k): polars.Float64 if k in columns else polars.String for k in range(len(self.names))}
        try:
            options: dict[str, Any] = {"separator": self.separator, "decimal_comma": self.separator == ";"}
            lazy = polars.scan_csv(self.path, has_header=False, skip_rows=1, schema=schema, glob=False, **options)
            frame = lazy.select(map(str, columns)).collect()
        except polars.exceptions.PolarsError:
            return None
        if not len(frame) or (not keep_missing and any(series.null_count() for series in frame)):
            return None
        numbers = frame.to_numpy()
        return numbers if keep_missing or np.isfinite(numbers).all() else None

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

    def _to_number(self, cell: str) -> float | None:
        return _to_number(cell.replace(",", ".") if self.separator == ";" and cell.count(",") == 1 else cell)

    def _numbers_by_line(self, columns: list[int], keep_missing: bool = False) -> Array:
        """The same numbers, slowly; refuses text first, then missing values, then NaN and infinity, with the line."""
        numbers = array("d")
        missing: list[tuple[int, int, str | None]] = []
        not_finite = missing.copy()
        for line, cells in self._rows():
            for column in columns:
                value = self._to_number(cells[column])
                if value is None and cells[column].lower() not in MISSING:
                    raise InputError(
                        f"{self.path}, line {line}: column {self.names[column]!r} holds {shorten(cells[column], 40)!r}, which is no "
                        "number; choose other --x-columns or --y-columns, or correct it"
                    )
                if value is None:
                    missing.append((line, column, None))
                elif not math.isfinite(value):
                    not_finite.append((line, column, cells[column]))
                numbers.append(math.nan if value is None else value)
        for places in (missing, not_finite):
            if places and not keep_missing:
                line, column, cell = places[0]
                count = len({line for line, _, _ in places})
                raise _value_error(f"{self.path}, line {line}", self.names[column], cell, count, "line")
        if not numbers:
            raise InputError(f"{self.path} has column names but no rows")
        return np.frombuffer(numbers, dtype=np.float64).reshape(-1, len(columns)).copy()


@dataclass(frozen=True)
class ColumnarFile(DataFile):
    """A file that stores named columns one by one: ``.parquet``, and Arrow's ``.feather`` and ``.arrow``."""

    schema: polars.Schema  # the type of each column

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
        (_check_pages if path.suffix.lower() == ".parquet" else _check_blocks)(path)
        schema = _query(path, lambda rows: rows.collect_schema())
        return cls(path, tuple(schema), schema)

    def size(self, columns: list[int]) -> int:
        return 8 * len(columns) * self.count()

    def count(self) -> int:
        """The number of rows, from the file's metadata."""
        import polars

        count = int(_query(self.path, lambda rows: rows.select(polars.len()).collect().item()))
        if count > MOST_ROWS:
            raise _damage_error(self.path, f"it says that it has {count:,} rows")
        return count

    def text_columns(self) -> set[str]:
        return {name for name, dtype in self.schema.items() if not _is_number(dtype)}

    def numbers(self, columns: list[int], *, keep_missing: bool = False) -> Array:
        numbers = self.slice(columns, 0, None, keep_missing=keep_missing)
        if not len(numbers):
            raise InputError(f"{self.path} has columns but no rows")
        return numbers

    def sample(self, columns: list[int], rows: Index, *, keep_missing: bool = False) -> Array:
        """Some rows, from one slice of the file after the other; rows that are not wanted are checked too."""
        picked, count = [], self.count()
        with progress(f"reading {self.path.name}", count) as show:
            for start in range(0, count, SLICE):
                inside = rows[(rows >= start) & (rows < start + SLICE)] - start
                picked.append(self.slice(columns, start, start + SLICE, keep_missing=keep_missing)[inside])
                show(min(start + SLICE, count))
        return np.concatenate(picked)

    def slice(self, columns: list[int], start: int, stop: int | None, *, keep_missing: bool = False) -> Array:
        """The rows from ``start`` to ``stop``; columns of other types than numbers are refused before they are read."""
        import polars

        names = [self.names[k] for k in columns]
        self._check_types(names)
        length = None if stop is None else stop - start
        frame = _query(self.path, lambda rows: rows.slice(start, length).select(names).collect())
        numbers = _query(self.path, lambda rows: frame.cast(polars.Float64).to_numpy(order="c"))
        if not keep_missing and not np.isfinite(numbers).all():
            self._check_missing(frame, start)
            self._check_values(np.isfinite(numbers), numbers, names, start)
        return numbers

    def cells(self, column: int) -> list[Any]:
        frame = _query(self.path, lambda rows: rows.select(self.names[column]).collect())
        self._check_missing(frame, 0)
        return frame.to_series().to_list()

    @staticmethod
    def write(path: Path, names: list[str], values: Array, std: Array | None) -> None:
        import polars

        frame = polars.DataFrame(prediction_columns(names, values, std))
        frame.write_parquet(path) if path.suffix.lower() == ".parquet" else frame.write_ipc(path)

    def _check_types(self, names: list[str]) -> None:
        texts = [name for name in names if not _is_number(self.schema[name])]
        if texts:
            first = _query(self.path, lambda rows: rows.select(texts[0]).drop_nulls().head(1).collect())
            shown = shorten(" ".join(repr(first.item()).split()), 40) if len(first) else "nothing"
            raise InputError(
                f"{self.path}: column {texts[0]!r} holds {self.schema[texts[0]]} such as {shown}, which are no numbers; "
                "choose other --x-columns or --y-columns"
            )

    def _check_missing(self, frame: polars.DataFrame, start: int) -> None:
        there = np.column_stack([series.is_not_null().to_numpy() for series in frame])
        self._check_values(there, None, frame.columns, start)

    def _check_values(self, good: NDArray[np.bool_], values: Array | None, names: list[str], start: int) -> None:
        """Refuses the first cell that is not good: a missing one, or one of these values."""
        if not good.all():
            row, column = np.argwhere(~good)[0]
            where, count = f"{self.path}, row {start + row + 1}", int((~good).any(axis=1).sum())
            raise _value_error(where, names[column], None if values is None else values[row, column], count, "row")


def _is_number(dtype: polars.DataType) -> bool:
    import polars

    return dtype.is_numeric() or dtype in (polars.Boolean, polars.Null)


def _query(path: Path, ask: Callable[[polars.LazyFrame], T]) -> T:
    """An answer from a Parquet or Arrow file; whatever polars says of a damaged one, its panics too, becomes one line."""
    import polars

    scan = polars.scan_parquet if path.suffix.lower() == ".parquet" else polars.scan_ipc
    try:
        return ask(scan(path, glob=False))
    except (Exception, polars.exceptions.PanicException) as error:
        first = (str(error).strip().splitlines() or [type(error).__name__])[0]
        raise _damage_error(path, shorten(first, 200)) from error


def _check_pages(path: Path) -> None:
    """Refuses a Parquet page that says it has fewer than no values, or more than its column: polars would end the process."""
    why = ""
    with path.open("rb") as file, suppress(*DAMAGE):
        file.seek(-8, io.SEEK_END)  # what cannot be read here is left to polars, which says what is wrong with it
        length = int.from_bytes(file.read(4), "little")
        file.seek(-8 - length, io.SEEK_END)
        footer = _thrift(io.BytesIO(file.read(length)), 12)
        for column in (column[3] for rows in footer[4] for column in rows[1]):
            place = column.get(11) or column[9]
            end = place + column[7]
            while place < end:
                file.seek(place)
                page = io.BytesIO(file.read(1 << 16))
                header = _thrift(page, 12)
                count = next((header[kind][1] for kind in (5, 7, 8) if kind in header), 0)
                if header[3] < 0 or not 0 <= count <= column[5]:
                    why = f"a page of {count:,} values in a column of {column[5]:,}"
                place += page.tell() + max(header[3], 0)
    if why:
        raise _damage_error(path, why)


def _check_blocks(path: Path) -> None:
    """Refuses an Arrow file whose blocks lie beyond it: polars would print dozens of lines about each."""
    why = ""
    with path.open("rb") as file, suppress(*DAMAGE):
        size = file.seek(0, io.SEEK_END)
        file.seek(-10, io.SEEK_END)  # a footer in flatbuffers' format, its length, and the magic of six bytes
        length = int.from_bytes(file.read(4), "little")
        file.seek(-10 - length, io.SEEK_END)
        footer = file.read(length)
        (root,) = struct.unpack_from("<I", footer, 0)
        fields = root - struct.unpack_from("<i", footer, root)[0]
        for field in (8, 10):  # dictionaries and rows
            (at,) = struct.unpack_from("<H", footer, fields + field)
            vector = root + at + struct.unpack_from("<I", footer, root + at)[0]
            for k in range(struct.unpack_from("<I", footer, vector)[0] if at else 0):
                place, header, body = struct.unpack_from("<qi4xq", footer, vector + 4 + 24 * k)
                if min(place, header, body) < 0 or place + header + body > size:
                    why = f"a block of {header + body:,} bytes at {place:,} in a file of {size:,}"
    if why:
        raise _damage_error(path, why)


def _thrift(data: io.BytesIO, kind: int) -> Any:
    """A value in Thrift's compact protocol, in which Parquet writes its headers; a struct becomes a dict by field number."""
    if kind == 12:
        fields: dict[int, Any] = {}
        field = 0
        while byte := data.read(1)[0]:
            field = field + (byte >> 4) if byte >> 4 else _thrift(data, 6)
            fields[field] = byte & 15 == 1 if byte & 15 in (1, 2) else _thrift(data, byte & 15)
        return fields
    if kind in (9, 10):
        byte = data.read(1)[0]
        count = byte >> 4 if byte >> 4 < 15 else _varint(data)
        return [_thrift(data, byte & 15) for _ in range(count)]
    if kind in (4, 5, 6):
        number = _varint(data)
        return (number >> 1) ^ -(number & 1)
    size = {1: 1, 2: 1, 3: 1, 7: 8, 8: 0}[kind] or _varint(data)
    if size > len(value := data.read(size)):
        raise ValueError("cut short")  # a list may say that it has any number of values
    return value


def _varint(data: io.BytesIO) -> int:
    number = 0
    for shift in range(0, 70, 7):
        byte = data.read(1)[0]
        number |= (byte & 127) << shift
        if byte < 128:
            return number
    raise ValueError("a number of more than ten bytes")


def _damage_error(path: Path, why: str) -> InputError:
    kind = "Parquet" if path.suffix.lower() == ".parquet" else "Arrow"
    return InputError(f"{path} is no {kind} file, or a damaged one: {why}")


def _value_error(where: str, column: str, value: object, count: int, unit: str) -> InputError:
    """A refusal of a missing value (None), or of NaN or infinity."""
    lines = f"{count} {unit}{'' if count == 1 else 's'}"
    problem, kind = ("has no value", "missing values") if value is None else (f"is {value}", "NaN or infinity")
    return InputError(
        f"{where}: column {column!r} {problem} ({lines} with {kind}); correct it, or leave such {unit}s out with --drop-missing"
    )


def _is_packed(path: Path) -> bool:
    return path.suffix.lower() == PACKED


def _open_text(path: Path) -> gzip.GzipFile | io.BufferedReader:
    """The bytes of a text, unpacked."""
    return gzip.open(path, "rb") if _is_packed(path) else path.open("rb")


def _check_encoding(path: Path) -> tuple[int, int]:
    """Lines and bytes of a text; refuses what is not UTF-8, naming the first byte and line that are not, and what is too long."""
    position, line, size = 0, 1, path.stat().st_size
    try:
        with _open_text(path) as file, progress(f"reading {path.name}", size, unit="bytes") as show:
            while block := file.read(BLOCK) + file.readline(LONGEST_LINE):  # whole lines, so that no character is cut
                if len(block) >= LONGEST_LINE:
                    raise InputError(
                        f"{path}, line {line + block.count(10)} has more than {LONGEST_LINE:,} bytes; it is no table"
                    )
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
                if position > UNPACKED * size:
                    check_memory(f"{path}, unpacked,", 2 * position, "unpack it and take a part of its lines")
                show(min(position, size))
    except (OSError, EOFError, zlib.error) as error:
        if not _is_packed(path):
            raise
        raise InputError(f"{path} is no gzip file, or a damaged one ({error}); pack it again") from error
    return line, position


def _records(path: Path, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every line that is not blank."""
    with io.TextIOWrapper(_open_text(path), encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=separator)
        try:
            yield from ((reader.line_num, cells) for cells in reader if any(map(str.strip, cells)))
        except csv.Error as error:
            raise InputError(f"{path}, line {reader.line_num}: {error}; a double quote may not be closed") from error


def _check_names(path: Path, cells: list[str]) -> tuple[str, ...]:
    """The names of the columns; refuses a line of another separator, or of numbers."""
    separator = SEPARATORS[suffix_of(path)]
    if len(cells) > MOST_COLUMNS:
        raise InputError(f"{path} has {len(cells):,} columns; at most {MOST_COLUMNS:,} are read")
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


@dataclass(frozen=True)
class NpzFile(DataFile):
    """An archive of inputs and, perhaps, outputs."""

    inputs: int  # how many of them are of X
    rows: int  # how many rows X has
    sizes: dict[str, int]  # bytes of each array in memory, by name
    no_outputs: InputError | None  # why Y cannot be used, raised when outputs are asked for; None if it can
    knows_inputs: ClassVar[bool] = True

    @classmethod
    def open(cls, path: Path) -> NpzFile:
        """Reads the headers of both arrays."""
        try:
            with zipfile.ZipFile(path) as archive:
                items = archive.infolist()
            sizes = {item.filename.removesuffix(".npy"): item.file_size for item in items}
            if any(item.file_size > DEFLATE * item.compress_size + 1000 for item in items):
                raise ValueError("it says that its arrays are larger than they can be")
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

    def choose(self, x_text: str | None, y_text: str | None, *, need_y: bool, row_groups: str | None = None) -> Places:
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
            raise InputError(f"{ROW_GROUPS}: {self.path} has no array `{row_groups}`; it holds {', '.join(self.sizes)}")
        shape, dtype = _header(self.path, row_groups, self.sizes)
        check_memory(f"`{row_groups}` of {self.path}", 10 * self.sizes[row_groups], "pass other row groups")
        if dtype.hasobject or shape != (self.rows,):
            raise InputError(
                f"{ROW_GROUPS}: {self.path}: `{row_groups}` must hold a text or a number for each of {self.rows} rows, got {dtype} "
                f"of shape {shape}"
            )
        entries: Any = _load(self.path, row_groups)
        return (entries if rows is None else entries[rows]).tolist()

    def size(self, columns: list[int]) -> int:
        """Bytes of the arrays that hold these columns, which are loaded whole, and of the numbers that are made of them."""
        arrays = self.sizes["X"] + (self.sizes["Y"] if max(columns, default=0) >= self.inputs else 0)
        return arrays + 8 * self.rows * len(self.names)

    def numbers(self, columns: list[int], *, keep_missing: bool = False) -> Array:
        """An array of one axis is one column; further axes are flattened, the last one fastest, with a warning."""
        places = np.array(columns, dtype=np.intp)
        numbers = np.empty((self.rows, len(places)))
        for name, start, own in (("X", 0, places < self.inputs), ("Y", self.inputs, places >= self.inputs)):
            if own.any():
                numbers[:, own] = self._flat(name, keep_missing)[:, places[own] - start]
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

    def _flat(self, name: str, keep_missing: bool) -> Array:
        values = _load(self.path, name)
        columns = math.prod(values.shape[1:])
        if values.ndim > 2:
            flattened = f"each row is flattened to {columns} columns, the last axis fastest"
            warnings.warn(f"{self.path}: `{name}` has shape {values.shape}; {flattened}", DataWarning, stacklevel=4)
        flat = values.reshape(len(values), columns).astype(np.float64)
        bad = ~np.isfinite(flat)
        if bad.any() and not keep_missing:
            row, column = np.argwhere(bad)[0]
            rows = int(bad.any(axis=1).sum())
            raise InputError(
                f"{self.path}: `{name}` is {flat[row, column]} in row {row}, column {column}, counted from 0 "
                f"({rows} {'row' if rows == 1 else 'rows'} with NaN or infinity); leave such rows out with --drop-missing"
            )
        return flat


def _read_header(path: Path, name: str, held: dict[str, int]) -> tuple[int, tuple[str, ...]]:
    """Number of rows and names of the columns of an array, after checking that it holds real numbers."""
    if name not in held:
        raise InputError(
            f"{path} has no array `{name}`; it holds {', '.join(held) or 'nothing'}. "
            "Write it with numpy.savez(path, X=X, Y=Y)"
        )
    shape, dtype = _header(path, name, held)
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
    if columns > MOST_COLUMNS:
        raise InputError(
            f"{path}: `{name}` of shape {shape} has {columns:,} columns; at most {MOST_COLUMNS:,} are read"
        )
    names = f"{letter}_names"
    if names not in held:
        return shape[0], tuple(f"{letter}{k}" for k in range(columns))
    shape_of_names, dtype = _header(path, names, held)
    if held[names] > LONGEST_NAMES:
        raise InputError(f"{path}: `{names}` takes {held[names]:,} bytes; give columns shorter names")
    if dtype.kind != "U" or shape_of_names != (columns,):
        raise InputError(
            f"{path}: `{names}` must hold {columns} texts, one for each column, got {dtype} of shape {shape_of_names}"
        )
    return shape[0], tuple(map(str, _load(path, names)))


def _header(path: Path, name: str, held: dict[str, int]) -> tuple[Shape, np.dtype[np.generic]]:
    """Shape and type of an array, which is not loaded; its bytes must be there."""
    with _refuse_array(path, name), zipfile.ZipFile(path) as archive, archive.open(f"{name}.npy") as file:
        shape, _, dtype = _HEADERS[np.lib.format.read_magic(file)](file)
        size = math.prod(shape) * dtype.itemsize
        if any(type(axis) is not int or axis < 0 for axis in shape) or (size > held[name] and not dtype.hasobject):
            raise ValueError(f"its header says {shape} of {dtype}, {size:,} bytes, and there are {held[name]:,}")
    return shape, dtype


def _load(path: Path, name: str) -> NDArray[np.generic]:
    with _refuse_array(path, name), np.load(path, allow_pickle=False) as stored:
        return np.asarray(stored[name])


@contextmanager
def _refuse_array(path: Path, name: str) -> Iterator[None]:
    try:
        yield
    except DAMAGE as error:
        line = shorten(" ".join(str(error).split()) or type(error).__name__, 200)
        raise InputError(f"{path}: `{name}` is damaged: {line}") from error
