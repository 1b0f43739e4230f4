"""From a table to its runs: rows x columns x seeds at one preset, every run checked before the first one starts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from softsym.datasets import task as read_task
from softsym.errors import InputError
from softsym_lab.experiments.presets import preset, replace_numbers
from softsym_lab.experiments.table_spec import GridColumn, GridRow, Number, TableSpec
from softsym_lab.runs.spec import Preset, PresetName, RunSpec


@dataclass(frozen=True)
class Cell:
    """A row and a column of a table, and the runs behind them, one for each seed."""

    row: GridRow
    column: GridColumn
    runs: tuple[RunSpec, ...]


def cells(table_spec: TableSpec, name: PresetName, seeds: int | None = None, records: str | None = None) -> list[Cell]:
    """All cells, in the order in which they are to be run.

    Args:
        table_spec: The table.
        name: The preset.
        seeds: How many seeds; what the table asks for by default.
        records: Folder of recorded tracks for motion tasks.
    """
    found = []
    for column in table_spec.ordered_columns:
        count = seeds or table_spec.wanted(column, name)
        for row in table_spec.rows:
            spec = run_spec(table_spec, row, column, name, records)
            if spec is not None:
                found.append(Cell(row, column, tuple(replace(spec, seed=seed) for seed in range(count))))
    return found


def runs(cells: Sequence[Cell]) -> list[RunSpec]:
    """The runs of all cells, each once, the first seed of every cell before the second."""
    rounds = max((len(cell.runs) for cell in cells), default=0)
    columns = list(dict.fromkeys(cell.column.label for cell in cells))
    ordered = [
        cell.runs[k]
        for label in columns
        for k in range(rounds)
        for cell in cells
        if cell.column.label == label and k < len(cell.runs)
    ]
    return list(dict.fromkeys(ordered))


def run_spec(
    table_spec: TableSpec, row: GridRow, column: GridColumn, name: PresetName, records: str | None = None
) -> RunSpec | None:
    """The first run of a cell; None where the column is not for this preset or row, or wants what the row does not have."""
    if name not in (column.presets or (name,)) or row.section not in (column.sections or (row.section,)):
        return None
    group = row.exact if column.group in ("exact", "exact or largest") else column.group
    if column.group == "exact" and group is None:
        return None
    try:
        numbers = _numbers(preset(_with_records(row.task, records), column.preset or name), row, column)
        spec = RunSpec(
            numbers.task, column.model, numbers, 0, group, groups=column.groups, early_stopping=column.early_stopping
        )
        return spec if column.early_stopping or spec.settings.can_stop_early else None
    except InputError as error:
        raise InputError(f"{table_spec.name}, row {row.label!r}, column {column.label!r}: {error}") from error


def check(table_spec: TableSpec, found: Sequence[Cell]) -> None:
    """Refuses cells whose runs could not be run: a miniature of every network is built."""
    seen = set()
    for cell in found:
        spec = cell.runs[0]
        signature = (spec.task, spec.model, spec.group, spec.groups)
        if signature in seen:
            continue
        seen.add(signature)
        try:
            check_run(spec)
        except InputError as error:
            where = f"{table_spec.name}, row {cell.row.label!r}, column {cell.column.label!r}"
            raise InputError(f"{where}: {error}") from error


def check_run(spec: RunSpec) -> None:
    """Refuses a run whose network cannot be built."""
    spec.check()
    small = spec.preset.model_copy(update={"width": 8, "rpp_width": 8, "round_up": False})
    replace(spec, preset=small).build(read_task(spec.task))


def _numbers(numbers: Preset, row: GridRow, column: GridColumn) -> Preset:
    """The preset with the changes of row and column."""
    changes: dict[str, Any] = {**row.set, **column.set}
    known = dict(numbers)
    for name in (*changes, *row.scale, *column.scale):
        if name not in known or name in ("name", "task"):
            raise InputError(f"a preset has no number {name!r}")
    changes |= _scale_numbers(known, {**row.scale, **column.scale})
    if numbers.name in column.width:
        width = column.width[numbers.name]
        changes |= {"width": width, "rpp_width": width}
    return replace_numbers(numbers, changes)


def _scale_numbers(known: Mapping[str, Any], factors: Mapping[str, float]) -> dict[str, Number]:
    """Numbers times their factors; whole numbers stay whole, and the adjustment comes early enough to count."""
    scaled: dict[str, Number] = {}
    for name, factor in factors.items():
        value = known[name]
        if not isinstance(value, int | float) or isinstance(value, bool):
            raise InputError(f"{name!r} is not a number that could be scaled")
        scaled[name] = max(1, round(value * factor)) if isinstance(value, int) else value * factor
    if "adjust_at" in scaled:
        epochs = min(known["max_epochs"], known["per_max_epochs"] or known["max_epochs"])
        scaled["adjust_at"] = min(int(scaled["adjust_at"]), (epochs - 1) // 2)
    return scaled


def _with_records(task: str, records: str | None) -> str:
    if records is None or not task.startswith("motion"):
        return task
    return f"{task},records={records}"
