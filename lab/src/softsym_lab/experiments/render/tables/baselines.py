"""Every method for using a symmetry: what it reaches, and what it costs, in one row format.

Out of distribution are test inputs transformed by the group that the row's data have (by all candidates, where they have none exactly); the
truth is computed there. Under the same group the trained model's equivariance error is measured.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from softsym_lab.experiments.render.columns import column_table
from softsym_lab.experiments.render.figures import bars
from softsym_lab.experiments.render.files import Rendered, head, notes
from softsym_lab.experiments.render.markdown import EMPTY, markdown_table, number, plus_minus, seeds
from softsym_lab.experiments.summary import Summary
from softsym_lab.experiments.table_spec import TableSpec
from softsym_lab.runs.record import RunResult

HEADER = [
    "model",
    "test error",
    "transformed",
    "equivariance error",
    "parameters",
    "seconds a step",
    "seconds to best",
    "peak MB",
    "seeds",
]


def render(table_spec: TableSpec, preset: str, summaries: list[Summary]) -> Rendered:
    """A table for each task."""
    parts = [head(table_spec, preset, summaries)]
    for row in table_spec.rows:
        mine = [s for s in summaries if s.row is row]
        best = min((s.mean for s in mine if s.mean is not None), default=None)
        parts += [f"## {row.section} {row.label}", markdown_table(HEADER, [line(table_spec, s, best) for s in mine])]
    parts += ["How each column is trained:", column_table(summaries), notes(table_spec)]
    rows = [{**s.to_dict(), **numbers(table_spec, s)} for s in summaries]
    figures = {"": lambda: bars(table_spec.title, table_spec.unit, summaries)}
    return Rendered("\n\n".join(parts), rows, figures)


def numbers(table_spec: TableSpec, summary: Summary) -> dict[str, float | None]:
    """Means over seeds of what a model reaches away from the data, and of what it costs; None where no run has it."""
    exact, factor = summary.row.exact, table_spec.factor
    return {
        "transformed_error": _mean(summary, lambda r: _under(r.transformed_mse, exact), factor),
        "equivariance_error": _mean(summary, lambda r: _under(r.model_errors, exact)),
        "seconds_a_step": _mean(summary, lambda r: r.seconds / r.steps if r.steps else None),
        "seconds_to_best": _mean(summary, lambda r: r.seconds_to_best if r.epochs else r.seconds),
        "peak_megabytes": _mean(summary, lambda r: None if r.peak_bytes is None else r.peak_bytes / 1e6),
    }


def line(table_spec: TableSpec, summary: Summary, best: float | None) -> list[str]:
    """One model in words; the best test error is bold, and a preset that is not the table's is named."""
    found, own = numbers(table_spec, summary), summary.column.preset
    error = plus_minus(summary.mean, summary.std)
    return [
        summary.column.label + (f" (`{own}`)" if own else ""),
        f"**{error}**" if summary.mean is not None and summary.mean == best else error,
        number(found["transformed_error"]),
        number(found["equivariance_error"], 2),
        f"{summary.parameters:,}" if summary.parameters else EMPTY,
        number(found["seconds_a_step"], 2),
        number(found["seconds_to_best"], 2),
        number(found["peak_megabytes"]),
        seeds(len(summary.values), summary.wanted),
    ]


def _under(by_group: Mapping[str, float], group: str | None) -> float | None:
    """Of one group, or the mean of all."""
    if group is not None:
        return by_group.get(group)
    return statistics.fmean(by_group.values()) if by_group else None


def _mean(summary: Summary, read: Callable[[RunResult], float | None], factor: float = 1.0) -> float | None:
    values: Sequence[Any] = [read(record.result) for record in summary.records]
    known = [value for value in values if value is not None]
    return factor * statistics.fmean(known) if known else None
