"""What stands in a cell: mean and standard deviation over the seeds that are done, and the published number."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from softsym_lab.experiments.grid import Cell
from softsym_lab.experiments.published import Published, find_published
from softsym_lab.experiments.store import RunRecord, Store
from softsym_lab.experiments.table_spec import GridColumn, GridRow, TableSpec
from softsym_lab.runs.spec import RunSpec


@dataclass(frozen=True)
class Summary:
    """A cell in numbers.

    Args:
        row: Its row.
        column: Its column.
        records: The finished runs.
        values: Their metric, in the published unit.
        runs: All runs that there are to be.
        published: The number to compare with.
        lowest: The least validation MSE in the history of each of them, in the published unit, and its epoch.
    """

    row: GridRow
    column: GridColumn
    records: tuple[RunRecord, ...]
    values: tuple[float, ...]
    runs: tuple[RunSpec, ...]
    published: Published | None
    lowest: tuple[tuple[float, int], ...] = ()

    @property
    def wanted(self) -> int:
        """How many runs there are to be."""
        return len(self.runs)

    @property
    def mean(self) -> float | None:
        """Over the seeds that are done."""
        return _mean(self.values)

    @property
    def by_seed(self) -> dict[int, float]:
        """The metric by seed; empty where some runs do not have it."""
        if len(self.values) != len(self.records):
            return {}
        return {record.spec.seed: value for record, value in zip(self.records, self.values, strict=True)}

    @property
    def std(self) -> float | None:
        """Sample standard deviation; None for fewer than two seeds."""
        return statistics.stdev(self.values) if len(self.values) > 1 else None

    @property
    def difference(self) -> float | None:
        """Ours less the published mean."""
        return None if self.mean is None or self.published is None else self.mean - self.published.mean

    @property
    def parameters(self) -> int | None:
        """Trainable numbers of the network."""
        return self.records[0].result.parameters if self.records else None

    @property
    def seconds(self) -> float | None:
        """Mean time of a run."""
        return _mean([r.result.seconds for r in self.records])

    @property
    def epochs(self) -> float | None:
        """Mean number of epochs of a run."""
        return _mean([r.result.epochs for r in self.records])

    @property
    def lowest_validation(self) -> float | None:
        """What stopping at the right time would have given, mean over seeds; histories are thinned, so it is nearly so."""
        return _mean([value for value, _ in self.lowest])

    @property
    def lowest_epoch(self) -> float | None:
        """When that was."""
        return _mean([epoch for _, epoch in self.lowest])

    def to_dict(self) -> dict[str, Any]:
        """A line of the CSV file."""
        return {
            "section": self.row.section,
            "row": self.row.label,
            "column": self.column.label,
            "mean": self.mean,
            "std": self.std,
            "seeds": len(self.values),
            "seeds_wanted": self.wanted,
            "published_mean": None if self.published is None else self.published.mean,
            "published_std": None if self.published is None else self.published.std,
            "difference": self.difference,
            "lowest_validation": self.lowest_validation,
            "lowest_validation_epoch": self.lowest_epoch,
            "parameters": self.parameters,
            "epochs": self.epochs,
            "seconds": self.seconds,
        }


def summarise(table_spec: TableSpec, cells: Sequence[Cell], store: Store) -> list[Summary]:
    """All cells in numbers, rows in the order of the table and columns within each."""
    places = {column.label: place for place, column in enumerate(table_spec.columns)}
    rows = {id(row): place for place, row in enumerate(table_spec.rows)}
    ordered = sorted(cells, key=lambda cell: (rows[id(cell.row)], places[cell.column.label]))
    return [_summary(table_spec, cell, store) for cell in ordered]


def _summary(table_spec: TableSpec, cell: Cell, store: Store) -> Summary:
    found = tuple(record for spec in cell.runs if (record := store.record(spec)) is not None)
    values = tuple(value for record in found if (value := table_spec.value(record.result)) is not None)
    number = find_published(table_spec, cell.row, cell.column)
    lowest = tuple(low for record in found if (low := _lowest(record, table_spec.factor)) is not None)
    return Summary(cell.row, cell.column, found, values, cell.runs, number, lowest)


def _lowest(record: RunRecord, factor: float) -> tuple[float, int] | None:
    seen = [(factor * row["validation"], row["epoch"]) for row in record.history if row.get("validation") is not None]
    return min(seen, default=None)


def _mean(values: Sequence[float]) -> float | None:
    return statistics.fmean(values) if values else None
