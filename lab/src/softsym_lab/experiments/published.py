"""The published numbers, as the paper prints them.

Reference:
    Regularizing Towards Soft Equivariance Under Mixed Symmetries (Kim et al., 2023), https://arxiv.org/abs/2306.00356
"""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from softsym_lab.experiments.table_spec import GridColumn, GridRow, TableSpec, paper_folder


@dataclass(frozen=True)
class Published:
    """A mean and its standard deviation; None where only one number is printed."""

    mean: float
    std: float | None = None

    def __str__(self) -> str:
        return f"{self.mean:g}" if self.std is None else f"{self.mean:g} ± {self.std:g}"


def find_published(table_spec: TableSpec, row: GridRow, column: GridColumn) -> Published | None:
    """The number that a cell is to be compared with; None if the paper has none."""
    if table_spec.published is None:
        return None
    keys = row.published if row.published is not None else (row.label,)
    keys += column.published if column.published is not None else (column.label,)
    return lookup([*table_spec.published.split("/"), *keys])


def lookup(keys: Sequence[str]) -> Published | None:
    """A number by the keys that lead to it."""
    found: Any = tables()
    for key in keys:
        if not isinstance(found, dict) or key not in found:
            return None
        found = found[key]
    if isinstance(found, list):
        return Published(*found)
    return Published(found) if isinstance(found, int | float) else None


@cache
def tables() -> dict[str, Any]:
    """All published tables but the one of the correlation study."""
    found: dict[str, Any] = json.loads(_folder().joinpath("tables.json").read_text(encoding="utf-8"))
    return found


@cache
def correlation_table() -> list[dict[str, str]]:
    """The table of the correlation study, a row for each of its 13 data sets."""
    return _rows("correlation.csv")


@cache
def code_curve() -> list[dict[str, str]]:
    """The learning curve of the published code on Inertia with O(2) about z exact, one seed."""
    return _rows("code_curve_Oz.csv")


@cache
def benchmarks() -> dict[str, Any]:
    """Published scores of others on the files that benchmarks read, by benchmark, each with its source."""
    found: dict[str, Any] = json.loads(_folder().joinpath("benchmarks.json").read_text(encoding="utf-8"))
    return found


def _rows(name: str) -> list[dict[str, str]]:
    with _folder().joinpath(name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def _folder() -> Path:
    return paper_folder() / "published"
