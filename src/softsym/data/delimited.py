"""Numbers from text files with separators, ``.csv`` and ``.tsv``, packed (``.csv.gz``) or not.

Where the columns of a ``.csv`` file are separated by semicolons, numbers may have decimal commas, as spreadsheets write them in many
countries. The first line names the columns.

Two readers give the same numbers: a fast one (polars) for files without mistakes, and a plain one
that walks line by line and can say where a mistake is. Whatever the fast one cannot read as finite numbers goes to the plain one.
"""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import math
import zlib
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from softsym.data.columns import prediction_columns
from softsym.data.formats import PACKED, DataFile, suffix_of
from softsym.errors import InputError
from softsym.typing import Array

SEPARATORS = {".csv": ",", ".tsv": "\t"}
MISSING = frozenset({"", "na", "n/a", "#n/a", "null", "none", "?"})
TRUTH = {"true": 1.0, "false": 0.0}
CHUNK = 1 << 20
"""Bytes that are looked at together."""
UNPACKED = 4
"""About how many times longer a text is than what it was packed to."""
_NAMES = {",": "commas", "\t": "tabs", ";": "semicolons", "|": "bars"}


@dataclass(frozen=True)
class DelimitedFile(DataFile):
    """A text file of numbers; its first line names the columns."""

    @classmethod
    def open(cls, path: Path) -> DelimitedFile:
        """Reads the names, after checking that the file is text at all."""
        check_encoding(path)
        for _, cells in _records(path):
            return cls(path, _names(path, cells))
        raise InputError(f"{path} is empty; it needs a line of column names and rows of numbers")

    def size(self, columns: list[int]) -> int:
        """About how many bytes so many columns take as numbers, from the length of the first lines."""
        with _opened(self.path) as file:
            start = file.read(1 << 16)
        packed = UNPACKED if _is_packed(self.path) else 1
        return (
            packed
            * 8
            * len(columns)
            * self.path.stat().st_size
            * (start.count(b"\n") or 1)
            // max(len(start), 1)
        )

    def numbers(self, columns: list[int]) -> Array:
        """The chosen columns, shape (rows, len(columns)), all finite."""
        numbers = _fast(self, columns)
        return _plain(self, columns) if numbers is None else numbers

    def cells(self, column: int) -> list[str]:
        """The texts of a column."""
        texts, records = [], _records(self.path)
        next(records)
        for line, cells in records:
            texts.append(cells[column].strip() if column < len(cells) else "")
            if texts[-1].lower() in MISSING:
                raise InputError(
                    f"{self.path}, line {line}: column {self.names[column]!r} has no value; every row needs a label"
                )
        return texts

    @staticmethod
    def write(path: Path, names: list[str], values: Array, spread: Array | None) -> None:
        """Writes predictions, and in further columns their spread."""
        import polars

        frame = polars.DataFrame(prediction_columns(names, values, spread))
        frame.write_csv(path, separator=SEPARATORS[suffix_of(path)])


def separator_of(path: Path) -> str:
    """What separates columns: what the suffix says, and semicolons in a ``.csv`` file whose first line has them and no comma."""
    usual = SEPARATORS[suffix_of(path)]
    with _opened(path) as file:
        first = next((line for line in file if line.strip()), b"")
    return ";" if usual == "," and b";" in first and b"," not in first else usual


def _is_packed(path: Path) -> bool:
    return path.suffix.lower() == PACKED


def _opened(path: Path) -> gzip.GzipFile | io.BufferedReader:
    """The bytes of the text, unpacked."""
    return gzip.open(path, "rb") if _is_packed(path) else path.open("rb")


def check_encoding(path: Path) -> None:
    """Refuses files that are not UTF-8 text, naming the first byte and line that are not.

    Args:
        path: The file.
    """
    if _is_packed(path):
        try:
            with _opened(path) as file:
                while file.read(CHUNK):
                    pass
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{path} is no gzip file, or a damaged one ({error}); pack it again") from error
    decoder = codecs.getincrementaldecoder("utf-8")()
    offset, line, held = 0, 1, 0  # held: bytes of an unfinished character at the end of the last chunk
    with _opened(path) as file:
        while True:
            chunk = file.read(CHUNK)
            try:
                decoder.decode(chunk, final=not chunk)
            except UnicodeDecodeError as error:
                start, byte = error.start - held, error.object[error.start]
                _refuse(path, byte, offset + start, line + chunk[: max(start, 0)].count(b"\n"))
            if not chunk:
                return
            if b"\0" in chunk:
                start = chunk.index(b"\0")
                _refuse(path, 0, offset + start, line + chunk[:start].count(b"\n"))
            held = len(decoder.getstate()[0])
            offset, line = offset + len(chunk), line + chunk.count(b"\n")


def _refuse(path: Path, byte: int, offset: int, line: int) -> NoReturn:
    raise InputError(
        f"{path} is not UTF-8 text: byte 0x{byte:02x} at position {offset}, line {line}; save it as UTF-8"
    )


