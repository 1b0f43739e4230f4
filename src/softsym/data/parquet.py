"""Numbers from files that store named columns one by one: ``.parquet``, and Arrow's ``.feather`` and ``.arrow``."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from softsym.data.columns import prediction_columns
from softsym.data.formats import DataFile
from softsym.errors import InputError
from softsym.typing import Array, Index

if TYPE_CHECKING:
    import polars

STRETCH = 250_000
"""Rows that are in memory at once where only some are wanted."""


@dataclass(frozen=True)
class ParquetFile(DataFile):
    """A file of named columns, stored one by one."""

    @classmethod
    def open(cls, path: Path) -> ParquetFile:
        """Reads the names."""
        if path.stat().st_size == 0:
            raise InputError(f"{path} is empty; write it again")
        return cls(path, tuple(_collected(path, columns=None).columns))

    def size(self, columns: list[int]) -> int:
        """How many bytes so many columns take as numbers."""
        return 8 * len(columns) * self.count()

    def count(self) -> int:
        """How many rows there are, from what the file says of itself."""
        import polars

        return int(_scan(self.path).select(polars.len()).collect().item())

    def numbers(self, columns: list[int]) -> Array:
        """The chosen columns, shape (rows, len(columns)), all finite."""
        frame = _collected(self.path, [self.names[k] for k in columns])
        if not len(frame):
            raise InputError(f"{self.path} has columns but no rows")
        return self._checked(frame, 0)

    def sample(self, columns: list[int], rows: Index) -> Array:
        """Some rows, picked from one stretch of the file after the other."""
        names = [self.names[k] for k in columns]
        picked = []
        for start in range(0, self.count(), STRETCH):
            here = rows[(rows >= start) & (rows < start + STRETCH)] - start
            # All are read, so that what is wrong with any row is found whatever rows are picked.
            stretch = _collected(self.path, names, slice(start, start + STRETCH))
            picked.append(self._checked(stretch, start, here))
        return np.concatenate(picked)

    def stretch(self, columns: list[int], start: int, stop: int) -> Array:
        """The rows from one place to another."""
        frame = _collected(self.path, [self.names[k] for k in columns], slice(start, stop))
        return self._checked(frame, start)

    def sample_cells(self, column: int, rows: Index) -> list[Any]:
        """The values of a column in some rows."""
        frame = _collected(self.path, [self.names[column]])
        self._check_missing(frame)
        return frame.to_series().gather(rows).to_list()

    def _checked(self, frame: polars.DataFrame, start: int, picked: Index | None = None) -> Array:
        """The numbers of a stretch, or of some of its rows, after a look at all of them."""
        import polars

        for series in frame:
            self._check_type(series)
        self._check_missing(frame, start)
        numbers = frame.cast(polars.Float64)
        if not all(numbers.select(polars.all().is_finite().all()).row(0)):
            self._check_finite(numbers.to_numpy(), frame.columns, start)
        return np.ascontiguousarray((numbers if picked is None else numbers[picked]).to_numpy())

    def cells(self, column: int) -> list[Any]:
        """The values of a column, as Python has them."""
        frame = _collected(self.path, [self.names[column]])
        self._check_missing(frame)
        return frame.to_series().to_list()

    @staticmethod
    def write(path: Path, names: list[str], values: Array, spread: Array | None) -> None:
        """Writes predictions, and in further columns their spread."""
        import polars

        frame = polars.DataFrame(prediction_columns(names, values, spread))
        frame.write_parquet(path) if _is_parquet(path) else frame.write_ipc(path)

    def _check_type(self, series: polars.Series) -> None:
        import polars

        dtype = series.dtype
        if dtype.is_numeric() or dtype in (polars.Boolean, polars.Null):
            return
        values = series.drop_nulls()
        shown = " ".join(repr(values[0]).split())[:40] if len(values) else "nothing"
        raise InputError(
            f"{self.path}: column {series.name!r} holds {dtype} such as {shown}, which are no numbers; "
            "choose other --x-columns or --y-columns"
        )

    def _check_missing(self, frame: polars.DataFrame, start: int = 0) -> None:
        if any(series.null_count() for series in frame):
            missing = np.column_stack([series.is_null().to_numpy() for series in frame])
            row, column = np.argwhere(missing)[0]
            raise InputError(
                f"{self.path}, row {start + row + 1}: column {frame.columns[column]!r} has no value "
                f"({_count(missing)} with missing values); fill it in or leave the row out"
            )

    def _check_finite(self, values: Array, names: list[str], start: int = 0) -> None:
        bad = ~np.isfinite(values)
        if bad.any():
            row, column = np.argwhere(bad)[0]
            raise InputError(
                f"{self.path}, row {start + row + 1}: column {names[column]!r} is {values[row, column]} "
                f"({_count(bad)} with NaN or infinity); leave such rows out"
            )


def _collected(path: Path, columns: list[str] | None, rows: slice | None = None) -> polars.DataFrame:
    """The named columns, or for None no rows of all of them; all rows, or a stretch."""
    import polars

    lazy = _scan(path)
    if rows is not None:
        lazy = lazy.slice(rows.start, rows.stop - rows.start)
    try:
        with _without_backtraces():
            return (lazy.head(0) if columns is None else lazy.select(columns)).collect()
    except (polars.exceptions.PolarsError, polars.exceptions.PanicException, OSError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        what = "Parquet" if _is_parquet(path) else "Arrow"
        raise InputError(f"{path} is no {what} file, or a damaged one: {first}") from error


def _is_parquet(path: Path) -> bool:
    return path.suffix.lower() == ".parquet"


def _scan(path: Path) -> polars.LazyFrame:
    import polars

    return polars.scan_parquet(path, glob=False) if _is_parquet(path) else polars.scan_ipc(path, glob=False)


@contextmanager
def _without_backtraces() -> Iterator[None]:
    """Keeps what a reader that panics writes to standard error off the terminal: whoever called says it in one line."""
    import polars

    with tempfile.TemporaryFile() as aside:
        before = os.dup(2)
        os.dup2(aside.fileno(), 2)
        try:
            yield
        except polars.exceptions.PanicException:
            aside.truncate(0)
            raise
        finally:
            os.dup2(before, 2)
            os.close(before)
            aside.seek(0)
            os.write(2, aside.read())


def _count(bad: NDArray[np.bool_]) -> str:
    rows = int(bad.any(axis=1).sum())
    return f"{rows} row" if rows == 1 else f"{rows} rows"