def _names(path: Path, cells: list[str]) -> tuple[str, ...]:
    separator = SEPARATORS[suffix_of(path)]
    names = tuple(cell.strip() or f"column{k + 1}" for k, cell in enumerate(cells))
    for other in "\t|,;" if separator == "," else ";|,":
        if len(names) == 1 and other in names[0]:
            raise InputError(
                f"{path} has its columns separated by {_NAMES[other]}; a {suffix_of(path)} file must have {_NAMES[separator]}"
            )
    if all(_number(name) is not None for name in names):
        raise InputError(f"line 1 of {path} holds numbers only; it must hold the names of the columns")
    return names


def _records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of every line that is not blank."""
    with io.TextIOWrapper(_opened(path), encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=separator_of(path))
        try:
            yield from ((reader.line_num, cells) for cells in reader if any(map(str.strip, cells)))
        except csv.Error as error:
            raise InputError(
                f"{path}, line {reader.line_num}: {error}; a double quote may not be closed"
            ) from error


def _fast(file: DelimitedFile, columns: list[int]) -> Array | None:
    """The numbers if every cell is one, else None."""
    if _is_packed(file.path) or separator_of(file.path) == ";":
        return None
    first = list(_first(file.path, 2))
    if len(first) < 2 or first[0][0] != 1:
        return None
    numbers = _read(file, columns, told=True)
    return _read(file, columns, told=False) if numbers is None else numbers


def _read(file: DelimitedFile, columns: list[int], *, told: bool) -> Array | None:
    """The numbers by polars, which is told that the chosen columns hold numbers, or finds out first, which takes several times as long."""
    import polars

    options: dict[str, Any] = {
        "has_header": False, "skip_rows": 1, "separator": SEPARATORS[suffix_of(file.path)], "glob": False,
    }  # fmt: skip
    try:
        lazy = polars.scan_csv(file.path, infer_schema_length=0 if told else None, **options)
        names = lazy.collect_schema().names()
        if len(names) != len(file.names):
            return None
        chosen = [names[k] for k in columns]
        if told:
            schema = {name: polars.Float64 if name in chosen else polars.String for name in names}
            lazy = polars.scan_csv(file.path, schema=schema, **options)
        frame = lazy.select(chosen).collect()
    except polars.exceptions.PolarsError:
        return None
    if not all(dtype.is_numeric() or dtype == polars.Boolean for dtype in frame.dtypes):
        return None
    if any(series.null_count() for series in frame):
        return None
    numbers = frame.cast(polars.Float64).to_numpy()
    return numbers if np.isfinite(numbers).all() else None


def _first(path: Path, n: int) -> Iterator[tuple[int, list[str]]]:
    for _, record in zip(range(n), _records(path), strict=False):
        yield record


@dataclass
class _Mistakes:
    """The first mistake of each sort, and how many lines have one."""

    file: DelimitedFile
    first: dict[str, tuple[int, str, str]] = field(default_factory=dict)
    lines: dict[str, set[int]] = field(default_factory=dict)

    def note(self, sort: str, line: int, column: int, cell: str) -> None:
        self.first.setdefault(sort, (line, self.file.names[column], cell))
        self.lines.setdefault(sort, set()).add(line)

    def fail(self) -> NoReturn:
        worst = next(sort for sort in ("text", "missing", "infinite") if sort in self.first)
        line, column, cell = self.first[worst]
        where = f"{self.file.path}, line {line}: column {column!r}"
        lines = _count(len(self.lines[worst]))
        if worst == "text":
            shown = cell if len(cell) <= 40 else cell[:37] + "..."
            raise InputError(
                f"{where} holds {shown!r}, which is no number; choose other --x-columns or --y-columns, or correct it"
            )
        if worst == "missing":
            raise InputError(
                f"{where} has no value ({lines} with missing values); fill it in or leave the line out"
            )
        raise InputError(f"{where} is {cell} ({lines} with NaN or infinity); leave such lines out")


def _plain(file: DelimitedFile, columns: list[int]) -> Array:
    """The same numbers, slowly; mistakes are reported with their line."""
    numbers, mistakes = array("d"), _Mistakes(file)
    records, has_commas = _records(file.path), separator_of(file.path) == ";"
    next(records)
    for line, cells in records:
        if len(cells) > len(file.names):
            raise InputError(
                f"{file.path}, line {line} has {len(cells)} cells, but line 1 names {len(file.names)} columns; "
                "quote cells that contain the separator"
            )
        for column in columns:
            cell = cells[column].strip() if column < len(cells) else ""
            value = _number(cell.replace(",", ".") if has_commas and cell.count(",") == 1 else cell)
            if value is None:
                mistakes.note("missing" if cell.lower() in MISSING else "text", line, column, cell)
            elif not math.isfinite(value):
                mistakes.note("infinite", line, column, cell)
            numbers.append(value or 0.0)
    if mistakes.first:
        mistakes.fail()
    if not numbers:
        raise InputError(f"{file.path} has column names but no rows")
    return np.frombuffer(numbers, dtype=np.float64).reshape(-1, len(columns)).copy()


def _number(cell: str) -> float | None:
    """The number a cell holds; booleans are numbers."""
    if cell.lower() in TRUTH:
        return TRUTH[cell.lower()]
    try:
        return None if "_" in cell else float(cell)
    except ValueError:
        return None


def _count(lines: int) -> str:
    return f"{lines} line" if lines == 1 else f"{lines} lines"
